import { describe, expect, it } from 'vitest';
import { findQuiet, parseQuietRange, type QuietRange } from '../../src/model/quiet-hours.js';

const OSLO = 'Europe/Oslo';

function ranges(...texts: readonly string[]): readonly QuietRange[] {
  return texts.map((text) => {
    const range = parseQuietRange(text);
    if (range === null) throw new Error(`${text} is no range`);
    return range;
  });
}

/** The end of the quiet time in UTC; `no` if it is not quiet. */
function quiet(at: string, timezone: string, ...texts: readonly string[]): string {
  const found = findQuiet(ranges(...texts), timezone, Date.parse(at));
  if (found === null) return 'no';
  return found.untilMs === null ? 'for ever' : new Date(found.untilMs).toISOString().slice(0, 16);
}

describe('parseQuietRange', () => {
  it.each(['22:00-06:00', '00:00-24:00', 'Sat 08:00-12:00', 'sat-sun 00:00-24:00', 'Fri-Mon  18:30-06:15'])(
    'accepts %s',
    (text) => {
      expect(parseQuietRange(text)).not.toBeNull();
    },
  );
  it.each([
    '',
    '22-06',
    '22:00',
    '24:00-06:00',
    '22:60-23:00',
    '22:00-24:01',
    '10:00-10:00',
    'Foo 10:00-11:00',
    '25:00-26:00',
    'Mon-Xyz 01:00-02:00',
  ])('rejects %s', (text) => {
    expect(parseQuietRange(text)).toBeNull();
  });
  it('accepts a span of days across the end of the week', () => {
    expect([...(ranges('Fri-Mon 01:00-02:00')[0]?.days ?? [])].sort()).toEqual([0, 1, 5, 6]);
  });
});

describe('findQuiet', () => {
  const rows: readonly (readonly [what: string, at: string, zone: string, text: string, expected: string])[] = [
    ['before it', '2026-11-20T20:59:00Z', OSLO, '22:00-06:00', 'no'],
    ['at its first minute', '2026-11-20T21:00:00Z', OSLO, '22:00-06:00', '2026-11-21T05:00'],
    ['after midnight', '2026-11-21T04:59:59Z', OSLO, '22:00-06:00', '2026-11-21T05:00'],
    ['at its end', '2026-11-21T05:00:00Z', OSLO, '22:00-06:00', 'no'],
    ['at the same moment in another zone', '2026-11-20T21:00:00Z', 'America/New_York', '22:00-06:00', 'no'],
    ['in a zone that is half an hour off', '2026-11-20T16:30:00Z', 'Asia/Kolkata', '22:00-06:00', '2026-11-21T00:30'],
    ['on its day', '2026-11-20T12:00:00Z', 'UTC', 'Fri 10:00-14:00', '2026-11-20T14:00'],
    ['on another day', '2026-11-19T12:00:00Z', 'UTC', 'Fri 10:00-14:00', 'no'],
    ['on the morning after its day', '2026-11-21T05:00:00Z', 'UTC', 'Fri 22:00-06:00', '2026-11-21T06:00'],
    ['on the morning of its own day', '2026-11-20T05:00:00Z', 'UTC', 'Fri 22:00-06:00', 'no'],
    ['on a weekend', '2026-11-21T10:00:00Z', 'UTC', 'Sat-Sun 00:00-24:00', '2026-11-23T00:00'],
    ['in a week that is always quiet', '2026-11-21T10:00:00Z', 'UTC', '00:00-24:00', 'for ever'],
    // Clocks go from 02:00 to 03:00 on 29 March 2026: the night is an hour shorter.
    ['in a night that is an hour shorter', '2026-03-29T00:30:00Z', OSLO, '22:00-06:00', '2026-03-29T04:00'],
    ['after a gap that contains its start', '2026-03-29T01:00:00Z', OSLO, '02:30-04:00', '2026-03-29T02:00'],
    ['before that gap', '2026-03-29T00:59:00Z', OSLO, '02:30-04:00', 'no'],
    // Clocks go from 03:00 back to 02:00 on 25 October 2026: the hour from two to three occurs twice.
    ['in autumn, the first time', '2026-10-25T00:30:00Z', OSLO, '02:00-03:00', '2026-10-25T02:00'],
    ['in autumn, the second time', '2026-10-25T01:30:00Z', OSLO, '02:00-03:00', '2026-10-25T02:00'],
    ['in a night that is an hour longer', '2026-10-24T22:00:00Z', OSLO, '22:00-06:00', '2026-10-25T05:00'],
  ];
  for (const [what, at, zone, text, expected] of rows) {
    it(`${what}: ${text} at ${at} in ${zone}`, () => {
      expect(quiet(at, zone, text)).toBe(expected);
    });
  }

  it('merges ranges that meet, and names the first that fits', () => {
    const found = findQuiet(ranges('22:00-24:00', '00:00-05:00'), 'UTC', Date.parse('2026-11-20T23:00:00Z'));
    expect(found).toEqual({ text: '22:00-24:00', untilMs: Date.parse('2026-11-21T05:00:00Z') });
  });

  it('finds no quiet time without ranges', () => {
    expect(findQuiet([], 'UTC', 0)).toBeNull();
  });
});
