import type { SavedPlan } from '../planning/saved/read-plan.js';
import type { AuditEntry } from '../store/audit/audit-entry.js';
import type { AuditEvent } from '../store/audit/events.js';
import type { Stores } from '../store/open-stores.js';

/** The current state of a change from an earlier plan. */
export interface Fate {
  readonly kind: 'held' | 'approved' | 'declined' | 'done' | 'planned' | 'replaced';
  /** `carried out by run r2026…` */
  readonly text: string;
}

export type FateOf = (change: string) => Fate;

interface FateLook {
  /** ISO 8601. */
  readonly now: string;
  /** ISO 8601: when the plan with the changes was created. */
  readonly since: string;
  /** The current plan: the newest complete plan, or the independent plan of an undo. */
  readonly current: Pick<SavedPlan, 'meta' | 'changes' | 'toSources' | 'guards'>;
}

/**
 * Looks up the fate of single changes, at one moment of the state. The first condition that is true decides:
 *
 * | condition | fate |
 * |---|---|
 * | a valid approval | approved |
 * | declined, not only in part | declined |
 * | held by the current plan, and not carried out since | held |
 * | carried out | done |
 * | in the current plan | planned: no guard holds it any more |
 * | otherwise | replaced by the current plan |
 */
export function createFates(stores: Stores, { now, since, current }: FateLook): FateOf {
  const [approvals, declined] = [stores.history.approvalsAt(now), new Map(stores.history.declinedAt(now))];
  const { plan, created } = current.meta;
  const done = findCarriedOut(stores, since < created ? since : created);
  const planned = new Map<string, boolean>(current.guards.map(({ guard }) => [guard, true]));
  const setAside = new Set<string>();
  for (const { id, withheld } of [...current.changes, ...current.toSources]) {
    planned.set(id, withheld?.by === 'guard');
    if (withheld?.by === 'declined') setAside.add(id);
  }
  // A decline without the guards that hold the change covers only a part of the change.
  for (const [id, { guards }] of declined) if (guards === '' && planned.get(id) === true) declined.delete(id);
  return (change) => {
    const [approval, decline, carried] = [approvals.get(change), declined.get(change), done.get(change)];
    if (approval !== undefined) return { kind: 'approved', text: `approved by ${approval.who}` };
    if (decline !== undefined) return { kind: 'declined', text: `declined by ${decline.who}` };
    if (setAside.has(change)) return { kind: 'declined', text: 'declined' };
    const isSince = carried !== undefined && carried.at > created;
    if (planned.get(change) === true && !isSince) return { kind: 'held', text: 'waiting' };
    if (carried !== undefined) return { kind: 'done', text: `carried out by run ${carried.run}` };
    if (planned.has(change)) return { kind: 'planned', text: 'no guard holds it any more' };
    return { kind: 'replaced', text: `replaced by plan ${plan}` };
  };
}

interface EarlierRun {
  readonly run: string;
  readonly at: string;
}

/** Finds the last run since a given time that carried out each change. */
function findCarriedOut({ audit }: Stores, since: string): ReadonlyMap<string, EarlierRun> {
  const found = new Map<string, EarlierRun>();
  for (const { entry } of audit.rowsBefore(Number.MAX_SAFE_INTEGER)) {
    if (entry === null) continue;
    const line = JSON.parse(entry) as AuditEntry | AuditEvent;
    if (line.at < since) break;
    if (line.kind !== 'change' && line.kind !== 'source told') continue;
    const { change, run, at, result } = line;
    if ((result === 'done' || result === 'already so') && !found.has(change)) found.set(change, { run, at });
  }
  return found;
}
