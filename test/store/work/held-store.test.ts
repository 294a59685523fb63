import { expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import { openTestStores } from '../../samples.js';

/** Holds lines of a users file and a customers file, in the given order. */
function readHolds(lines: readonly (readonly [Entity, number])[]) {
  const { work } = openTestStores();
  work.together(() => {
    for (const [entity, line] of lines)
      work.hold({ entity, key: `k${line}`, place: `${entity} f.csv:${line}`, code: 'c', reason: 'r', remedy: 'm' });
  });
  return [...work.holds()].map(({ place, key, count }) => (key === '*' ? `${count} of ${place}` : place));
}

it('keeps the order of holds when two streams are read in parallel, whichever comes first', () => {
  const lines = Array.from({ length: 1_200 }, (_, at) => at + 2);
  const [users, customers] = (['users', 'customers'] as const).map((entity) =>
    lines.map((line): [Entity, number] => [entity, line]),
  );
  const first = readHolds([...(users ?? []), ...(customers ?? [])]);
  const mixed = readHolds(
    lines.flatMap((line): [Entity, number][] => [
      ['customers', line],
      ['users', line],
    ]),
  );
  expect(mixed).toEqual(first);
  // Each in the order of its file, and one for the unlisted rest.
  expect(first.slice(0, 3)).toEqual(['customers f.csv:2', 'customers f.csv:3', 'customers f.csv:4']);
  expect(first.slice(2_000)).toEqual(['200 of customers f.csv:1002', '200 of users f.csv:1002']);
});
