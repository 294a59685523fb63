import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../../src/store/audit/audit-entry.js';
import { appendEntry, appendEvent } from '../../../src/store/audit/audit-log.js';
import { countLog } from '../../../src/store/audit/count-log.js';
import { EVERY_LINE, type LogFilter } from '../../../src/store/audit/log-filter.js';
import { readLog, readLogBack, readLogPage } from '../../../src/store/audit/read-log.js';
import { openStores, type Stores } from '../../../src/store/open-stores.js';
import { closeAfterTest } from '../../closing.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-01-01T12:00:00.000Z');
const dayOf = (day: number): string => new Date(START + day * DAY_MS).toISOString();

function open(): Stores {
  const stores = openStores(mkdtempSync(join(tmpdir(), 'count-')));
  closeAfterTest(stores);
  return stores;
}

function entry(day: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{
      kind: 'change',
      run: 'r1',
      at: dayOf(day),
      change: `c${day}`,
      entity: 'users',
      action: 'update',
      key: `E${day}`,
    },
    ...{ target: null, label: `Jane ${day} <jane${day}@example.com>`, approval: null, place: 'hr a.csv:1', calls: [] },
    ...{ before: { title: { en: 'a' } }, after: { title: { en: 'b' } }, error: null, result: 'done' },
    cause: { kind: 'changed', text: '' },
    ...more,
  };
}

/** One entry per day: nine updates and a create, then a failed change and a decision. */
function fill({ audit }: Stores): void {
  for (let day = 0; day < 9; day += 1) appendEntry(audit, entry(day));
  appendEntry(audit, entry(9, { action: 'create', before: null, after: { name: 'Kim' } }));
  appendEntry(audit, entry(10, { result: 'refused', error: 'no' }));
  const hold = { entity: 'users', key: 'E1', hold: 'h1', code: 'X', until: null };
  appendEvent(audit, { kind: 'hold acknowledged', at: dayOf(11), by: 'kim@example.com', reason: 'known', ...hold });
}

const ask = (more: Partial<LogFilter>): LogFilter => ({ ...EVERY_LINE, ...more });

test('counts changes by entity and action, other kinds, and the values to choose from', async () => {
  const stores = open();
  fill(stores);
  const all = await countLog(stores.audit, EVERY_LINE, 1_000);
  expect([all.fitting, all.all, all.isComplete]).toEqual([12, 12, true]);
  expect([...(all.changes.get('users') ?? [])]).toEqual([
    ['update', 9],
    ['create', 1],
  ]);
  expect([...all.kinds].sort()).toEqual([
    ['decisions', 1],
    ['refused', 1],
  ]);
  const titles = await countLog(stores.audit, ask({ field: 'title', from: dayOf(5) }), 1_000);
  expect(titles.fitting).toBe(5);
  expect(Object.fromEntries(titles.choices.field)).toEqual({ title: 5, name: 1 });
});

test('says that more may fit if there are more entries than it looks at', async () => {
  const stores = open();
  fill(stores);
  expect(await countLog(stores.audit, ask({ kind: 'changes' }), 4)).toMatchObject({
    fitting: 2,
    all: 12,
    isComplete: false,
  });
  expect(await countLog(stores.audit, ask({ kind: 'changes' }), 12)).toMatchObject({ fitting: 10, isComplete: true });
});

test('reads the requested days and one day on each side', async () => {
  const stores = open();
  fill(stores);
  const seqs: number[] = [];
  for await (const { line } of readLogBack(stores.audit, { from: dayOf(4), to: dayOf(6) })) seqs.push(line.seq);
  expect(seqs).toEqual([7, 6, 5, 4]);
  const { lines } = await readLogPage(
    ...([stores.audit, ask({ from: dayOf(4), to: dayOf(6) }), { before: null, most: 50, mostLooked: 50 }] as const),
  );
  expect(lines.map(({ seq }) => seq)).toEqual([6, 5]);
});

test('finds a restated entry although it is far behind its own time', async () => {
  const stores = open();
  fill(stores);
  appendEvent(stores.audit, { kind: 'restated', at: dayOf(40), of: 5, entry: entry(4) });
  const erased = { erasure: 'e1', at: dayOf(40), by: 'kim', reason: 'case 7', salt: 's', marks: [], due: false };
  stores.erasure.remember(erased);
  const { lines } = await readLogPage(
    ...([stores.audit, ask({ from: dayOf(4), to: dayOf(5) }), { before: null, most: 50, mostLooked: 50 }] as const),
  );
  expect(lines.map(({ seq }) => seq)).toEqual([13, 5]);
});

test.each<readonly [words: string, seen: number, veiled: number]>([
  ['e3', 1, 1],
  ['jane3@example.com', 1, 1],
  ['jane 3', 1, 0],
  ['jane', 11, 0],
  ['jane 3 <jane3@example.com>', 1, 0],
  ['jane3', 1, 0],
])('finds by "%s" %i entries, and %i for a reader of pseudonyms', (words, seen, veiled) => {
  const stores = open();
  fill(stores);
  stores.audit.makePseudonymKey();
  const count = (isVeiled: boolean): number =>
    [...readLog(stores.audit, ask({ who: { entity: null, words, isName: true }, isVeiled }))].length;
  expect([count(false), count(true)]).toEqual([seen, veiled]);
});

test.each([
  ['kim@example.com', 1, 1],
  ['kim', 1, 0],
  ['kim@example.co', 1, 0],
])('finds the decisions by "%s": %i, and %i for a reader of pseudonyms', (by, seen, veiled) => {
  const stores = open();
  fill(stores);
  const count = (isVeiled: boolean): number => [...readLog(stores.audit, ask({ by, isVeiled }))].length;
  expect([count(false), count(true)]).toEqual([seen, veiled]);
});
