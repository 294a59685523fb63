import { ACTIONS, type Action, ENTITIES, type Entity } from '../model/entity.js';
import type { GuardCause, GuardTrip } from '../model/plan.js';

/** See `GuardLimit` of the configuration. */
export interface Limit {
  readonly max: number | null;
  readonly percent: number | null;
  readonly min: number | null;
}
export type Guards = Readonly<Partial<Record<Entity, Readonly<Partial<Record<Action, Limit>>>>>>;

/** What is known about why so much would change. */
export interface CauseEvidence {
  readonly configurationChanged: boolean;
  /** Rows of the existence source in its last complete read before this one and now; null when there was none. */
  readonly rowsBefore: number | null;
  readonly rowsNow: number;
  /** The run whose changes are taken back; then no source is behind it. */
  readonly undoes?: string;
}

/**
 * The number of changes that may pass: the smaller of `max` and the percentage, where `min` is a floor under the
 * percentage so that it does not stop every change in a small company.
 */
export function effectiveLimit(limit: Limit, linkedActive: number): number {
  const share = limit.percent === null ? null : Math.floor((linkedActive * limit.percent) / 100);
  const relative = share === null ? null : Math.max(share, limit.min ?? 0);
  return Math.min(limit.max ?? Number.POSITIVE_INFINITY, relative ?? Number.POSITIVE_INFINITY);
}

/**
 * Which guards trip. `found` counts the changes that nobody has approved; a tripped guard holds exactly these and lets
 * everything else go on.
 */
export function evaluateGuards(
  guards: Guards,
  unapproved: (entity: Entity, action: Action) => number,
  linkedActive: (entity: Entity) => number,
  evidence: (entity: Entity) => CauseEvidence,
): readonly Omit<GuardTrip, 'held'>[] {
  const trips: Omit<GuardTrip, 'held'>[] = [];
  for (const entity of ENTITIES) {
    for (const action of ACTIONS) {
      const limit = guards[entity]?.[action];
      if (limit === undefined) continue;
      const found = unapproved(entity, action);
      if (found === 0) continue;
      const allowed = effectiveLimit(limit, linkedActive(entity));
      if (found <= allowed) continue;
      trips.push({ guard: `${entity}.${action}`, limit: allowed, found, ...nameCause(found, evidence(entity)) });
    }
  }
  return trips;
}

/** The most suspicious cause that explains the number wins: a person decides faster knowing what to look at. */
export function nameCause(found: number, e: CauseEvidence): { cause: GuardCause; detail: string } {
  if (e.undoes !== undefined) return { cause: 'undo', detail: `what run ${e.undoes} did is taken back` };
  if (e.configurationChanged) {
    return { cause: 'configuration changed', detail: 'the configuration differs from the one of the last applied run' };
  }
  const lost = e.rowsBefore === null ? 0 : e.rowsBefore - e.rowsNow;
  if (lost > 0 && lost * 2 >= found) {
    return { cause: 'source shrank', detail: `the source shrank from ${e.rowsBefore} rows to ${e.rowsNow}` };
  }
  const rows = e.rowsBefore === null ? `${e.rowsNow} rows` : `${e.rowsBefore} rows before, ${e.rowsNow} now`;
  return { cause: 'real events', detail: `the source is whole (${rows}) and the configuration unchanged` };
}
