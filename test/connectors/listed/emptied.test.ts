import { describe, expect, it } from 'vitest';
import { watchEmptied } from '../../../src/connectors/listed/emptied.js';
import type { Columns } from '../../../src/model/column.js';
import type { RecordBatch, SourceRecord } from '../../../src/model/source.js';
import { openTestStores } from '../../samples.js';

const COLUMN = { type: 'string', optional: true, format: null, trueWords: null, separator: ';' } as const;
const COLUMNS: Columns = { title: COLUMN, phone: COLUMN };
const DAY_MS = 24 * 60 * 60_000;
const KEYS = Array.from({ length: 100 }, (_, at) => `p${at}`);

interface Read {
  readonly day: number;
  /** The number of people without a title. */
  readonly without: number;
  readonly isHeld?: true;
}

/** Performs the reads, and returns the findings of each. */
function play(reads: readonly Read[]) {
  const memory = openTestStores().filledColumns('people');
  let now = 0;
  const watch = watchEmptied(memory, COLUMNS, () => now);
  return reads.map(({ day, without, isHeld }) => {
    now = (20_000 + day) * DAY_MS;
    watch.begin();
    const toRecord = (key: string, at: number): SourceRecord => ({
      ...{ key, place: { source: 'people', at: '', line: 1 } },
      cells: { phone: '1', ...(at < without ? {} : { title: 'Adviser' }) },
    });
    watch.see({ records: KEYS.map(toRecord), rejected: [] });
    const found = watch.list().map(({ column, had, emptied }) => `${column} ${emptied} of ${had}`);
    if (isHeld !== true) watch.settle(true);
    return found.join();
  });
}

/** Reads at equal intervals. */
const every = (days: number, ...counts: readonly number[]): readonly Read[] =>
  counts.map((without, at) => ({ day: at * days, without }));

describe('watchEmptied', () => {
  it.each<readonly [string, readonly Read[], readonly string[]]>([
    ['finds nothing before the first used read', every(1, 100), ['']],
    ['ignores five of a hundred as ordinary', every(1, 0, 5), ['', '']],
    ['finds six of a hundred', every(1, 0, 6), ['', 'title 6 of 100']],
    ['adds up small steps within a week', every(2, 0, 3, 5, 7), ['', '', '', 'title 7 of 100']],
    ['ignores steps older than a week', every(8, 0, 4, 8), ['', '', '']],
    ['forgets a gap that is filled again', every(1, 0, 5, 0, 5), ['', '', '', '']],
    [
      'keeps its measure after a held read, and takes a new one from a used read',
      [...every(1, 0), { day: 1, without: 50, isHeld: true }, { day: 2, without: 50 }, { day: 3, without: 52 }],
      ['', 'title 50 of 100', 'title 50 of 100', ''],
    ],
  ])('%s', (_, reads, found) => {
    expect(play(reads)).toEqual(found);
  });

  const toRecord = (key: string, cells: SourceRecord['cells']): SourceRecord => ({
    ...{ key, cells, place: { source: 'people', at: '', line: 1 } },
  });

  /** Reads and uses each batch in turn. @returns the doubted columns after each */
  function readInTurn(batches: readonly Pick<RecordBatch, 'records' | 'rejected'>[], columns: readonly Columns[]) {
    const memory = openTestStores().filledColumns('people');
    return batches.map((batch, at) => {
      const watch = watchEmptied(memory, columns[at] ?? COLUMNS, () => 0);
      watch.begin();
      watch.see(batch);
      const found = watch.list().map(({ column, emptied }) => `${column} ${emptied}`);
      watch.settle(true);
      return found.join();
    });
  }

  it('takes a person with several rows as having any value in one of them, in whichever order they come', () => {
    const job = (key: string): SourceRecord => toRecord(key, { title: 'Adviser' });
    const older = (key: string): SourceRecord => toRecord(key, {});
    const rows = (...kinds: readonly (typeof job)[]) => ({
      records: KEYS.flatMap((key) => kinds.map((kind) => kind(key))),
      rejected: [],
    });
    expect(readInTurn([rows(job, older), rows(older, job), rows(job, older), rows(older, older)], [])).toEqual([
      ...['', '', ''],
      'title 100',
    ]);
  });

  it('takes a rejected row as unchanged', () => {
    const whole = { records: KEYS.map((key) => toRecord(key, { title: 'Adviser' })), rejected: [] };
    const place = { source: 'people', at: '', line: 1 };
    const fault = { place, code: 'SYNC_ROW_FIELDS', reason: 'a date', remedy: '', raw: [] };
    const rejected = KEYS.map((key) => ({ ...fault, key }));
    const empty = { records: KEYS.map((key) => toRecord(key, {})), rejected: [] };
    expect(readInTurn([whole, { records: [], rejected }, empty], [])).toEqual(['', '', 'title 100']);
  });

  it('is not affected in other columns by a new one', () => {
    const rows = { records: KEYS.map((key) => toRecord(key, { title: 'Adviser' })), rejected: [] };
    const withArea = { ...COLUMNS, area: COLUMN };
    expect(readInTurn([rows, rows, rows], [COLUMNS, withArea, withArea])).toEqual(['', '', '']);
  });
});
