import { expect, test } from 'vitest';
import { A_HUNDRED_DAYS, generateHistory } from './generate.js';
import type { History } from './history.js';
import { shrinkHistory } from './shrink.js';
import type { Broken } from './violation.js';

const LOST: Broken = { rule: 'end state', text: 'somebody was lost' };
const OTHER: Broken = { rule: 'quiet', text: 'not quiet' };

/** Breaks a rule where that person joins, and some later round loses its mirror; another rule where nobody joins at all. */
function breaksFor(key: string) {
  return async ({ rounds }: History): Promise<Broken | null> => {
    const joins = rounds.findIndex(({ edits }) => edits.some((edit) => edit.do === 'add' && edit.key === key));
    const loses = rounds.findLastIndex(({ losesMirrorAt }) => losesMirrorAt.length > 0);
    if (joins === -1) return OTHER;
    return loses > joins ? LOST : null;
  };
}

test.each([3, 8, 21])('a story that breaks a rule is cut down to what breaks it: seed %i', async (seed) => {
  const history = generateHistory(seed, A_HUNDRED_DAYS);
  const key = history.rounds[0]?.edits.find(({ do: what, table }) => what === 'add' && table === 'people');
  if (key === undefined || !('key' in key)) throw new Error('Nobody joins in the first round.');
  const breaks = breaksFor(key.key);
  expect(await breaks(history)).toEqual(LOST);
  const { history: shortest, broken } = await shrinkHistory({ history, broken: LOST }, breaks);
  expect(broken).toEqual(LOST);
  const [first, second, ...more] = shortest.rounds;
  expect(more).toEqual([]);
  expect(first).toMatchObject({ edits: [key], hands: [], faults: [], acts: [], losesMirrorAt: [], prelude: null });
  expect(second).toMatchObject({ edits: [], hands: [], faults: [], acts: [], prelude: null, settings: {} });
  expect(second?.losesMirrorAt).toHaveLength(1);
});
