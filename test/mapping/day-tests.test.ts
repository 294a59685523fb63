import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMapper, type Mapper } from '../../src/mapping/mapper.js';
import type { Cell } from '../../src/model/source.js';
import type { Term } from '../../src/model/term.js';
import { buildConfig, buildRecord, TODAY } from './sample.js';

const DAY_MS = 86_400_000;

function mapperOf(when: string, telephone = 'record.email'): Mapper {
  return createMapper(buildConfig({ users: { leaver: { when } }, fields: { telephone } }), 'users');
}

describe('what goes by the day stands', () => {
  /** `leaver.when`, cells, how long: today is 2025-11-20. */
  const cases: readonly (readonly [string, Readonly<Record<string, Cell>>, Term])[] = [
    ['record.?s.orValue("") == "left"', { s: '2025-11-25' }, 'always'],
    ['record.?s.orValue("9") < string(today)', { s: '2025-10-31' }, 'month'],
    ['record.?s.orValue("9") < string(today)', {}, 'month'],
    ['record.?s.orValue("9") < string(today)', { s: '2025-11-25' }, 'day'],
    ['record.?s.orValue("9") < string(today)', { s: '2025-11-02' }, 'day'],
    ['today >= record.?d.orValue(today)', { d: new Date('2025-01-01T00:00:00Z') }, 'day'],
    ['has(record.d) && record.d <= today - duration("48h")', { d: new Date('2025-01-01T00:00:00Z') }, 'month'],
    ['has(record.d) && record.d <= today - duration("48h")', { d: new Date('2025-11-29T00:00:00Z') }, 'day'],
    ['has(record.d) && record.d <= today', {}, 'always'],
    ['string(today) < "2020" || has(record.d) && record.d <= today', {}, 'month'],
    // Out and in again within the month: the whole is the same at both of its ends, and its tests are not.
    ['string(today) < "2025-11-10" || string(today) > "2025-11-12"', {}, 'day'],
    // Whatever else is done with the day may turn more than once.
    ['record.?s.orValue("") == string(today)', { s: '2020-01-01' }, 'day'],
    ['today.month() > 6', {}, 'day'],
    ['today.day() < 31', {}, 'day'],
    ['string(today) < string(today + duration("24h"))', {}, 'day'],
    ['record.?l.orValue([]).exists(day, day < string(today))', { l: ['2020-01-01'] }, 'day'],
  ];
  it.each(cases)('%s of %o: %s', (when, cells, term) => {
    expect(mapperOf(when).map(buildRecord(cells), {}, TODAY)).toMatchObject({ term });
  });

  it('for the shortest of all that it is made of', () => {
    const when = 'record.?s.orValue("9") < string(today)';
    const mapper = mapperOf(when, 'string(today)');
    expect(mapper.map(buildRecord({ s: '2020-01-01' }), {}, TODAY)).toMatchObject({ term: 'day' });
  });

  it('and is the same on every day of that time, on any side of it', () => {
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
    let lasting = 0;
    fc.assert(
      fc.property(whole, fc.record({ s: text, t: text }, { requiredKeys: [] }), day, (when, cells, today) => {
        const mapper = mapperOf(when);
        const record = buildRecord(cells);
        const found = mapper.map(record, {}, today);
        if (found.kind !== 'desired' || found.term === 'day') return;
        lasting += 1;
        const month = today.toISOString().slice(0, 7);
        for (let date = 1; date <= 31; date += 1) {
          const other = new Date(`${month}-${String(date).padStart(2, '0')}T00:00:00Z`);
          if (other.toISOString().slice(0, 7) !== month) continue;
          expect(mapper.map(record, {}, other)).toMatchObject({ desired: { leaver: found.desired.leaver } });
        }
      }),
      { numRuns: 200 },
    );
    expect(lasting).toBeGreaterThan(20);
  });
});
