import { expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { A_HUNDRED_DAYS, generateHistory } from './generate.js';
import type { Edit, History } from './history.js';
import { shrinkHistory } from './shrink.js';
import type { Broken } from './violation.js';

const LOST: Broken = { rule: 'end state', text: 'somebody was lost' };
const OTHER: Broken = { rule: 'quiet', text: 'not quiet' };

/** Breaks a rule if that person joins and a later round loses its mirror, and another rule if nobody joins at all. */
function breaksFor(key: string) {
  return async ({ rounds }: History): Promise<Broken | null> => {
    const joins = rounds.findIndex(({ edits }) => edits.some((edit) => edit.do === 'add' && edit.key === key));
    const loses = rounds.findLastIndex(({ losesMirrorAt }) => losesMirrorAt.length > 0);
    if (joins === -1) return OTHER;
    return loses > joins ? LOST : null;
  };
}

/** The first history from that seed on that loses the mirror after the first round, and its first edit of people. */
function findLosing(seed: number): { readonly history: History; readonly edit: Edit & { readonly key: string } } {
  for (let at = seed; ; at++) {
    const history = generateHistory(at, A_HUNDRED_DAYS);
    const [first, ...later] = history.rounds;
    const edit = first?.edits.find(({ do: what, table }) => what === 'add' && table === 'people');
    const isLost = later.some(({ losesMirrorAt }) => losesMirrorAt.length > 0);
    if (isLost && edit !== undefined && 'key' in edit) return { history, edit };
  }
}

test.each(oneIn(2, [3, 8, 21]))('shortens a story that breaks a rule to the cause: seed %i', async (seed) => {
  const { history, edit } = findLosing(seed);
  const breaks = breaksFor(edit.key);
  expect(await breaks(history)).toEqual(LOST);
  const { history: shortest, broken } = await shrinkHistory({ history, broken: LOST }, breaks);
  expect(broken).toEqual(LOST);
  const [first, second, ...more] = shortest.rounds;
  expect(more).toEqual([]);
  expect(first).toMatchObject({ edits: [edit], hands: [], faults: [], acts: [], losesMirrorAt: [], prelude: null });
  expect(second).toMatchObject({ edits: [], hands: [], faults: [], acts: [], prelude: null, settings: {} });
  expect(second?.losesMirrorAt).toHaveLength(1);
});
