import { expect, it } from 'vitest';
import { inBatches } from '../../../src/base/clock.js';
import type { Report, ReportChange } from '../../../src/report/sections/report.js';
import { type SelectedChanges, selectChanges } from '../../../src/report/sections/select-changes.js';
import { IS_THOROUGH } from '../../depth.js';

const BLANK = { q: '', entity: '', action: '', state: '', field: '' };
const COUNT = 2_600;

/** In each group of seven changes, the last waits and the fourth is a deactivation. */
function buildChange(i: number): ReportChange {
  return {
    ...{
      id: `c${i}`,
      entity: 'users',
      action: i % 7 === 3 ? 'deactivate' : 'update',
      sourceRecord: null,
      alone: false,
    },
    ...{ key: `E${i}`, target: null, label: `Person ${i}`, hint: '', reason: { kind: 'x', text: '' }, place: '' },
    ...{ needs: [], differences: [], state: i % 7 === 6 ? 'waits' : 'planned', about: '', approval: null },
    ...{ at: null, calls: [] },
  };
}

/** Counts the changes it reads. */
function buildReport(): Report & { readonly read: { count: number } } {
  const read = { count: 0 };
  return {
    ...{ kind: 'plan', id: 'p1', tenant: null, at: '', facts: [], notes: [], guards: [], plan: null, spent: null },
    ...{ delivered: [], holds: () => inBatches([]) },
    read,
    async *changes() {
      for (let i = 0; i < COUNT; i += 1) {
        read.count += 1;
        yield [buildChange(i)];
      }
    },
  };
}

function summarise({ found, page, pages, rows }: SelectedChanges) {
  return { found, page, pages, rows: rows.map(({ id }) => id).join() };
}

it('shows the same rows with known numbers, on every page and for every filter', async () => {
  const report = buildReport();
  const { tally } = await selectChanges(report, BLANK, { page: 1, shownHolds: 0 });
  const seen = new Set<string>();
  const more = IS_THOROUGH ? [2, 99] : [];
  const filters = [BLANK, { ...BLANK, q: 'person 25' }, { ...BLANK, action: 'update' }, { ...BLANK, q: 'no one' }];
  for (const filter of IS_THOROUGH ? filters : filters.slice(0, 2))
    for (const page of filter === BLANK ? [1, 2, 3, 4, 5, 6, ...more] : [99, ...more]) {
      const plain = await selectChanges(report, filter, { page, shownHolds: 0 });
      const again = await selectChanges(report, filter, { page, shownHolds: 0, known: tally });
      expect(summarise(again)).toEqual(summarise(plain));
      if (filter === BLANK) for (const { id } of plain.rows) seen.add(id);
    }
  expect(seen.size).toBe(COUNT);
});

it('sorts waiting changes first, then removals, and reads only up to the page', async () => {
  const report = buildReport();
  const { tally, rows } = await selectChanges(report, BLANK, { page: 1, shownHolds: 0 });
  expect(rows.slice(0, 2).map(({ id }) => id)).toEqual(['c6', 'c13']);
  expect(tally.ranks).toEqual([371, 371, 1_858]);
  expect(rows[371]?.id).toBe('c3');
  report.read.count = 0;
  // The third page contains only the remaining changes.
  const third = await selectChanges(report, BLANK, { page: 3, shownHolds: 0, known: tally });
  expect(third.rows).toHaveLength(500);
  expect(report.read.count).toBeLessThan(COUNT / 2);
});
