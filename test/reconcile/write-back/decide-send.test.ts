import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import type { SentValue } from '../../../src/model/write-back.js';
import { isNearCell, isSameCell } from '../../../src/reconcile/fields/same-cell.js';
import { decideSend, explain, explainFormula, findFormula } from '../../../src/reconcile/write-back/decide-send.js';
import { combine, readTable, speaksOf } from '../table.js';

const ROWS = readTable('reconcile/write-back/decide-send.ts', 'export function decideSend');
const TOLD = '+47 22 33';
const SHOWS: Readonly<Record<string, Json>> = { 'the value': TOLD, nearly: '+472233', another: '99', unread: null };

/** A value that was never sent has no status, and an unread column always shows the same. */
const INPUTS = combine({
  'sent before': ['nothing', 'another value', 'this value'],
  status: ['sending', 'sent', 'refused', 'lost', 'again'],
  shows: ['the value', 'nearly', 'another', 'unread'],
  'as then': ['yes', 'no'],
  lapsed: ['yes', 'no'],
  times: ['few', 'three'],
}).filter((input) => input.shows !== 'unread' || input['as then'] === 'yes');

function decide(input: (typeof INPUTS)[number]): string {
  const shown = SHOWS[input.shows] ?? null;
  const sent: SentValue = {
    value: input['sent before'] === 'this value' ? TOLD : '55',
    shown: input['as then'] === 'yes' ? shown : '12',
    serviceHash: null,
    status: input.status as SentValue['status'],
    at: input.lapsed === 'yes' ? '2026-01-01T00:00:00.000Z' : '2026-01-09T12:00:00.000Z',
    times: input.times === 'few' ? 2 : 3,
    message: null,
  };
  const column = { source: 'hr', column: 'phone', isRead: input.shows !== 'unread' };
  const ports = { lapseMs: () => 86_400_000, now: '2026-01-10T00:00:00.000Z' };
  return decideSend({ column, shown, sent: input['sent before'] === 'nothing' ? null : sent }, TOLD, ports);
}

test('covers every combination with exactly one row', () => {
  const other = INPUTS.flatMap((input) => {
    const rows = ROWS.filter((row) => speaksOf(row, input)).map((row) => row.get('#'));
    return rows.length === 1 ? [] : [{ ...input, rows }];
  });
  expect(other).toEqual([]);
});

describe('each row of the table above decideSend', () => {
  test.each(ROWS.map((row) => [row.get('#'), row] as const))('decides row %s as written', (_, row) => {
    const inputs = INPUTS.filter((input) => speaksOf(row, input));
    expect(inputs.length).toBeGreaterThan(0);
    expect(inputs.filter((input) => decide(input) !== row.get('→'))).toEqual([]);
  });
});

test('recognises the sent value as a list in another order, or as a number in text form', () => {
  const sent = {
    value: ['a', 'b'],
    shown: null,
    serviceHash: null,
    status: 'sent',
    at: '',
    times: 1,
    message: null,
  } as const;
  const ports = { lapseMs: () => 1, now: '2026-01-10T00:00:00.000Z' };
  expect(
    decideSend({ column: { source: 'hr', column: 'phone', isRead: false }, shown: null, sent }, ['b', 'a'], ports),
  ).toBe('settled');
});

const LONG = '12345678901234567890';

describe('the value that a source shows after it was sent one', () => {
  test.each<[Json, Json]>([
    [42, '42'],
    ['42.0', 42],
    [true, 'true'],
    [' x ', 'x'],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    [['a'], 'a'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T01:00:00+01:00', '2026-01-31T00:00:00Z'],
    ['e\u0301', '\u00e9'],
    [null, ''],
    [[], null],
    [
      { en: 'a', no: 'b' },
      { no: 'b', en: 'a' },
    ],
  ])('%j counts as %j', (shown, told) => {
    expect(isSameCell(shown, told)).toBe(true);
  });

  test.each<[Json, Json]>([
    ['007', '7'],
    ['+47', '47'],
    [LONG, '12345678901234567891'],
    [['a'], ['a', 'b']],
    ['', '0'],
    [false, null],
    ['a', 'A'],
    [{ en: 'a' }, { en: 'b' }],
  ])('%j does not count as %j', (shown, told) => {
    expect(isSameCell(shown, told)).toBe(false);
  });

  test.each<[Json, Json, boolean]>([
    ['+472233', '+47 22 33', true],
    ['0047 22 33', '+47 22 33', true],
    ['+472233', '00 47 (22) 33', true],
    ['0022 33', '22 33', false],
    ['00a', '+a', false],
    ['Senior', 'SENIOR', true],
    ['Ａ', 'a', true],
    ['+47223344', '+47 22 33', false],
    ['', '', false],
    ['-', '.', false],
    [null, 'x', false],
    [LONG, '12345678901234567891', false],
    [{ en: 'a' }, { en: 'b' }, false],
  ])('%j nearly counts as %j: %j', (shown, told, near) => {
    expect(isNearCell(shown, told)).toBe(near);
  });
});

describe('the reason for a held value', () => {
  const column = { source: 'hr', column: 'phone', isRead: true, leaf: null, whenEmpty: 'keep', value: null } as const;
  const sent: SentValue = {
    ...{ value: 'a', shown: 'b', serviceHash: null, status: 'refused' },
    ...{ at: '2026-01-09T12:00:00.000Z', times: 3, message: 'the number is too long' },
  };

  test('quotes the source for a rejected value', () => {
    const told = (one: SentValue | null) => explain({ column, shown: 'b', sent: one }, 'a', 'refused');
    expect(told(sent)).toMatchObject({
      code: 'SYNC_WRITE_BACK_REFUSED',
      reason: 'phone was rejected: the number is too long',
      remedy: expect.stringContaining('sent again when one of the sides changes'),
    });
    expect(told({ ...sent, message: null }).reason).toBe('phone was rejected: no reason given');
    expect(told(null).reason).toBe('phone was rejected: no reason given');
  });

  test('shows both values for a frozen one', () => {
    expect(explain({ column, shown: 'b', sent }, 'a', 'frozen')).toMatchObject({
      code: 'SYNC_WRITE_BACK_FROZEN',
      reason: 'phone does not stay: "a" was sent 3 times, but the source shows "b".',
      remedy: expect.stringContaining('not sent again until one of the two changes'),
    });
  });

  test.each([
    ['hr', 'sources.hr.write_back'],
    ['crm.deals', 'sources.crm.streams.deals.write_back'],
  ])('names for %s the setting that releases a formula', (source, at) => {
    const { reason, remedy } = explainFormula({ ...column, source }, { no: 'x', en: `=${'1'.repeat(80)}` });
    expect(reason).toBe(
      `phone of ${source} is not written: a spreadsheet would run "=${'1'.repeat(58)}… as a formula.`,
    );
    expect(remedy).toContain(`\`formulas: write\` under \`${at}\``);
    expect(explainFormula({ ...column, source }, '=A1').reason).toContain('would run "=A1" as a formula');
  });

  test.each<[Json, string | null]>([
    ['=A1', '=A1'],
    ['A1', null],
    [['a', '=B2', '=C3'], '=B2'],
    [{ no: 'a', en: { x: '=D4' } }, '=D4'],
    [null, null],
    [7, null],
    [[], null],
  ])('finds the formula in %j: %j', (value, formula) => {
    expect(findFormula(value)).toBe(formula);
  });
});
