import { createDayFinder } from '../../model/date-in-zone.js';
import { ACTIONS, ENTITIES, type Entity } from '../../model/entity.js';
import { groupBy } from '../../model/group-by.js';
import type { GuardTrip } from '../../model/plan.js';
import type { Excess } from '../../reconcile/guard.js';
import type { Stores } from '../../store/open-stores.js';
import type { Approval } from '../../store/state/history-store.js';

export type HeldByGuard = Excess & {
  readonly held: number;
  /** The cause of a trip that is known without weighing numbers. */
  readonly because?: string;
  /** The start of a pending decision, if nothing else trips the guard, for example `2026-11-27 (run r…)`. */
  readonly since?: string;
  /** The fields that the guard has held before, if it holds single fields. */
  readonly about?: Pick<GuardTrip, 'fields'>;
};

/** Changes that guards have held and nobody has decided. They wait even if the total falls below the limit. */
export interface HeldMemory {
  /** Sets aside the changes that are still held, and returns those that no guard would hold by itself. */
  holdAgain(kind: GuardKind, isMeant?: (entity: Entity) => boolean): readonly HeldByGuard[];
}

type GuardKind = 'reason' | 'field' | 'action' | 'source';

/**
 * Guards that a person need not answer, because a later answer from the sources removes the doubt. Each delivery is
 * judged separately, and declines have a memory of their own.
 */
const ANSWERED_BY_SOURCES: ReadonlySet<string> = new Set([
  'unknown_word',
  'same_person',
  'other_person',
  'look_alike',
  'declined',
]);

/** True if changes that a guard has held keep waiting for a decision. */
export function isRemembered(guard: string): boolean {
  const { scope, part, kind } = splitGuard(guard);
  if (kind === 'source') return part === 'overwrite';
  return ENTITIES.some((entity) => entity === scope) && !ANSWERED_BY_SOURCES.has(part);
}

/** Returns a function that checks if a guard holds a field, or only the rest of its change. */
export function createHolds(trips: readonly GuardTrip[]): (guard: string, field: string) => boolean {
  const byGuard = groupBy(trips, ({ guard }) => guard);
  return (guard, field) =>
    byGuard.get(guard)?.some(({ fields }) => fields === undefined || fields.includes(field)) ?? true;
}

/** Splits `users.fields.title` into the scope and the part of it that the guard checks. */
function splitGuard(guard: string): { readonly scope: string; readonly part: string; readonly kind: GuardKind } {
  const isSource = guard.startsWith('sources.');
  const dot = isSource ? guard.lastIndexOf('.') : guard.indexOf('.');
  const part = guard.slice(dot + 1);
  return { scope: guard.slice(0, dot), part, kind: isSource ? 'source' : kindOf(part) };
}

function kindOf(part: string): GuardKind {
  if (part.startsWith('fields.')) return 'field';
  return ACTIONS.some((action) => action === part) ? 'action' : 'reason';
}

interface MemoryLook {
  /** The current approvals, by change. */
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly timezone: string;
  /** ISO 8601 */
  readonly now: string;
}

export function createHeldMemory(
  { work, heldChanges, declines }: Stores,
  { approvals, timezone, now }: MemoryLook,
): HeldMemory {
  if (!work.isAnyHeldBefore()) return { holdAgain: () => [] };
  const inForce = [...new Set([...approvals.values(), ...declines.inForce(now)].map(({ id }) => id))];
  const dayOf = createDayFinder(timezone);
  const guards = heldChanges.guards().filter(isRemembered);
  return {
    holdAgain(kind, isMeant = () => true) {
      return guards.flatMap((guard) => {
        const { scope, kind: own } = splitGuard(guard);
        if (own !== kind || !isMeant(scope as Entity)) return [];
        const held = work.holdAgain(guard, inForce);
        if (held === 0) return [];
        const { at, run } = heldChanges.first(guard);
        const since = `${dayOf(at)} (${nameOrigin(run)})`;
        const fields = heldChanges.fieldsOf(guard);
        const about = fields.length > 0 ? { fields } : {};
        return [{ guard, entity: scope as Entity, limit: 0, found: held, held, since, about }];
      });
    },
  };
}

/** Keys of people whose gain of power earlier runs have held, with the start of each hold. */
export function findHeldPromotions(
  { heldChanges, declines }: Pick<Stores, 'heldChanges' | 'declines'>,
  { approvals, timezone, now }: MemoryLook,
): { readonly heldBefore: ReadonlySet<string>; readonly since: string } {
  const inForce = new Set([...approvals.values(), ...declines.inForce(now)].map(({ id }) => id));
  const open = heldChanges
    .all()
    .filter(({ guard, approval }) => guard === 'users.promote' && (approval === null || !inForce.has(approval)));
  if (open.length === 0) return { heldBefore: new Set(), since: '' };
  const { at, run } = heldChanges.first('users.promote');
  return {
    heldBefore: new Set(open.map(({ key }) => key)),
    since: `${createDayFinder(timezone)(at)} (${nameOrigin(run)})`,
  };
}

export function describeSince(since: string): string {
  return `held since ${since}: not decided yet`;
}

/** Names the origin of a hold, which is a run or a plan. */
function nameOrigin(id: string): string {
  return `${id.startsWith('p') ? 'plan' : 'run'} ${id}`;
}
