import { ACTIONS, type Action, ENTITIES, type Entity } from '../model/entity.js';
import type { GuardTrip } from '../model/plan.js';
import { type CauseEvidence, describeEdit, nameCause } from './guard-cause.js';

/** See `GuardLimit` of the configuration. */
export interface Limit {
  readonly max: number | null;
  readonly percent: number | null;
  readonly min: number | null;
}
export type EntityLimits = Readonly<Partial<Record<Action, Limit>>> & {
  /** `*` is every field that is not named; null limits nothing. */
  readonly fields?: Readonly<Record<string, Limit | null>>;
};
export type Guards = Readonly<Partial<Record<Entity, EntityLimits>>>;

/** Too many changes of one kind, before anybody asked why. */
export interface Excess {
  /** `users.deactivate`, or `users.fields.title`. */
  readonly guard: string;
  readonly entity: Entity;
  readonly limit: number;
  readonly found: number;
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
 * Actions of which there are too many. `unapproved` counts the changes that nobody has approved; a tripped guard holds
 * exactly these and lets everything else go on.
 */
export function findExcess(
  guards: Guards,
  unapproved: (entity: Entity, action: Action) => number,
  linkedActive: (entity: Entity) => number,
): readonly Excess[] {
  const found: Excess[] = [];
  for (const entity of ENTITIES) {
    for (const action of ACTIONS) {
      const limit = guards[entity]?.[action];
      if (limit === undefined) continue;
      const excess = judge(
        { guard: `${entity}.${action}`, entity, found: unapproved(entity, action) },
        limit,
        linkedActive,
      );
      if (excess !== null) found.push(excess);
    }
  }
  return found;
}

/** Fields that too many updates touch; `touched` counts, field by field, the updates that nobody has approved. */
export function findFieldExcess(
  guards: Guards,
  touched: (entity: Entity) => ReadonlyMap<string, number>,
  linkedActive: (entity: Entity) => number,
): readonly (Excess & { readonly field: string })[] {
  const found: (Excess & { readonly field: string })[] = [];
  for (const entity of ENTITIES) {
    const limits = guards[entity]?.fields;
    if (limits === undefined) continue;
    for (const [field, count] of touched(entity)) {
      const limit = field in limits ? limits[field] : limits['*'];
      if (limit === undefined || limit === null) continue;
      const excess = judge({ guard: `${entity}.fields.${field}`, entity, found: count }, limit, linkedActive);
      if (excess !== null) found.push({ ...excess, field });
    }
  }
  return found;
}

function judge(counted: Omit<Excess, 'limit'>, limit: Limit, linkedActive: (entity: Entity) => number): Excess | null {
  if (counted.found === 0) return null;
  const allowed = effectiveLimit(limit, linkedActive(counted.entity));
  return counted.found <= allowed ? null : { ...counted, limit: allowed };
}

/** An excess with its cause. */
export function describeTrip(excess: Excess, evidence: CauseEvidence): Omit<GuardTrip, 'held'> {
  const { guard, limit, found } = excess;
  return { guard, limit, found, ...nameCause(found, evidence) };
}

/** The same for what an edit made by itself: nobody has to weigh the numbers to know the cause. */
export function describeEdited(
  { guard, limit, found }: Excess,
  because: string,
  { preview }: CauseEvidence,
): Omit<GuardTrip, 'held'> {
  const cause = 'configuration changed';
  if (preview === undefined) return { guard, limit, found, cause, detail: because };
  return { guard, limit, found, cause, detail: `${because}; ${describeEdit(found, preview)}`, preview };
}
