import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../model/json.js';
import type { Change } from '../model/plan.js';

/**
 * Gives a change its id: equal for the same change of the same object for the same kind of reason under the same
 * configuration, whichever run derives it, so that an approval and a saved plan keep their meaning. Wording, place and
 * evidence are left out: they move while the change stays the same.
 */
export function buildChange(change: Omit<Change, 'id'>, configDigest: string): Change {
  const identity: Json = [
    change.entity,
    change.action,
    change.target ?? change.key,
    change.before,
    change.after,
    change.reason.kind,
    configDigest,
  ];
  return { id: createHash('sha256').update(canonicalJson(identity)).digest('hex').slice(0, 32), ...change };
}

/** Hash over the ids in the order of application: the plan's fingerprint. */
export function createFingerprint(): { add(changeId: string): void; digest(): string } {
  const hash = createHash('sha256');
  return {
    add: (id) => void hash.update(id).update('\n'),
    digest: () => hash.digest('hex'),
  };
}
