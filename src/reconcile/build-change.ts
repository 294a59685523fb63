import { createHash } from 'node:crypto';
import type { Entity } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../model/json.js';
import type { Change } from '../model/plan.js';
import { sha256 } from '../model/sha256.js';
import { isEmpty } from './fields/compare.js';

/**
 * Gives a change its id: equal for the same change of the same object for the same kind of reason under the same
 * configuration, whichever run derives it, so that an approval and a saved plan keep their meaning. Wording, place and
 * evidence are left out: they move while the change stays the same. So is what the change carries along without moving
 * it, such as a language of somebody else (a text is sent whole): it may move between plan and apply.
 */
export function buildChange(proposed: ProposedChange, configDigest: string): Change {
  const change = { needs: [], observedHash: null, desiredHash: null, ...proposed };
  const { entity } = change;
  const { before, after } = pickMoved(entity, change.before, change.after);
  const identity: Json = [
    entity,
    change.action,
    change.target ?? change.key,
    before,
    after,
    change.reason.kind,
    configDigest,
  ];
  return { id: idOfChange(identity), ...change };
}

/** The id of a change by what is the same of it in every run. */
export function idOfChange(identity: Json): string {
  return sha256(canonicalJson(identity)).slice(0, 32);
}

/** What a change waits for, and the states that it rests on, are left out where there are none. */
export type ProposedChange = Omit<Change, 'id' | Unstated> & Partial<Pick<Change, Unstated>>;
type Unstated = 'needs' | 'observedHash' | 'desiredHash';

/** Of values by language, category or name only those that move; of lists that only grow what is added to them, or else what is taken out. */
function pickMoved(entity: Entity, before: Values, after: Values): { readonly before: Values; readonly after: Values } {
  const old: Record<string, Json> = { ...before };
  const next: Record<string, Json> = { ...after };
  for (const [name, value] of Object.entries(after)) {
    const was = before[name];
    const field = FIELDS[entity][name];
    if (field === undefined) continue;
    if (field.additive === true && !isEmpty(value)) delete old[name];
    if (field.shape === 'office' || !isJsonObject(value)) continue;
    const held = objectOf(was);
    const keys = [...new Set([...Object.keys(held), ...Object.keys(value)])];
    const moved = keys.filter((key) => canonicalJson(held[key] ?? null) !== canonicalJson(value[key] ?? null));
    old[name] = Object.fromEntries(moved.map((key) => [key, held[key] ?? null]));
    next[name] = Object.fromEntries(moved.map((key) => [key, value[key] ?? null]));
  }
  return { before: old, after: next };
}

/** Hash over the ids in the order of application: the plan's fingerprint. */
export function createFingerprint(): { add(changeId: string): void; digest(): string } {
  const hash = createHash('sha256');
  return {
    add: (id) => void hash.update(id).update('\n'),
    digest: () => hash.digest('hex'),
  };
}
