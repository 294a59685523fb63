import { createHolds, isRemembered } from '../planning/holds/held-memory.js';
import type { SavedPlan } from '../planning/saved/read-plan.js';
import type { Stores } from '../store/open-stores.js';
import type { HeldChange } from '../store/state/held-change-store.js';

interface GivenDecision {
  /** Id of the approval. */
  readonly id: string;
  /** ISO 8601 */
  readonly at: string;
  /** Ids of the changes that the approval releases. */
  readonly passing: ReadonlySet<string>;
}

/**
 * Updates held changes in the transaction of an approval. Released changes no longer wait, and all other changes of the
 * plan wait for a decision from then on. Ignores the independent plan of an undo.
 */
export function rememberLeftOut(
  { heldChanges }: Pick<Stores, 'heldChanges'>,
  saved: SavedPlan,
  decision: GivenDecision,
): void {
  if (saved.meta.undoes !== undefined) return;
  const { id: approval, at, passing } = decision;
  for (const { change, held } of listHeld(saved)) {
    if (passing.has(change)) for (const { guard, scope, key } of held) heldChanges.release(guard, scope, key, approval);
    else heldChanges.remember(held.map((one) => ({ ...one, run: saved.meta.plan, at })));
  }
}

interface HeldOfChange {
  readonly change: string;
  readonly held: readonly Omit<HeldChange, 'run' | 'at'>[];
}

function* listHeld({ changes, toSources, guards: trips }: SavedPlan): Iterable<HeldOfChange> {
  const holds = createHolds(trips);
  for (const { id, withheld, entity, key, fields } of changes) {
    if (withheld?.by !== 'guard') continue;
    const guards = withheld.name.split(' + ').filter(isRemembered);
    const held = guards.flatMap((guard) =>
      fieldsOf(guard, fields).flatMap((field) => (holds(guard, field) ? [{ guard, scope: entity, key, field }] : [])),
    );
    yield { change: id, held };
  }
  for (const { id, withheld, source, record, columns } of toSources) {
    if (withheld?.by !== 'guard' || !isRemembered(withheld.name)) continue;
    const scope = `sources.${source}`;
    yield { change: id, held: columns.map((field) => ({ guard: withheld.name, scope, key: record, field })) };
  }
}

/** The fields of an update that a guard holds; for any other change, one blank field. */
function fieldsOf(guard: string, fields: readonly string[]): readonly string[] {
  const field = /^\w+\.fields\.(.+)$/.exec(guard)?.[1];
  if (field !== undefined) return [field];
  return /\.(update|shifted)$/.test(guard) ? fields : [''];
}
