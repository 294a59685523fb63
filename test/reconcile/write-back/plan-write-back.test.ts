import { describe, expect, test } from 'vitest';
import type { Hold } from '../../../src/model/desired.js';
import type { Json, Values } from '../../../src/model/json.js';
import type { SentValue, SourceChange, WriteBackColumn } from '../../../src/model/write-back.js';
import { planWriteBack, type WriteBackValue } from '../../../src/reconcile/write-back/plan-write-back.js';
import { changeOf, desiredOf, observedOf } from '../../samples.js';
import { settingsOf } from '../fake-ports.js';

const COLUMN: WriteBackColumn = {
  source: 'hr',
  column: 'phone',
  leaf: 'telephone',
  isRead: true,
  whenEmpty: 'keep',
  value: null,
};
/** A column of the source for the service's own id. */
const ID: WriteBackColumn = { ...COLUMN, column: 'talent_id', leaf: null };

const SENT: SentValue = {
  value: '2',
  shown: '1',
  serviceHash: null,
  status: 'sent',
  at: '2026-11-20T07:00:00.000Z',
  times: 1,
  message: null,
};

interface Row {
  readonly name: string;
  readonly column?: WriteBackColumn;
  /** True if the service gives the value when it creates the object; else it follows from fields. */
  readonly isGiven?: boolean;
  /** The value in HR's column, the values that both sides agreed on, and those of the service. */
  readonly shown: Json;
  readonly base?: Values | null;
  readonly service: Values | null;
  /** The column's value for the current object; by default the one that the source shows. */
  readonly now?: Json;
  /** The column's value after the run, if it differs. */
  readonly later?: Json;
  readonly sent?: SentValue;
  readonly formulas?: true;
  readonly rest: 'settled' | 'open';
  /** `before → after (known)`, and what it waits for. */
  readonly plan: readonly string[];
  readonly holds?: readonly string[];
  /** The notes about sent values. */
  readonly echoes?: readonly string[];
}

const PHONE = (telephone: string): Values => ({ telephone });

const ROWS: readonly Row[] = [
  { name: 'both sides hold the same', shown: '1', base: PHONE('1'), service: PHONE('1'), rest: 'settled', plan: [] },
  {
    name: 'the service moved',
    shown: '1',
    base: PHONE('1'),
    service: PHONE('2'),
    rest: 'open',
    plan: ['"1" → "2" (now)'],
  },
  {
    name: 'the source moved a field of the service',
    shown: '3',
    base: PHONE('1'),
    service: PHONE('1'),
    rest: 'open',
    plan: ['"3" → "1" (now)'],
  },
  {
    name: 'never agreed, and the service has none',
    shown: '1',
    base: null,
    service: { telephone: '' },
    rest: 'open',
    plan: [],
  },
  {
    name: 'emptied in the service: the source keeps it',
    shown: '1',
    base: PHONE('1'),
    service: { telephone: '' },
    rest: 'settled',
    plan: [],
  },
  {
    name: 'emptied in the service, and the mapping clears it',
    column: { ...COLUMN, whenEmpty: 'clear' },
    shown: '1',
    base: PHONE('1'),
    service: { telephone: '' },
    rest: 'open',
    plan: ['"1" → "" (now)'],
  },
  {
    name: 'sent, and not shown yet',
    shown: '1',
    base: PHONE('1'),
    service: PHONE('2'),
    sent: SENT,
    rest: 'open',
    plan: [],
  },
  {
    name: 'sent, and shown now',
    shown: '2',
    base: PHONE('1'),
    service: PHONE('2'),
    sent: SENT,
    rest: 'settled',
    plan: [],
    echoes: ['same, keeps undefined'],
  },
  {
    name: 'sent three times, and another value is shown',
    shown: '9',
    base: PHONE('1'),
    service: PHONE('2'),
    sent: { ...SENT, times: 3 },
    rest: 'open',
    plan: [],
    holds: ['SYNC_WRITE_BACK_FROZEN'],
  },
  {
    name: 'rejected, as before',
    shown: '1',
    base: PHONE('1'),
    service: PHONE('2'),
    sent: { ...SENT, status: 'refused', message: 'no' },
    rest: 'open',
    plan: [],
    holds: ['SYNC_WRITE_BACK_REFUSED'],
  },
  {
    name: 'a value that a spreadsheet would run',
    shown: '1',
    base: PHONE('1'),
    service: PHONE('=cmd()'),
    rest: 'open',
    plan: [],
    holds: ['SYNC_WRITE_BACK_FORMULA'],
  },
  {
    name: 'a value that a spreadsheet would run, for a source that takes formulas',
    shown: '1',
    base: PHONE('1'),
    service: PHONE('=cmd()'),
    formulas: true,
    rest: 'open',
    plan: ['"1" → "=cmd()" (now)'],
  },
  {
    name: 'a column of its own: known already',
    column: ID,
    isGiven: true,
    shown: null,
    service: {},
    later: 'u1',
    rest: 'open',
    plan: ['null → "u1" (now)'],
  },
  {
    name: 'a column of its own: shown already',
    column: ID,
    isGiven: true,
    shown: 'u1',
    service: {},
    later: 'u1',
    rest: 'settled',
    plan: [],
  },
  {
    name: 'a column of its own, for a person whom this run creates',
    column: ID,
    isGiven: true,
    shown: null,
    service: null,
    rest: 'open',
    plan: ['null → null (after apply), after users:E1'],
  },
  {
    name: 'a column of its own that this run changes',
    column: ID,
    shown: 'a',
    service: {},
    later: 'b',
    rest: 'open',
    plan: ['"a" → "b" (now), after users:E1'],
  },
  {
    name: 'a column of its own that this run leaves unchanged',
    column: ID,
    shown: 'a',
    now: 'b',
    service: {},
    rest: 'open',
    plan: ['"a" → "b" (now)'],
  },
  {
    name: 'a column of its own without a value: the source keeps its own',
    column: ID,
    shown: 'a',
    now: '',
    service: {},
    rest: 'settled',
    plan: [],
  },
  {
    name: 'a column of its own without a value that is cleared',
    column: { ...ID, whenEmpty: 'clear' },
    shown: 'a',
    now: '',
    service: {},
    rest: 'open',
    plan: ['"a" → "" (now)'],
  },
  {
    name: 'a column of its own: sent, and shown now',
    column: ID,
    shown: 'b',
    service: {},
    sent: { ...SENT, value: 'b' },
    rest: 'settled',
    plan: [],
    echoes: ['same, keeps undefined'],
  },
  {
    name: 'a column of its own: sent, and nearly shown',
    column: ID,
    shown: 'B',
    now: 'b',
    service: {},
    sent: { ...SENT, value: 'b', shown: 'a' },
    rest: 'settled',
    plan: [],
    echoes: ['near, keeps "B"'],
  },
  {
    name: 'sent, and nearly shown',
    shown: '+472',
    base: PHONE('1'),
    service: PHONE('+47 2'),
    sent: { ...SENT, value: '+47 2' },
    rest: 'settled',
    plan: [],
    echoes: ['near, keeps "+472"'],
  },
  { name: 'a person whom this run creates', shown: '1', service: null, rest: 'settled', plan: [] },
  {
    name: 'a column that nobody reads',
    column: { ...COLUMN, isRead: false },
    shown: '1',
    base: PHONE('1'),
    service: PHONE('2'),
    rest: 'open',
    plan: ['null → "2" (now)'],
  },
];

function run({ column = COLUMN, isGiven = false, shown, base = null, service, later, sent, formulas, ...row }: Row) {
  const planned: SourceChange[] = [];
  const holds: Hold[] = [];
  const echoes: string[] = [];
  const cells = { [column.column]: shown };
  const own = row.now !== undefined ? row.now : isGiven ? (later ?? null) : shown;
  const now = column.leaf === null ? own : (service?.telephone ?? null);
  const value: WriteBackValue = { column, isGiven, now, later: later ?? now };
  const values: Values = column.leaf === null ? {} : { telephone: shown };
  const observed = service === null ? null : observedOf('u1', service);
  const rest = planWriteBack(
    {
      desired: desiredOf('E1', values, {
        writeBack: { records: { hr: { record: 'row 2', cells } }, modified: null },
      } as Parameters<typeof desiredOf>[2]),
      base,
      written: null,
      observed,
      planned: changeOf('users', 'E1'),
      label: 'Jane',
    },
    settingsOf({ rules: { telephone: { apply: 'always', authority: 'service' } }, writeBack: [column] }),
    {
      now: '2026-11-20T08:00:00.000Z',
      lapseMs: () => 86_400_000,
      idOf: () => null,
      pins: () => [],
      resolution: () => null,
      seenAt: () => null,
      sight: () => undefined,
      sent: () => sent ?? null,
      values: () => [value],
      writesFormulas: () => formulas === true,
      plan: (change) => void planned.push(change),
      echo: (_at, isNear, keeps) => void echoes.push(`${isNear ? 'near' : 'same'}, keeps ${JSON.stringify(keeps)}`),
      hold: (hold) => void holds.push(hold),
    },
  );
  const plan = planned.flatMap(({ cells: of, needs }) =>
    of.map(({ before, after, known }) =>
      [`${JSON.stringify(before)} → ${JSON.stringify(after)} (${known})`, ...needs.map((need) => `after ${need}`)].join(
        ', ',
      ),
    ),
  );
  return { rest, plan, holds: holds.map(({ code }) => code), echoes };
}

describe('planWriteBack', () => {
  test.each(ROWS)('decides right: $name', (row) => {
    const { rest, plan, holds = [], echoes = [] } = row;
    expect(run(row)).toEqual({ rest, plan, holds, echoes });
  });
});

describe('the changes of one record', () => {
  /** The plan after the service has changed these leaves since they were agreed on. */
  function planAll(
    columns: readonly WriteBackColumn[],
    {
      service,
      base,
      desired = base,
      records,
    }: { service: Values; base: Values; desired?: Values; records: readonly string[] },
  ) {
    const planned: SourceChange[] = [];
    const cells = Object.fromEntries(
      columns.map(({ column, leaf }) => [column, leaf === null ? null : (base[leaf] ?? null)]),
    );
    const backing = Object.fromEntries(records.map((source) => [source, { record: `row of ${source}`, cells }]));
    const record = {
      desired: desiredOf('E1', desired, { writeBack: { records: backing, modified: null } } as Parameters<
        typeof desiredOf
      >[2]),
      ...{ base, written: null, observed: observedOf('u1', service), planned: null, label: 'Jane' },
    };
    const rules = Object.fromEntries(
      ['telephone', 'name', 'title'].map((field) => [field, { apply: 'always', authority: 'service' } as const]),
    );
    const now = ({ leaf }: WriteBackColumn): Json => {
      if (leaf === null) return 'u1';
      const [field = '', part] = leaf.split('.');
      const value = service[field] ?? null;
      return part === undefined ? value : ((value as Values | null)?.[part] ?? null);
    };
    const rest = planWriteBack(record, settingsOf({ rules, writeBack: [...columns] }), {
      now: '2026-11-20T08:00:00.000Z',
      lapseMs: () => 86_400_000,
      idOf: () => null,
      pins: () => [],
      resolution: () => null,
      seenAt: () => null,
      sight: () => undefined,
      sent: () => null,
      values: () =>
        columns.map((column) => ({ column, isGiven: column.leaf === null, now: now(column), later: now(column) })),
      writesFormulas: () => false,
      plan: (change) => void planned.push(change),
      echo: () => undefined,
      hold: () => undefined,
    });
    return {
      rest,
      planned: planned.map(({ source, record: row, reason, cells: of }) => ({ source, row, reason, cells: of.length })),
    };
  }
  const name: WriteBackColumn = { ...COLUMN, column: 'full_name', leaf: 'name' };
  const moved = { service: { telephone: '2', name: 'b' }, base: { telephone: '1', name: 'a' } };

  test('become one per source, with what changed as the reason', () => {
    const other = { ...name, source: 'crm' };
    const columns = [COLUMN, name, ID, other];
    expect(planAll(columns, { ...moved, records: ['hr', 'crm'] })).toEqual({
      rest: 'open',
      planned: [
        {
          ...{ source: 'hr', row: 'row of hr', cells: 3 },
          reason: 'phone (telephone), full_name (name) changed in the service; talent_id given by the service',
        },
        { source: 'crm', row: 'row of crm', cells: 1, reason: 'full_name (name) changed in the service' },
      ],
    });
    expect(planAll([ID], { ...moved, records: ['hr'] }).planned).toMatchObject([
      { reason: 'talent_id given by the service' },
    ]);
  });

  test('leave out a source without a row of the record', () => {
    expect(planAll([COLUMN, { ...name, source: 'crm' }], { ...moved, records: ['hr'] }).planned).toMatchObject([
      { source: 'hr', cells: 1 },
    ]);
    expect(planAll([COLUMN], { ...moved, records: [] })).toEqual({ rest: 'settled', planned: [] });
  });

  test('include values that only the service has', () => {
    const title: WriteBackColumn = { ...COLUMN, column: 'title', leaf: 'title.en' };
    const silent = { base: {}, desired: {}, records: ['hr'] };
    expect(planAll([title], { ...silent, service: { title: { en: 'Lead' } } }).planned).toMatchObject([{ cells: 1 }]);
    expect(planAll([title], { ...silent, service: { title: { en: '' } } }).planned).toEqual([]);
    expect(planAll([COLUMN], { ...silent, service: { telephone: '2' } }).planned).toMatchObject([{ cells: 1 }]);
    expect(planAll([COLUMN], { ...silent, service: {} }).planned).toEqual([]);
  });
});
