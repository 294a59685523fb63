import type { Values } from '../../model/json.js';
import type { GuardTrip } from '../../model/plan.js';
import { listDifferences } from './differences.js';

const KNOWN_OF_A_TRIP: ReadonlySet<string> = new Set(['guard', 'limit', 'found', 'cause', 'detail', 'held', 'preview']);
const MOST_OF_A_TRIP = 60;

/** Whatever else a guard has to say, by its name: a version to come may know more about a trip than the reports do. */
export function listMore(trip: GuardTrip): readonly (readonly [string, string])[] {
  const more = { ...trip } as unknown as Values;
  const fields = Object.keys(more).filter((name) => !KNOWN_OF_A_TRIP.has(name));
  return listDifferences({ fields, before: {}, after: more })
    .slice(0, MOST_OF_A_TRIP)
    .flatMap(({ field, after }) => (after === null ? [] : [[field, after] as const]));
}
