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

/** What a read without somebody says, after what was remembered. */
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
  it('a read that is not complete: nothing is counted, nobody is due, even who was due already', () => {
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

  it('the first one starts at 1', () => {
    expect(absent(null, evidenceOf({ delivery: 'd1' }), RULE, 'c', NOON)).toEqual({
      next: once,
      due: false,
      text: 'missing from 1 of 3 complete read of hr, the last one employees-1.csv with 100 rows',
    });
  });

  it('under another source or scope it starts again', () => {
    const evidence = evidenceOf({ delivery: 'd3' });
    const fresh = { ...once, firstAt: hoursLater(48), lastAt: hoursLater(48), lastDelivery: 'd3', context: 'other' };
    expect(absent(twice, evidence, RULE, 'other', hoursLater(48)).next).toEqual(fresh);
  });

  it('what is remembered of a time to come began now', () => {
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

  it('whom the source had called a leaver before the row went stays one, due once the grace has passed', () => {
    const gone = { ...once, kind: 'left' } as const;
    const rule = { ...RULE, afterMissingReads: 0, graceMs: 24 * HOUR };
    const soon = absent(gone, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(23));
    expect([soon.next, soon.due]).toEqual([gone, false]);
    expect(absent(gone, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(24)).due).toBe(true);
    const open = evidenceOf({ delivery: 'd3', complete: false, incompleteBecause: 'cut' });
    expect(absent(gone, open, rule, 'c', hoursLater(24)).due).toBe(false);
  });

  it('the delivery counted last is not counted again, however much later', () => {
    const seen = absent(twice, evidenceOf({ delivery: 'd2' }), RULE, 'c', hoursLater(1_000));
    expect([seen.next, seen.due]).toEqual([twice, false]);
  });

  it.each<[string, Partial<ReadEvidence>]>([
    ['a new delivery', { delivery: 'd3' }],
    ['a live read', { kind: 'live', delivery: 'a new start each time' }],
  ])('counts %s from `missing_interval` on, not sooner; the third one makes a leaver', (_, read) => {
    const evidence = evidenceOf(read);
    expect(absent(twice, evidence, RULE, 'c', hoursLater(24 + 11.99)).next).toEqual(twice);
    const later = absent(twice, evidence, RULE, 'c', hoursLater(24 + 12));
    const third = { ...twice, observations: 3, lastAt: hoursLater(36), lastDelivery: evidence.delivery };
    expect([later.next, later.due]).toEqual([third, true]);
  });

  it.each<[string, AbsenceRecord | null, number, string | null, number | null]>([
    ['not as the first one', null, 1, NOON, null],
    ['not as the next one', twice, 25 + 11, hoursLater(25), 2],
    ['from the interval on', twice, 24 + 12, hoursLater(24), 3],
    ['as the first one, if the interval has passed', null, 12, NOON, 1],
    ['as the first one, if none ever counted', null, 0, null, 1],
  ])('in a run that a signal started, counts %s', (_, previous, hours, countedAt, observations) => {
    const evidence = evidenceOf({ kind: 'live', delivery: 'd9', signalled: { countedAt } });
    const { next } = absent(previous, evidence, RULE, 'c', hoursLater(hours));
    expect(next?.observations ?? null).toBe(observations);
  });

  it('a person who was due already leaves in a run that a signal started, too', () => {
    const evidence = evidenceOf({ delivery: 'd9', signalled: { countedAt: hoursLater(48) } });
    expect(absent({ ...twice, observations: 3 }, evidence, RULE, 'c', hoursLater(49))).toMatchObject({ due: true });
  });

  it('waits out the grace, from the first read without the person', () => {
    const rule = { ...RULE, graceMs: 48 * HOUR };
    const third = { ...twice, observations: 3 };
    expect(absent(third, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(47.9)).due).toBe(false);
    expect(absent(third, evidenceOf({ delivery: 'd3' }), rule, 'c', hoursLater(48)).due).toBe(true);
  });

  it('with 0 reads nobody is ever due; with 1, at once', () => {
    const many = { ...twice, observations: 99 };
    expect(
      absent(many, evidenceOf({ delivery: 'd3' }), { ...RULE, afterMissingReads: 0 }, 'c', hoursLater(48)).due,
    ).toBe(false);
    expect(absent(null, evidenceOf(), { ...RULE, afterMissingReads: 1 }, 'c', NOON).due).toBe(true);
  });
});

describe('observeLeaver', () => {
  it('is due once the grace has passed since it was first said', () => {
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

  it('one complete read proves it, and the grace counts from there', () => {
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
    // An absence, or a leaving, is another matter: the grace begins again.
    expect(out(once, evidenceOf({ delivery: 'd2' }), hoursLater(48))).toMatchObject({
      next: { kind: 'out', firstAt: hoursLater(48) },
      due: false,
    });
  });

  it('a read that is not complete proves nothing', () => {
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

  it('stays one until the row is back, under whatever context', () => {
    const first = edited(null, 'd1', true);
    expect(first).toMatchObject({ next: { kind: 'edited', observations: 1 }, sinceEdit: true, due: false });
    const second = edited(first.next, 'd2', false);
    expect(second).toMatchObject({ next: { kind: 'edited', observations: 2 }, sinceEdit: true, due: true });
    expect(edited(first.next, 'd2', false, 'other')).toMatchObject({ next: { kind: 'edited', observations: 1 } });
  });

  it('who was absent before is absent: the edit did not lose the row', () => {
    const found = edited({ ...once, context: 'before' }, 'd2', true);
    expect(found.next).toMatchObject({ kind: 'absent', observations: 1 });
    expect(found.sinceEdit).toBeUndefined();
    expect(edited({ ...once, kind: 'out' }, 'd2', true).next).toMatchObject({ kind: 'edited' });
  });

  it('a delivery that an earlier run used is not counted again', () => {
    const evidence = evidenceOf({ delivery: 'd2', takenBefore: true });
    expect(observeAbsence({ previous: once, rule: RULE, context: 'c', now: hoursLater(24) }, evidence).next).toEqual(
      once,
    );
  });
});

it('says in how many reads somebody is missing, and in which file', () => {
  const rule = { ...RULE, afterMissingReads: 1 };
  const at = (path: string, rows: number) => evidenceOf({ delivery: 'd3', at: path, rows });
  expect(absent(null, at('/drop/hr/a.csv', 1), rule, 'c', NOON).text).toBe(
    'missing from 1 complete read of hr, the last one a.csv with 1 row',
  );
  expect(absent(twice, at('Users', 2), RULE, 'c', hoursLater(36)).text).toBe(
    'missing from 3 of 3 complete reads of hr, the last one Users with 2 rows',
  );
  expect(absent({ ...once, kind: 'left' }, at('a.csv', 1), RULE, 'c', NOON).text).toBe(
    'hr said so before the row was taken out',
  );
});
