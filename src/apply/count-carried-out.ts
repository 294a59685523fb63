import { isAnswered } from '../model/identity-guards.js';
import type { Json } from '../model/json.js';
import { type Change, DERIVED_REASONS, promotedKey, reopens, SOURCE_KEY } from '../model/plan.js';
import { PROMOTED } from '../model/power.js';
import { hashLeaf } from '../reconcile/fields/leaves.js';
import type { Stores } from '../store/open-stores.js';

/** Action → the actions that it reverses. A deactivation no longer counts once it is undone or the source corrects it. */
const INVERSE: Readonly<Record<string, readonly string[]>> = {
  create: ['delete'],
  reactivate: ['deactivate'],
  deactivate: ['create', 'reactivate'],
  delete: ['create'],
};

/** Fields of a relink that change together with the key. */
const WITH_THE_KEY: ReadonlySet<string> = new Set([SOURCE_KEY, 'external_unique_id', 'deactivated']);

interface DoneChange {
  readonly change: Change;
  readonly approval: string | null;
  readonly run: string;
  /** The time to store, as ISO 8601. */
  readonly at: string;
}

/**
 * Counts a completed change for the guards of later runs, within the transaction that records its end. Approved changes,
 * changes of an undo, manual links, and creates or adoptions of the first load do not count. They still cancel the
 * changes that they reverse. In either case the record needs no further decision.
 */
export function countCarriedOut(stores: Stores, done: DoneChange): void {
  const { carriedOut, heldChanges } = stores;
  const { entity: scope, action, key, fields, before, after } = done.change;
  for (const what of INVERSE[action] ?? []) carriedOut.takeBack({ scope, what, key });
  const count = createCounter(stores, done);
  countPower(stores, done);
  const counted = fieldsOf(done.change).filter((field) => count(`fields.${field}`, before[field], after[field]));
  if (action !== 'update') count(action, before[SOURCE_KEY]);
  else if (counted.length > 0) count(action, null);
  else carriedOut.dropEmptied(scope, key);
  if (action === 'relink') {
    carriedOut.takeBackTo({ scope, what: action, key: String(before[SOURCE_KEY]) }, hashLeaf(after[SOURCE_KEY]));
    if (reopens(done.change)) count('reactivate', null);
  }
  for (const field of action === 'update' ? fields : [...fields, '']) heldChanges.forget(scope, key, { field });
}

/** Granted permissions count even during the first load, so that a large load cannot grant permissions unnoticed. */
function countPower({ carriedOut, heldChanges }: Stores, { change, approval, run, at }: DoneChange): void {
  const { entity: scope, key, power, action, undoes, reason } = change;
  if (power === undefined || action === 'deactivate') return;
  for (const one of [key, promotedKey(key)]) heldChanges.forget(scope, one, { field: '' });
  if (approval !== null || undoes !== undefined || reason.kind === 'by_hand') return;
  carriedOut.carryOut({ scope, what: PROMOTED[power], key }, { before: hashLeaf(null), run, at });
}

/** The returned function counts one action or field, and returns false if the change restores the first value. */
function createCounter({ carriedOut, history }: Stores, { change, approval, run, at }: DoneChange) {
  const isCounted =
    (approval === null || isAnswered(approval)) &&
    change.undoes === undefined &&
    change.reason.kind !== 'by_hand' &&
    !isFirstLoad(change, history);
  const { entity: scope, key } = change;
  return (what: string, before: Json | undefined, after?: Json): boolean => {
    const one = { scope, what, key };
    if (after !== undefined && carriedOut.takeBackTo(one, hashLeaf(after))) return false;
    if (isCounted) carriedOut.carryOut(one, { before: hashLeaf(before), run, at });
    return true;
  };
}

function fieldsOf({ action, fields }: Change): readonly string[] {
  if (action === 'update') return fields;
  return action === 'relink' ? fields.filter((name) => !WITH_THE_KEY.has(name)) : [];
}

/** Offices and tags that people refer to are part of the first load of people. */
function isFirstLoad({ entity, action, reason }: Change, { isLoaded }: Pick<Stores['history'], 'isLoaded'>): boolean {
  const isLoading = action === 'create' || reason.kind === 'first_contact';
  return isLoading && !isLoaded(DERIVED_REASONS.includes(reason.kind) ? 'users' : entity);
}
