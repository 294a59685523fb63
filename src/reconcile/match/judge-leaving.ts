import type { Desired } from '../../model/desired.js';
import { isAccount } from '../../model/entity.js';
import { formatPlace } from '../../model/place.js';
import { typed } from '../../model/typed.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { type FoundObject, formatEvidence, judgeRelink } from './judge-relink.js';

/** A record of a leaver that matches an object linked to another key. */
export interface LeavingMatch {
  readonly id: string;
  readonly by: string;
  readonly owner: string;
  /** Records of active people that also match the object. */
  readonly rivals: readonly string[];
}

/**
 * Decides whether a leaver under a new key takes over the account of the old key:
 *
 * | the old record                       | the person is              | →                                   |
 * |--------------------------------------|----------------------------|-------------------------------------|
 * | has a row                            | any                        | nothing: that row decides           |
 * | may have a row that was not seen     | any                        | nothing: the read proves nothing    |
 * | is gone from a complete read         | the same (`judgeRelink`)   | the link moves, and the account is deactivated |
 * | is gone from a complete read         | in doubt                   | held                                |
 *
 * An inactive account stays unchanged, and so does one that an active record matches.
 */
export function judgeLeaving(
  desired: Desired,
  { id, by, owner, rivals }: LeavingMatch,
  settings: EntitySettings,
  ports: ReconcilePorts,
): FoundObject | 'held' | 'passed' {
  const { entity } = settings;
  const observed = ports.service.observed(entity, id);
  const isDecided = rivals.length > 0 || ports.sources.stagedState(entity, owner) !== null;
  if (!isAccount(entity) || observed?.active !== true || isDecided) return 'passed';
  // If several rows report the leaver, one of them is enough.
  const [first] = [...ports.plan.claimants(`${entity}.left`, id)].sort();
  if (first !== undefined && first !== desired.key) return 'passed';
  if (ports.sources.absentLeaver(entity, owner).since === undefined) return 'passed';
  const verdict = judgeRelink({ desired, observed, owner, rivals: [] }, settings, ports);
  if (verdict.certain !== null) return { observed, adoptedBy: null, relink: verdict.certain };
  ports.plan.hold({
    entity,
    key: desired.key,
    place: formatPlace(desired.place),
    code: 'SYNC_MATCH_CLAIMED',
    reason: `${desired.key} has left, and matches ${observed.label} (${id}) by ${by}, but that account is linked to record ${owner}, which is gone. Are they the same (${formatEvidence(verdict.evidence)})?`,
    remedy: `If they are the same: \`talent-sync link ${entity} ${typed(desired.key)} ${id}\`, and the next run deactivates the account; if not, correct the source.`,
    relink: { key: desired.key, id },
  });
  return 'held';
}
