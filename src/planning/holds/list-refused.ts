import type { Acknowledgement } from '../../model/desired.js';
import { generalise } from '../../model/hold-cause.js';
import { MOST_EQUAL } from '../../model/refusal-pauses.js';
import type { WaitingCause, WaitingItem } from '../../model/waiting.js';
import type { Stores } from '../../store/open-stores.js';
import { acknowledgedBy, firstOf, nameItem, plainItem } from './waiting-item.js';

interface RefusedItem extends WaitingItem {
  /** The service's own words. */
  readonly message: string;
}

/** Changes that the service rejected and that no plan holds yet; every run tries them again. */
export function listRefused(
  { refusals, waiting }: Stores,
  known: ReadonlyMap<string, Acknowledgement>,
): readonly WaitingCause[] {
  const causes = new Map<string, RefusedItem[]>();
  for (const { entity, key, changeId, firstAt, nextAt, message, times } of refusals.all()) {
    if (waiting.isPaused(entity, key)) continue;
    const cause = times === 1 ? `Rejected: ${message}` : `Rejected ${times} times: ${message}`;
    const resolve = 'Correct the value in the source or the mapping; every run tries it again.';
    const id = nameItem('refused', changeId);
    const own = {
      cause,
      resolve,
      since: firstAt,
      until: nextAt,
      keys: [key],
      message,
      ...acknowledgedBy(known.get(id)),
    };
    const name = JSON.stringify([entity, generalise(message), times, own.acknowledged ?? null]);
    const same = causes.get(name) ?? [];
    same.push({ ...plainItem('refused', entity, 1), id, ...own });
    causes.set(name, same);
  }
  return [...causes.values()].flatMap(joinRefused);
}

const REFUSED_ALIKE =
  'Many changes are rejected for the same reason: correct it in the service, or ask its support. If the records are wrong, correct them in the source.';

function joinRefused(same: readonly RefusedItem[]): readonly WaitingCause[] {
  return same.slice(0, 1).map(({ message, ...one }) => ({
    ...one,
    id: same.length === 1 ? one.id : nameItem('refused', one.of, generalise(message)),
    ids: same.map(({ id }) => id),
    cause: same.every(({ cause }) => cause === one.cause) ? one.cause : generalise(one.cause),
    ...(same.length >= MOST_EQUAL && { resolve: REFUSED_ALIKE }),
    count: same.length,
    since: earliest(same.map(({ since }) => since)),
    until: earliest(same.map(({ until }) => until)),
    keys: firstOf(same.flatMap(({ keys }) => keys)),
  }));
}

function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((at) => at !== null).sort()[0] ?? null;
}
