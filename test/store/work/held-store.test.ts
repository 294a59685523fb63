import { expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import { openTestStores } from '../../samples.js';

/** Lines of a file of users and of one of customers, in the order in which they came. */
function readHolds(lines: readonly (readonly [Entity, number])[]) {
  const { work } = openTestStores();
  work.together(() => {
    for (const [entity, line] of lines)
      work.hold({ entity, key: `k${line}`, place: `${entity} f.csv:${line}`, code: 'c', reason: 'r', remedy: 'm' });
  });
  return [...work.holds()].map(({ place, key, count }) => (key === '*' ? `${count} of ${place}` : place));
}

it('streams that are read side by side hold in the same order, whichever comes first', () => {
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
  // Each in the order of its file, and one for those that are not listed.
  expect(first.slice(0, 3)).toEqual(['customers f.csv:2', 'customers f.csv:3', 'customers f.csv:4']);
  expect(first.slice(2_000)).toEqual(['200 of customers f.csv:1002', '200 of users f.csv:1002']);
});
