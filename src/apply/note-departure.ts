import { ENTITIES, isAccount } from '../model/entity.js';
import type { Change, ReasonKind } from '../model/plan.js';
import { wordsFor } from '../reconcile/leavers/settle-deletions.js';
import type { Stores } from '../store/open-stores.js';
import type { ChangeEnd } from './execution.js';

/** Reasons for a deactivation that mean that the person has left. An undo or an account without a source is not such a reason. */
const LEAVINGS: readonly ReasonKind[] = ['left', 'absent', 'absent_since_edit', 'out_of_scope'];

/**
 * Remembers the deactivations that talent-sync made, because the time until a purge counts from them:
 *
 * | the change                                   | →                                                         |
 * |----------------------------------------------|-----------------------------------------------------------|
 * | deactivated a leaver                         | remember it with run, time and the service's timestamp    |
 * | found the leaver already deactivated         | nothing: we did not do it                                 |
 * | left the account active                      | forget it: the time counts again from the next departure  |
 * | deleted the account                          | remove everything stored about the record, except a mark  |
 *
 * Runs in the transaction that records the end.
 */
export function noteDeparture({ departures, links, ...stores }: Stores, end: ChangeEnd): void {
  const { change, observed, result, run, at } = end;
  const { entity, action, key, reason } = change;
  if (!isAccount(entity) || result === 'refused' || result === 'lost') return;
  if (observed?.active === true) departures.forget(key);
  if (action === 'deactivate' && observed?.active === false && result === 'done' && LEAVINGS.includes(reason.kind)) {
    const { deactivated_at: stamp } = observed.values;
    departures.remember({ key, serviceId: observed.id, run, at, stamp: typeof stamp === 'string' ? stamp : null });
  }
  if (action !== 'delete' || observed !== null || change.target === null) return;
  for (const { entity: owned, id } of listBelongings(stores, change.target)) {
    const link = links.findByServiceId(owned, id);
    if (link !== null) links.unlink(owned, link.sourceKey);
  }
  // A row that comes back gets a new account, which nothing stored about the old account may affect.
  stores.history.clearAbsence('users', [key]);
  stores.pins.unpin('users', key);
  departures.markDeleted(key, { serviceId: change.target, run, at, words: wordsFor(change.before) });
}

/** Removes a deleted object from the mirror. */
export function dropFromMirror({ mirror }: Pick<Stores, 'mirror'>, { entity, target }: Change): void {
  if (target !== null) mirror.remove(entity, [target]);
}

function listBelongings(
  { mirror }: Pick<Stores, 'mirror'>,
  userId: string,
): readonly { readonly entity: (typeof ENTITIES)[number]; readonly id: string }[] {
  return ENTITIES.flatMap((entity) => mirror.findIds(entity, 'user_id', userId).map((id) => ({ entity, id })));
}
