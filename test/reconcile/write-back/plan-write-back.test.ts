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
/** A column that the source has for the service's own id. */
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
  /** The service gives the value when it makes the object; else it follows from fields. */
  readonly isGiven?: boolean;
  /** What HR shows in the column; what both sides agreed on; what the service holds. */
  readonly shown: Json;
  readonly base?: Values | null;
  readonly service: Values | null;
  /** Value of the column as it will be after the run, where that is another. */
  readonly later?: Json;
  readonly sent?: SentValue;
  readonly formulas?: true;
  readonly rest: 'settled' | 'open';
  /** `before → after (known)`, and what it waits for. */
  readonly plan: readonly string[];
  readonly holds?: readonly string[];
  readonly echoes?: number;
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
    echoes: 1,
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
    name: 'refused, as before',
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
    name: 'the same, where the source takes formulas',
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
    name: 'a column of its own, of somebody whom this run creates',
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
];

function run({ column = COLUMN, isGiven = false, shown, base = null, service, later, sent, formulas }: Row) {
  const planned: SourceChange[] = [];
  const holds: Hold[] = [];
  const echoes: string[] = [];
  const cells = { [column.column]: shown };
  const now = column.leaf === null ? (isGiven ? (later ?? null) : shown) : (service?.telephone ?? null);
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
      resolution: () => null,
      seenAt: () => null,
      sight: () => undefined,
      sent: () => sent ?? null,
      values: () => [value],
      writesFormulas: () => formulas === true,
      plan: (change) => void planned.push(change),
      echo: ({ column: name }) => void echoes.push(name),
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
  return { rest, plan, holds: holds.map(({ code }) => code), echoes: echoes.length };
}

describe('planWriteBack', () => {
  test.each(ROWS)('$name', (row) => {
    const { rest, plan, holds = [], echoes = 0 } = row;
    expect(run(row)).toEqual({ rest, plan, holds, echoes });
  });
});
