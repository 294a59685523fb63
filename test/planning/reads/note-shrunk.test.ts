import { expect, it } from 'vitest';
import { rowsFact } from '../../../src/planning/guard-facts.js';
import { noteShrunk } from '../../../src/planning/reads/note-shrunk.js';
import { evidenceOf, openTestStores } from '../../samples.js';
import { readOf, stagedOf } from '../world.js';

it.each<readonly [what: string, before: number | null, now: number, told: number | undefined]>([
  ['as many rows as before', 100, 100, undefined],
  ['more rows', 100, 200, undefined],
  ['fewer than five are gone', 14, 10, undefined],
  ['five of few are gone', 15, 10, 15],
  ['less than a twentieth of many is gone', 1000, 951, undefined],
  ['a twentieth is gone', 1000, 950, 1000],
  ['no earlier read is known', null, 1, undefined],
])('reports the earlier number of rows if it was notably larger: %s', (_what, before, rows, told) => {
  const { history } = openTestStores();
  if (before !== null) history.setFact(rowsFact('hr'), String(before));
  const read = (complete: boolean) => readOf('hr', { evidence: evidenceOf({ rows, complete }) });
  const note = (complete: boolean) =>
    noteShrunk([{ ...stagedOf('users', read(complete)), enriching: [read(true)] }], { history })[0];
  expect(note(true)?.deciding[0]?.evidence?.rowsBefore).toBe(told);
  expect(note(true)?.enriching[0]?.evidence).not.toHaveProperty('rowsBefore');
  // An incomplete read says nothing about missing rows.
  expect(note(false)?.deciding[0]?.evidence).not.toHaveProperty('rowsBefore');
  const failed = readOf('hr', { evidence: null });
  expect(noteShrunk([stagedOf('users', failed)], { history })[0]?.deciding).toEqual([failed]);
});
