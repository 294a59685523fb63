import { describe, expect, it } from 'vitest';
import type { ReadEvidence } from '../../../src/model/source.js';
import {
  type AbsenceRecord,
  type LeaverRule,
  observeAbsence,
  observeLeaver,
  observeOutOfScope,
} from '../../../src/reconcile/leavers/absence.js';
import { evidenceOf } from '../../samples.js';

const HOUR = 3_600_000;
const RULE: LeaverRule = { afterMissingReads: 3, missingIntervalMs: 12 * HOUR, graceMs: 0 };
const NOON = '2026-11-20T12:00:00.000Z';

function hoursLater(hours: number): string {
  return new Date(Date.parse(NOON) + hours * HOUR).toISOString();
}

/** The result for a read without the person, after what was remembered. */
function absent(
  previous: AbsenceRecord | null,
  evidence: ReadEvidence,
  rule: LeaverRule,
  context: string,
  now: string,
) {
  return observeAbsence({ previous, rule, context, now }, evidence);
}

function left(
  previous: AbsenceRecord | null,
  text: string,
  delivery: string,
  rule: LeaverRule,
  context: string,
  now: string,
) {
  return observeLeaver({ previous, rule, context, now }, text, delivery);
}

const once: AbsenceRecord = {
  kind: 'absent',
  observations: 1,
  firstAt: NOON,
  lastAt: NOON,
  lastDelivery: 'd1',
  context: 'c',
};
const twice: AbsenceRecord = { ...once, observations: 2, lastAt: hoursLater(24), lastDelivery: 'd2' };

describe('observeAbsence: the table above it', () => {
  it('counts nothing and finds nobody due for an incomplete read, even after earlier proof', () => {
    const proven = { ...twice, observations: 3 };
    const evidence = evidenceOf({ delivery: 'd9', complete: false, incompleteBecause: 'the file is cut' });
    expect(absent(proven, evidence, RULE, 'c', hoursLater(48))).toEqual({
      next: proven,
      due: false,
      text: 'not proven: the file is cut',
      proven: false,
    });
    expect(absent(null, evidence, RULE, 'c', NOON).next).toBeNull();
  });

  it('starts counting at 1', () => {
    expect(absent(null, evidenceOf({ delivery: 'd1' }), RULE, 'c', NOON)).toEqual({
      next: once,
      due: false,
      text: 'missing from 1 of 3 complete read of hr, the last one employees-1.csv with 100 rows',
    });
  });

  it('starts again under another source or scope', () => {
    const evidence = evidenceOf({ delivery: 'd3' });
    const fresh = { ...once, firstAt: hoursLater(48), lastAt: hoursLater(48), lastDelivery: 'd3', context: 'other' };
    expect(absent(twice, evidence, RULE, 'other', hoursLater(48)).next).toEqual(fresh);
  });

  it('treats a remembered time in the future as now', () => {
    const ahead = { ...twice, firstAt: hoursLater(9000), lastAt: hoursLater(9000) };
    const live = evidenceOf({ kind: 'live', delivery: 'd3' });
    const { next } = absent(ahead, live, RULE, 'c', NOON);
    expect(next).toEqual({ ...ahead, firstAt: NOON, lastAt: NOON });
    expect(absent(next, live, RULE, 'c', hoursLater(12))).toMatchObject({ due: true, next: { observations: 3 } });
    expect(left({ ...ahead, kind: 'left' }, 'hr says so', 'd3', RULE, 'c', NOON)).toMatchObject({
      due: true,
      next: { firstAt: NOON },
    });
  });

  it('keeps a leaver whose row was removed later, due after the grace period', () => {
    const gone = { ...once, kind: 'left' } as const;
    const rule = { ...RULE, afterMissingReads: 0, graceMs: 24 * HOUR };
    const soon = absent(gone, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(23));
    expect([soon.next, soon.due]).toEqual([gone, false]);
    expect(absent(gone, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(24)).due).toBe(true);
    const open = evidenceOf({ delivery: 'd3', complete: false, incompleteBecause: 'cut' });
    expect(absent(gone, open, rule, 'c', hoursLater(24)).due).toBe(false);
  });

  it('does not count the same delivery again, however much later', () => {
    const seen = absent(twice, evidenceOf({ delivery: 'd2' }), RULE, 'c', hoursLater(1_000));
    expect([seen.next, seen.due]).toEqual([twice, false]);
  });

  it.each<[string, Partial<ReadEvidence>]>([
    ['a new delivery', { delivery: 'd3' }],
    ['a live read', { kind: 'live', delivery: 'a new start each time' }],
  ])('counts %s only after `missing_interval`, and makes a leaver at the third', (_, read) => {
    const evidence = evidenceOf(read);
    expect(absent(twice, evidence, RULE, 'c', hoursLater(24 + 11.99)).next).toEqual(twice);
    const later = absent(twice, evidence, RULE, 'c', hoursLater(24 + 12));
    const third = { ...twice, observations: 3, lastAt: hoursLater(36), lastDelivery: evidence.delivery };
    expect([later.next, later.due]).toEqual([third, true]);
  });

  it.each<[string, AbsenceRecord | null, number, string | null, number | null]>([
    ['nothing as the first absence', null, 1, NOON, null],
    ['nothing as the next absence', twice, 25 + 11, hoursLater(25), 2],
    ['the next absence after the interval', twice, 24 + 12, hoursLater(24), 3],
    ['the first absence if the interval has passed', null, 12, NOON, 1],
    ['the first absence if none ever counted', null, 0, null, 1],
  ])('in a signalled run, counts %s', (_, previous, hours, countedAt, observations) => {
    const evidence = evidenceOf({ kind: 'live', delivery: 'd9', signalled: { countedAt } });
    const { next } = absent(previous, evidence, RULE, 'c', hoursLater(hours));
    expect(next?.observations ?? null).toBe(observations);
  });

  it('keeps a person due in a signalled run', () => {
    const evidence = evidenceOf({ delivery: 'd9', signalled: { countedAt: hoursLater(48) } });
    expect(absent({ ...twice, observations: 3 }, evidence, RULE, 'c', hoursLater(49))).toMatchObject({ due: true });
  });

  it('waits for the grace period, from the first read without the person', () => {
    const rule = { ...RULE, graceMs: 48 * HOUR };
    const third = { ...twice, observations: 3 };
    expect(absent(third, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(47.9)).due).toBe(false);
    expect(absent(third, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(48)).due).toBe(true);
  });

  it('finds nobody due with 0 reads, and finds a person due immediately with 1', () => {
    const many = { ...twice, observations: 99 };
    expect(
      absent(many, evidenceOf({ delivery: 'd3' }), { ...RULE, afterMissingReads: 0 }, 'c', hoursLater(48)).due,
    ).toBe(false);
    expect(absent(null, evidenceOf(), { ...RULE, afterMissingReads: 1 }, 'c', NOON).due).toBe(true);
  });
});

describe('observeLeaver', () => {
  it('is due when the grace period since the first report is over', () => {
    const rule = { ...RULE, graceMs: 24 * HOUR };
    const first = left(null, 'hr says so: record.status == "left"', 'd1', rule, 'c', NOON);
    expect(first).toEqual({ next: { ...once, kind: 'left' }, due: false, text: 'hr says so: record.status == "left"' });
    expect(left(first.next, 'hr says so: record.status == "left"', 'd2', rule, 'c', hoursLater(23.9)).due).toBe(false);
    const later = left(first.next, 'hr says so: record.status == "left"', 'd2', rule, 'c', hoursLater(24));
    expect([later.due, later.next]).toEqual([true, first.next]);
  });

  it('does not count the time of an absence as grace', () => {
    const rule = { ...RULE, graceMs: 24 * HOUR };
    expect(left(once, 'hr says so: record.status == "left"', 'd2', rule, 'c', hoursLater(48)).due).toBe(false);
  });
});

describe('observeOutOfScope', () => {
  const rule = { ...RULE, graceMs: 24 * HOUR };
  const out = (previous: AbsenceRecord | null, evidence: ReadEvidence, now: string) =>
    observeOutOfScope({ previous, rule, context: 'c', now }, evidence, 'record.unit == "north"');

  it('is due after one complete read and the grace period from there', () => {
    const first = out(null, evidenceOf({ delivery: 'd1' }), NOON);
    expect(first).toEqual({
      next: { ...once, kind: 'out' },
      due: false,
      text: 'in hr, but not in scope: record.unit == "north"',
    });
    expect(out(first.next, evidenceOf({ delivery: 'd2' }), hoursLater(24))).toMatchObject({
      next: first.next,
      due: true,
    });
    // An absence or a leaving is something else, so the grace period starts again.
    expect(out(once, evidenceOf({ delivery: 'd2' }), hoursLater(48))).toMatchObject({
      next: { kind: 'out', firstAt: hoursLater(48) },
      due: false,
    });
  });

  it('is not due after an incomplete read', () => {
    const known: AbsenceRecord = { ...once, kind: 'out' };
    expect(out(known, evidenceOf({ complete: false }), hoursLater(48))).toEqual({
      next: known,
      due: false,
      text: 'not proven: the read is not complete',
      proven: false,
    });
  });
});

describe('an absence that began with an edit', () => {
  const edited = (previous: AbsenceRecord | null, delivery: string, isEdited: boolean, context = 'c') =>
    observeAbsence(
      {
        previous,
        rule: { ...RULE, afterMissingReads: 2 },
        context,
        now: previous === null ? NOON : hoursLater(12),
        edited: isEdited,
      },
      evidenceOf({ delivery }),
    );

  it('stays one until the row is back, under any context', () => {
    const first = edited(null, 'd1', true);
    expect(first).toMatchObject({ next: { kind: 'edited', observations: 1 }, sinceEdit: true, due: false });
    const second = edited(first.next, 'd2', false);
    expect(second).toMatchObject({ next: { kind: 'edited', observations: 2 }, sinceEdit: true, due: true });
    expect(edited(first.next, 'd2', false, 'other')).toMatchObject({ next: { kind: 'edited', observations: 1 } });
  });

  it('does not include a person who was absent before', () => {
    const found = edited({ ...once, context: 'before' }, 'd2', true);
    expect(found.next).toMatchObject({ kind: 'absent', observations: 1 });
    expect(found.sinceEdit).toBeUndefined();
    expect(edited({ ...once, kind: 'out' }, 'd2', true).next).toMatchObject({ kind: 'edited' });
  });

  it('does not count a delivery that an earlier run used', () => {
    const evidence = evidenceOf({ delivery: 'd2', takenBefore: true });
    expect(observeAbsence({ previous: once, rule: RULE, context: 'c', now: hoursLater(24) }, evidence).next).toEqual(
      once,
    );
  });
});

it('says in how many reads a person is missing, and in which file', () => {
  const rule = { ...RULE, afterMissingReads: 1 };
  const at = (path: string, rows: number) => evidenceOf({ delivery: 'd3', at: path, rows });
  expect(absent(null, at('/drop/hr/a.csv', 1), rule, 'c', NOON).text).toBe(
    'missing from 1 complete read of hr, the last one a.csv with 1 row',
  );
  expect(absent(twice, at('Users', 2), RULE, 'c', hoursLater(36)).text).toBe(
    'missing from 3 of 3 complete reads of hr, the last one Users with 2 rows',
  );
  expect(absent({ ...once, kind: 'left' }, at('a.csv', 1), RULE, 'c', NOON).text).toBe(
    'hr reported the leaver before the row was removed',
  );
});
