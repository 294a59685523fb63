import { ACTIONS, type Action, ENTITIES, type Entity } from '../model/entity.js';
import type { EarlierChanges, GuardTrip } from '../model/plan.js';
import { plural } from '../model/plural.js';
import { type CauseEvidence, describeEdit, nameCause } from './guard-cause.js';

/** A limit; see `GuardLimit` of the configuration. */
export interface Limit {
  readonly max: number | null;
  readonly percent: number | null;
  readonly min: number | null;
  /** `max` is at least this percentage of the objects. */
  readonly maxPercent?: number | null;
  /** How far back to count changes that were applied without an approval; 0 counts this run only. */
  readonly withinMs?: number | null;
}
export type EntityLimits = Readonly<Partial<Record<Action, Limit>>> & {
  /** `*` means every field that has no limit of its own; null sets no limit. */
  readonly fields?: Readonly<Record<string, Limit | null>>;
};
export type Guards = Readonly<Partial<Record<Entity, EntityLimits>>>;

/** Too many changes of one kind. */
export interface Excess {
  /** The name of the guard, such as `users.deactivate` or `users.fields.title`. */
  readonly guard: string;
  readonly entity: Entity;
  readonly limit: number;
  /** The number of changes of this run and the earlier ones together. */
  readonly found: number;
  /** The changes of earlier runs, if they count too, and the window. */
  readonly earlier?: EarlierChanges & { readonly withinMs: number };
}

/** The numbers that guards use. A scope is an entity, or `sources.hr` for write-backs. */
export interface GuardNumbers {
  /** Changes by earlier runs within a window, without the objects that this run would change in the same way. */
  readonly earlier: (scope: string, what: string, withinMs: number) => EarlierChanges;
  /** The number of linked active objects, either at the start of the window or now, whichever is larger. */
  readonly base: (scope: string, withinMs: number) => number;
}

export interface ChangeNumbers extends GuardNumbers {
  /** Changes of this run that nobody has approved. */
  readonly unapproved: (entity: Entity, action: Action) => number;
  /** The number of unapproved updates, field by field. */
  readonly touched: (entity: Entity) => ReadonlyMap<string, number>;
}

/** Actions that take something away from people, which are also counted over a week. */
const TAKING: ReadonlySet<string> = new Set<Action>(['deactivate', 'delete', 'relink']);
const WEEK_MS = 7 * 86_400_000;
const WEEKLY_TIMES = 3;

/**
 * The number of changes allowed: the smaller of `max` and the percentage. `min` is a lower bound for the percentage, so
 * that the percentage does not stop every change in a small company. With `maxPercent`, `max` grows with the size of
 * the company.
 */
export function effectiveLimit({ max, percent, min, maxPercent = null }: Limit, linkedActive: number): number {
  const share = (of: number): number => Math.floor((linkedActive * of) / 100);
  const relative = percent === null ? null : Math.max(share(percent), min ?? 0);
  const absolute = max === null ? null : Math.max(max, share(maxPercent ?? 0));
  return Math.min(absolute ?? Number.POSITIVE_INFINITY, relative ?? Number.POSITIVE_INFINITY);
}

/**
 * Checks whether too many changes of one kind would be made; null if not.
 *
 * | window                             | counts                                            | allows        |
 * |------------------------------------|---------------------------------------------------|---------------|
 * | `within: 0s`                       | this run                                          | the limit     |
 * | `within`, 24 hours by default      | this run, and what earlier runs did within it     | the limit     |
 * | 7 days; deactivate, delete, relink | the same                                          | 3 × the limit |
 *
 * @param what `deactivate`, `fields.title`, `overwrite`
 * @param inRun changes of this run that nobody has approved
 */
export function judgeNumber(
  { scope, what, inRun }: { readonly scope: string; readonly what: string; readonly inRun: number },
  limit: Limit,
  { earlier, base }: GuardNumbers,
): Pick<Excess, 'limit' | 'found' | 'earlier'> | null {
  if (inRun === 0) return null;
  const withinMs = limit.withinMs ?? 0;
  const windows = [{ withinMs, times: 1 }];
  if (withinMs > 0 && withinMs < WEEK_MS && TAKING.has(what)) windows.push({ withinMs: WEEK_MS, times: WEEKLY_TIMES });
  for (const window of windows) {
    const before = window.withinMs === 0 ? { changes: 0, runs: [] } : earlier(scope, what, window.withinMs);
    const found = inRun + before.changes;
    const allowed = effectiveLimit(limit, base(scope, window.withinMs)) * window.times;
    if (found <= allowed) continue;
    return {
      limit: allowed,
      found,
      ...(before.changes === 0 ? {} : { earlier: { ...before, withinMs: window.withinMs } }),
    };
  }
  return null;
}

/** Finds actions with too many changes. A tripped guard holds the changes that nobody has approved; all others are planned. */
export function findExcess(guards: Guards, numbers: ChangeNumbers): readonly Excess[] {
  return ENTITIES.flatMap((entity) =>
    ACTIONS.flatMap((action): readonly Excess[] => {
      const limit = guards[entity]?.[action];
      if (limit === undefined) return [];
      const counted = { scope: entity, what: action, inRun: numbers.unapproved(entity, action) };
      const excess = judgeNumber(counted, limit, numbers);
      return excess === null ? [] : [{ guard: `${entity}.${action}`, entity, ...excess }];
    }),
  );
}

/** Finds fields that too many updates change. */
export function findFieldExcess(
  guards: Guards,
  numbers: ChangeNumbers,
): readonly (Excess & { readonly field: string })[] {
  return ENTITIES.flatMap((entity) => {
    const limits = guards[entity]?.fields;
    if (limits === undefined) return [];
    return [...numbers.touched(entity)].flatMap(([field, inRun]) => {
      const limit = field in limits ? limits[field] : limits['*'];
      if (limit === undefined || limit === null) return [];
      const what = `fields.${field}`;
      const excess = judgeNumber({ scope: entity, what, inRun }, limit, numbers);
      return excess === null ? [] : [{ guard: `${entity}.${what}`, entity, field, ...excess }];
    });
  });
}

/** Describes an excess with its cause. */
export function describeTrip(excess: Excess, evidence: CauseEvidence): Omit<GuardTrip, 'held'> {
  return withCount(excess, nameCause(inRun(excess), evidence, excess.guard));
}

/** Describes changes that an edit alone has caused, so that the cause is known without weighing the numbers. */
export function editedTrip(excess: Excess, because: string, { preview }: CauseEvidence): Omit<GuardTrip, 'held'> {
  const cause = 'configuration changed';
  if (preview === undefined) return withCount(excess, { cause, detail: because });
  return withCount(excess, { cause, detail: `${because}; ${describeEdit(inRun(excess), preview)}`, preview });
}

/** The number of changes in this run alone. */
export function inRun({ found, earlier }: Pick<Excess, 'found' | 'earlier'>): number {
  return found - (earlier?.changes ?? 0);
}

/** Adds the origin of the number to the detail, if earlier runs count too. */
export function withCount<Cause extends Pick<GuardTrip, 'cause' | 'detail'>>(
  { guard, limit, found, earlier }: Pick<Excess, 'guard' | 'limit' | 'found' | 'earlier'>,
  cause: Cause,
): Cause & Pick<GuardTrip, 'guard' | 'limit' | 'found' | 'earlier'> {
  if (earlier === undefined) return { guard, limit, found, ...cause };
  const { changes, runs, withinMs } = earlier;
  const [span, before] = withinMs === DAY_MS ? [' today', ' today'] : [` within ${describeSpan(withinMs)}`, ''];
  const named =
    runs.length > RUNS_NAMED
      ? `${runs.slice(0, RUNS_NAMED).join(', ')} and ${runs.length - RUNS_NAMED} more`
      : runs.join(', ');
  const count = `${found} ${WOULD[guard.slice(guard.lastIndexOf('.') + 1)] ?? WOULD_CHANGE}${span}: ${found - changes} in this run, ${changes} earlier${before} (${runs.length === 1 ? 'run' : 'runs'} ${named}); ${limit} allowed`;
  return { guard, limit, found, earlier: { changes, runs }, ...cause, detail: `${count}; ${cause.detail}` };
}

function describeSpan(ms: number): string {
  if (ms % DAY_MS === 0) return plural(ms / DAY_MS, 'day');
  return ms < HOUR_MS ? `${Math.round(ms / MINUTE_MS)} minutes` : plural(Math.round(ms / HOUR_MS), 'hour');
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const RUNS_NAMED = 3;
const WOULD_CHANGE = 'would change';
/** Words for each kind of change that a guard counts. */
const WOULD: Readonly<Record<string, string>> = {
  create: 'would be created',
  update: 'would be updated',
  relink: 'would move to another key',
  deactivate: 'would leave',
  reactivate: 'would return',
  delete: 'would be deleted',
  overwrite: 'would be overwritten',
};
