import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWallTimeResolver } from '../../src/connectors/cells/zoned-time.js';
import { createMapper, type Mapper } from '../../src/mapping/mapper.js';
import { dayNumber } from '../../src/model/day-number.js';
import type { Cell } from '../../src/model/source.js';
import { IS_THOROUGH } from '../depth.js';
import { buildConfig, buildRecord, TODAY } from './sample.js';

const DAY_MS = 86_400_000;

function mapperOf(when: string, telephone = 'record.email'): Mapper {
  return createMapper(buildConfig({ users: { leaver: { when } }, fields: { telephone } }), 'users');
}

function midnightIn(timezone: string, text: string): Date {
  const [year = 0, month = 0, day = 0] = text.split('-').map(Number);
  const wall = { year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 };
  return new Date(createWallTimeResolver(timezone)(wall));
}

/** The last day on which a result is valid. */
function untilOf(mapper: Mapper, cells: Readonly<Record<string, Cell>>, today = TODAY): string | null {
  const found = mapper.map(buildRecord(cells), {}, today);
  if (found.kind === 'held') throw new Error('held');
  return found.until === null ? null : new Date(found.until * DAY_MS).toISOString().slice(0, 10);
}

describe('a result that depends on the day', () => {
  /** `leaver.when`, cells and the last day; today is 2025-11-20. */
  const cases: readonly (readonly [string, Readonly<Record<string, Cell>>, string | null])[] = [
    ['record.?s.orValue("") == "left"', { s: '2025-11-25' }, null],
    ['record.?s.orValue("9") < string(today)', { s: '2025-10-31' }, null],
    ['record.?s.orValue("9") < string(today)', {}, null],
    ['record.?s.orValue("9") < string(today)', { s: '2025-11-25' }, '2025-11-25'],
    ['record.?s.orValue("9") <= string(today)', { s: '2031-03-01' }, '2031-02-28'],
    ['record.?s.orValue("9") < string(today)', { s: '2025-11-02' }, null],
    ['today >= record.?d.orValue(today)', { d: new Date('2025-01-01T00:00:00Z') }, '2025-11-20'],
    ['has(record.d) && record.d <= today - duration("48h")', { d: new Date('2025-01-01T00:00:00Z') }, null],
    ['has(record.d) && record.d <= today - duration("48h")', { d: new Date('2025-11-29T00:00:00Z') }, '2025-11-30'],
    ['has(record.d) && record.d <= today', {}, null],
    ['string(today) < "2020" || has(record.d) && record.d <= today', {}, null],
    // The result is the same at both ends, but its two tests are not.
    ['string(today) < "2025-11-25" || string(today) > "2025-11-27"', {}, '2025-11-24'],
    // Other uses of the day may change the result more than once.
    ['record.?s.orValue("") == string(today)', { s: '2020-01-01' }, '2025-11-20'],
    ['today.month() > 6', {}, '2025-11-20'],
    ['today.day() < 31', {}, '2025-11-20'],
    ['size(string(today)) < 11', {}, '2025-11-20'],
    ['duration("24h") < duration("48h") && string(today) > "2020"', {}, null],
    ['string(today) < string(today + duration("24h"))', {}, '2025-11-20'],
    ['record.?l.orValue([]).exists(day, day < string(today))', { l: ['2020-01-01'] }, '2025-11-20'],
  ];
  it.each(cases)('for %s of %o, is valid until %s', (when, cells, until) => {
    expect(untilOf(mapperOf(when), cells)).toBe(until);
  });

  const dated: readonly (readonly [string, Parameters<typeof buildConfig>[0], boolean])[] = [
    ['nothing', {}, false],
    ['a leaver by a column', { users: { leaver: { when: 'record.?s.orValue("") == "left"' } } }, false],
    ['a leaver by the day', { users: { leaver: { when: 'record.?s.orValue("9") < string(today)' } } }, true],
    ['a leaver by the month', { users: { leaver: { when: 'today.month() > 6' } } }, true],
    ['a field', { fields: { telephone: 'string(today)' } }, true],
    ['a first day of work', { users: { joiner: { start: 'record.?d' } } }, true],
    ['the preferred row', { hr: { prefer: 'record.?d.orValue(today) <= today' } }, true],
    ['the preferred row, by a column', { hr: { prefer: 'record.?n' } }, false],
  ];
  it.each(dated)('is recognised as dated or not: %s', (_, input, isDated) => {
    expect(createMapper(buildConfig(input), 'users').isDated).toBe(isDated);
  });

  it('is valid as long as the shortest of its parts', () => {
    const when = 'record.?s.orValue("9") < string(today)';
    expect(untilOf(mapperOf(when, 'string(today)'), { s: '2026-01-01' })).toBe('2025-11-20');
  });

  it('for a person who starts later, is valid until shortly before the start', () => {
    const mapper = createMapper(buildConfig({ users: { joiner: { start: 'record.?d', lead: '48h' } } }), 'users');
    expect(untilOf(mapper, { d: new Date('2026-02-10T00:00:00Z') })).toBe('2026-02-07');
    expect(untilOf(mapper, { d: new Date('2025-11-22T00:00:00Z') })).toBeNull();
    expect(untilOf(mapper, {})).toBeNull();
  });

  it('ends at a midnight of the configured zone', () => {
    for (const timezone of ['Europe/Oslo', 'America/New_York', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'UTC']) {
      const settings = { users: { leaver: { when: 'record.?s.orValue("9") < string(today)' } }, timezone };
      const mapper = createMapper(buildConfig(settings), 'users');
      const record = buildRecord({ s: '2026-04-10' });
      const found = mapper.map(record, {}, midnightIn(timezone, '2025-11-20'));
      if (found.kind !== 'desired' || found.until === null) throw new Error('does not turn');
      expect(dayNumber(midnightIn(timezone, '2026-04-10')), timezone).toBe(found.until);
      expect(mapper.map(record, {}, midnightIn(timezone, '2026-04-11')), timezone).toMatchObject({
        desired: { leaver: true },
      });
    }
  });

  it('is the same on every day until then', () => {
    const day = fc.integer({ min: -70, max: 70 }).map((days) => new Date(TODAY.getTime() + days * DAY_MS));
    const atom = fc
      .tuple(
        fc.constantFrom('<', '<=', '>', '>='),
        fc.boolean(),
        fc.constantFrom('string(today)', 'string(today - duration("720h"))', 'string(today + duration("36h"))'),
        fc.constantFrom('record.?s.orValue("2025-11-15")', 'record.?t.orValue("")', '"2025-12-01"'),
      )
      .map(([order, isTurned, today, other]) =>
        isTurned ? `${other} ${order} ${today}` : `${today} ${order} ${other}`,
      );
    const whole = fc
      .array(fc.tuple(fc.constantFrom('&&', '||'), fc.constantFrom('', '!'), atom), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.map(([join, not, test], at) => `${at === 0 ? '' : ` ${join} `}${not}(${test})`).join(''));
    const text = day.map((at) => at.toISOString().slice(0, 10));
    let [lasting, turning] = [0, 0];
    fc.assert(
      fc.property(whole, fc.record({ s: text, t: text }, { requiredKeys: [] }), day, (when, cells, today) => {
        const mapper = mapperOf(when);
        const record = buildRecord(cells);
        const found = mapper.map(record, {}, today);
        if (found.kind !== 'desired') return;
        if (found.until === null) lasting += 1;
        else turning += 1;
        const last = found.until ?? dayNumber(today) + 200;
        for (const number of [
          ...Array.from({ length: IS_THOROUGH ? 20 : 5 }, (_, at) => last - at),
          dayNumber(today) + 20,
        ]) {
          if (number < dayNumber(today) || number > last) continue;
          const other = mapper.map(record, {}, new Date(number * DAY_MS));
          expect(other).toMatchObject({ desired: { leaver: found.desired.leaver }, until: found.until });
        }
      }),
      { numRuns: IS_THOROUGH ? 600 : 50 },
    );
    expect(lasting).toBeGreaterThan(IS_THOROUGH ? 20 : 5);
    expect(turning).toBeGreaterThan(IS_THOROUGH ? 20 : 5);
  });
});
