import type { DeclinedChange, DeclineWords } from '../../model/decline.js';
import { type GuardTrip, recordKeyOf } from '../../model/plan.js';
import type { Stores } from '../../store/open-stores.js';
import type { StoredDecline } from '../../store/state/decline-store.js';

/** The changes of a plan that a person has declined, on both sides, with the person, the reason and the end date. */
export function listDeclined(
  { work, declines }: Pick<Stores, 'work' | 'declines'>,
  now: string,
): readonly DeclinedChange[] {
  const inForce = declines.inForce(now);
  if (inForce.length === 0) return [];
  const byId = new Map(inForce.map((one) => [one.id, one]));
  const found: DeclinedChange[] = [];
  for (const { change, declines: ids } of work.declinedChanges()) {
    const { id, entity, action, key, label, fields } = change;
    found.push({ id, declines: ids, of: entity, action, key: recordKeyOf(key), label, fields, ...wordsOf(ids, byId) });
  }
  for (const { id, source, record: key, label, cells, withheld } of work.writeBackChanges('all')) {
    if (withheld?.by !== 'declined') continue;
    const ids = withheld.name.split(' + ');
    const fields = cells.map(({ column }) => column);
    found.push({ id, declines: ids, of: source, action: 'overwrite', key, label, fields, ...wordsOf(ids, byId) });
  }
  return found;
}

/** If several people have declined parts of a change, all of them are named, and the first date counts. */
function wordsOf(ids: readonly string[], byId: ReadonlyMap<string, StoredDecline>): DeclineWords {
  const of = ids.flatMap((id) => byId.get(id) ?? []);
  const join = (words: readonly string[]): string => [...new Set(words)].join('; ');
  return {
    who: join(of.map(({ who }) => who)),
    reason: join(of.map(({ reason }) => reason)),
    at: of.map(({ at }) => at).sort()[0] ?? '',
    until: of.flatMap(({ until }) => until ?? []).sort()[0] ?? null,
  };
}

/** Marks held deliveries that a person has declined, because no decision about them is pending any more. */
export function markDeclined(
  { declines }: Pick<Stores, 'declines'>,
  trips: readonly GuardTrip[],
  now: string,
): readonly GuardTrip[] {
  const byScope = new Map(declines.inForce(now).map((one) => [one.scope, one]));
  return trips.map((trip) => {
    const one = byScope.get(trip.guard);
    if (one === undefined) return trip;
    const { id, who, reason, at, until } = one;
    return { ...trip, declined: { id, who, reason, at, until } };
  });
}
