import { Cron } from 'croner';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Anchor, findDue, MOST_COUNTED, type Schedule } from '../../../src/config/schedule/due.js';
import { sweep, tries } from '../../depth.js';

const OSLO = 'Europe/Oslo';
const QUARTERS: Schedule = { every: '*/15 * * * *', timezone: OSLO };
const NIGHTLY: Schedule = { every: '30 2 * * *', timezone: OSLO };

function ms(iso: string): number {
  return Date.parse(iso);
}

function anchor(schedule: Schedule, iso: string): Anchor {
  return { ...schedule, atMs: ms(iso) };
}

/** Every slot that gets a run, walking in UTC minute by minute like the daemon, or in longer steps over days. */
function walk(schedule: Schedule, fromIso: string, toIso: string, minutes = 1): readonly string[] {
  const slots: string[] = [];
  let known: Anchor | null = null;
  for (let nowMs = ms(fromIso); nowMs <= ms(toIso); nowMs += minutes * 60_000) {
    const due = findDue(schedule, known, nowMs);
    known = due.anchor;
    if (due.slotMs !== null) slots.push(new Date(due.slotMs).toISOString().slice(0, 16));
  }
  return slots;
}

describe('an ordinary day', () => {
  it('has no overdue slot for a schedule seen for the first time', () => {
    const due = findDue(QUARTERS, null, ms('2026-06-01T10:07:30Z'));
    expect(due).toEqual({
      slotMs: null,
      missed: 0,
      nextMs: ms('2026-06-01T10:15:00Z'),
      anchor: anchor(QUARTERS, '2026-06-01T10:07:30Z'),
    });
  });

  it('is due exactly at the slot, not a millisecond before, and once', () => {
    const known = anchor(QUARTERS, '2026-06-01T10:07:30Z');
    expect(findDue(QUARTERS, known, ms('2026-06-01T10:14:59.999Z')).slotMs).toBeNull();
    const due = findDue(QUARTERS, known, ms('2026-06-01T10:15:00.000Z'));
    expect(due).toMatchObject({ slotMs: ms('2026-06-01T10:15:00Z'), missed: 0, nextMs: ms('2026-06-01T10:30:00Z') });
    expect(findDue(QUARTERS, due.anchor, ms('2026-06-01T10:15:00.000Z')).slotMs).toBeNull();
    expect(findDue(QUARTERS, due.anchor, ms('2026-06-01T10:29:59.000Z')).slotMs).toBeNull();
  });

  it('counts an edited expression or zone from now', () => {
    const known = anchor(NIGHTLY, '2026-06-01T00:30:00Z');
    expect(findDue(QUARTERS, known, ms('2026-06-01T10:07:00Z')).slotMs).toBeNull();
    const moved = { ...NIGHTLY, timezone: 'America/New_York' };
    expect(findDue(moved, known, ms('2026-06-01T10:07:00Z'))).toMatchObject({ slotMs: null, missed: 0 });
  });

  it('uses the zone: 02:30 in Tokyo and in Oslo are seven hours apart in summer', () => {
    const tokyo = { ...NIGHTLY, timezone: 'Asia/Tokyo' };
    expect(walk(tokyo, '2026-06-01T00:00:00Z', '2026-06-02T12:00:00Z')).toEqual(['2026-06-01T17:30']);
    expect(walk(NIGHTLY, '2026-06-01T00:00:00Z', '2026-06-02T12:00:00Z')).toEqual([
      '2026-06-01T00:30',
      '2026-06-02T00:30',
    ]);
  });
});

describe('the night when summer time ends (25 October 2026: 03:00 becomes 02:00 at 01:00 UTC)', () => {
  it('continues with quarter hours through the repeated hour', () => {
    const slots = walk(QUARTERS, '2026-10-24T23:50:00Z', '2026-10-25T02:10:00Z');
    expect(slots).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:15',
      '2026-10-25T00:30',
      '2026-10-25T00:45',
      '2026-10-25T01:00',
      '2026-10-25T01:15',
      '2026-10-25T01:30',
      '2026-10-25T01:45',
      '2026-10-25T02:00',
    ]);
  });

  it('runs once at 02:30, which occurs twice', () => {
    expect(walk(NIGHTLY, '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', 10)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });
});

describe('the night when summer time begins (29 March 2026: 02:00 becomes 03:00 at 01:00 UTC)', () => {
  it('keeps all quarter hours and repeats none', () => {
    const slots = walk(QUARTERS, '2026-03-29T00:20:00Z', '2026-03-29T01:50:00Z');
    expect(slots).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T00:45',
      '2026-03-29T01:00',
      '2026-03-29T01:15',
      '2026-03-29T01:30',
      '2026-03-29T01:45',
    ]);
  });

  it('runs at the end of the gap for 02:30, which does not occur', () => {
    expect(walk(NIGHTLY, '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', 10)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
  });
});

describe('lost time', () => {
  it('gets one run for all slots after a long sleep, with their number', () => {
    const due = findDue(QUARTERS, anchor(QUARTERS, '2026-06-01T10:00:00Z'), ms('2026-06-01T13:07:00Z'));
    expect(due).toMatchObject({ slotMs: ms('2026-06-01T13:00:00Z'), missed: 11, nextMs: ms('2026-06-01T13:15:00Z') });
  });

  sweep('is counted up to a limit after a sleep of a year', () => {
    const minutely = { every: '* * * * *', timezone: OSLO };
    const due = findDue(minutely, anchor(minutely, '2025-06-01T10:00:00Z'), ms('2026-06-01T10:00:30Z'));
    expect(due).toMatchObject({ slotMs: ms('2026-06-01T10:00:00Z'), missed: MOST_COUNTED });
  });

  it('is counted right over the night when summer time ends', () => {
    const due = findDue(QUARTERS, anchor(QUARTERS, '2026-10-24T23:45:00Z'), ms('2026-10-25T02:05:00Z'));
    expect(due).toMatchObject({ slotMs: ms('2026-10-25T02:00:00Z'), missed: 8 });
  });
});

describe('a clock set back', () => {
  it('does not repeat a slot when set back by seconds', () => {
    const known = anchor(QUARTERS, '2026-06-01T10:15:00Z');
    const due = findDue(QUARTERS, known, ms('2026-06-01T10:14:50Z'));
    expect(due).toEqual({ slotMs: null, missed: 0, nextMs: ms('2026-06-01T10:30:00Z'), anchor: known });
    expect(findDue(QUARTERS, due.anchor, ms('2026-06-01T10:15:05Z')).slotMs).toBeNull();
    expect(findDue(QUARTERS, due.anchor, ms('2026-06-01T10:30:00Z')).slotMs).toBe(ms('2026-06-01T10:30:00Z'));
  });

  it('keeps a nightly slot to one run when set back by an hour', () => {
    const known = anchor(NIGHTLY, '2026-06-01T00:30:00Z');
    expect(findDue(NIGHTLY, known, ms('2026-05-31T23:31:00Z')).anchor).toEqual(known);
    expect(findDue(NIGHTLY, known, ms('2026-06-01T00:31:00Z')).slotMs).toBeNull();
  });

  it('continues from the new time when set back by hours, over many slots', () => {
    const known = anchor(QUARTERS, '2026-06-01T15:00:00Z');
    const due = findDue(QUARTERS, known, ms('2026-06-01T10:07:00Z'));
    expect(due).toMatchObject({ slotMs: null, anchor: anchor(QUARTERS, '2026-06-01T10:07:00Z') });
    expect(findDue(QUARTERS, due.anchor, ms('2026-06-01T10:15:00Z')).slotMs).toBe(ms('2026-06-01T10:15:00Z'));
  });

  it('continues from the new time when set back from a year ahead', () => {
    const due = findDue(NIGHTLY, anchor(NIGHTLY, '2030-01-01T01:30:00Z'), ms('2026-06-01T10:00:00Z'));
    expect(due.nextMs).toBe(ms('2026-06-02T00:30:00Z'));
    expect(findDue(NIGHTLY, due.anchor, ms('2026-06-02T00:30:00Z')).slotMs).toBe(ms('2026-06-02T00:30:00Z'));
  });
});

describe('looking at any times', () => {
  const schedule = fc.record({
    every: fc.constantFrom('*/15 * * * *', '7 * * * *', '30 2 * * *', '0 3 * * 1'),
    timezone: fc.constantFrom('UTC', OSLO, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'),
  });
  // Around both clock changes in most zones.
  const start = fc.constantFrom(
    '2026-03-07T00:00:00Z',
    '2026-03-28T00:00:00Z',
    '2026-10-03T00:00:00Z',
    '2026-10-24T00:00:00Z',
  );
  const steps = fc.array(fc.integer({ min: 1, max: 40 * 3_600_000 }), { minLength: 1, maxLength: 12 });

  it('runs or counts as missed every slot once, in order', () => {
    fc.assert(
      fc.property(schedule, start, steps, (one, from, pauses) => {
        let nowMs = ms(from);
        let known = findDue(one, null, nowMs).anchor;
        let handled = 0;
        let last = nowMs;
        for (const pause of pauses) {
          nowMs += pause;
          const due = findDue(one, known, nowMs);
          if (due.slotMs !== null) {
            expect(due.slotMs).toBeGreaterThan(last);
            expect(due.slotMs).toBeLessThanOrEqual(nowMs);
            last = due.slotMs;
            handled += 1 + due.missed;
          }
          expect(due.nextMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(nowMs);
          known = due.anchor;
        }
        expect(handled).toBe(countSlots(one, ms(from), nowMs));
      }),
      { numRuns: tries(60) },
    );
  });
});

/** Counts the slots one by one, as croner names them. */
function countSlots({ every, timezone }: Schedule, fromMs: number, toMs: number): number {
  const cron = new Cron(every, { timezone, paused: true });
  let count = 0;
  for (let at = cron.nextRun(new Date(fromMs)); at !== null && at.getTime() <= toMs; at = cron.nextRun(at)) count += 1;
  return count;
}
