import { plural } from '../../model/plural.js';
import type { ReadEvidence } from '../../model/source.js';

/** What is remembered of somebody who is missing, or said to have left. Times are ISO 8601. */
export interface AbsenceRecord {
  /** `edited`: absent since the very read in which the configuration of the source was edited · `out`: in the source, out of scope. */
  readonly kind: 'absent' | 'left' | 'edited' | 'out';
  readonly observations: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lastDelivery: string;
  readonly context: string;
}

export interface LeaverRule {
  /** 0: absence never makes a leaver. */
  readonly afterMissingReads: number;
  readonly missingIntervalMs: number;
  readonly graceMs: number;
}

export interface AbsenceObservation {
  readonly next: AbsenceRecord | null;
  readonly due: boolean;
  readonly text: string;
  /** The absence began with an edit of the configuration, so a person has to say that it is one. */
  readonly sinceEdit?: true;
  /** This read proves nothing, whatever is remembered. */
  readonly proven?: false;
}

/** Somebody who is looked for in a read, with what is remembered and by which rule it counts. */
export interface Watched {
  readonly previous: AbsenceRecord | null;
  readonly rule: LeaverRule;
  /** Under which source, key, filter, scope and join. */
  readonly context: string;
  /** ISO 8601. */
  readonly now: string;
  /** The context is another than that of the last complete read. */
  readonly edited?: boolean;
}

/**
 * Counts one more complete read without a person. Reads that follow each other sooner than `missing_interval` are one
 * proof, whatever they say: three wrong uploads in one afternoon are one mistake.
 *
 * | this read                                                   | →                                  |
 * |-------------------------------------------------------------|------------------------------------|
 * | not complete                                                | nothing is counted, nobody is due  |
 * | first one, or under another source or scope                 | the count starts at 1              |
 * | somebody whom the source had called a leaver                | stays one, due once the grace has passed |
 * | a delivery that was counted before, or used by an earlier run | not counted again                |
 * | sooner than `missing_interval` after the last that counted  | not counted                        |
 * | of a run that a signal started, within `missing_interval` after any read that counted | not counted, not even as the first |
 * | `missing_interval` later, or more: live, or a new delivery  | + 1                                |
 *
 * Somebody who was there in the last read and is missing in the first one under another source, key, filter, scope or join
 * has most likely not left: the edit lost the row. The count goes on as usual, but what comes of it waits for a person
 * (`sinceEdit`) until the row is back.
 */
export function observeAbsence(asked: Watched, evidence: ReadEvidence): AbsenceObservation {
  const watched = untilNow(asked);
  const { previous, rule } = watched;
  if (!evidence.complete) return unproven(watched, evidence);
  if (previous?.kind === 'left') {
    // The source said so before the row went: silence takes nothing of it back.
    return {
      next: previous,
      due: hasRested(previous, watched),
      text: `${evidence.source} said so before the row was taken out`,
    };
  }
  if (isTooSoon(watched, evidence)) return leaveUncounted(watched, evidence);
  const next = count(watched, evidence);
  const proven = rule.afterMissingReads > 0 && next.observations >= rule.afterMissingReads;
  // Who waits for the time to pass is missed more often than is needed.
  const isOf = next.observations <= rule.afterMissingReads && rule.afterMissingReads > 1;
  const of = isOf ? ` of ${rule.afterMissingReads}` : '';
  const file = evidence.at.replace(/^.*\//, '');
  const text = `missing from ${next.observations}${of} complete ${next.observations === 1 ? 'read' : 'reads'} of ${evidence.source}, the last one ${file} with ${plural(evidence.rows, 'row')}`;
  return {
    next,
    due: proven && hasRested(next, watched),
    text,
    ...(next.kind === 'edited' ? { sinceEdit: true } : {}),
  };
}

function isTooSoon({ rule, now }: Watched, { signalled }: ReadEvidence): boolean {
  const countedAt = signalled?.countedAt ?? null;
  return countedAt !== null && Date.parse(now) - Date.parse(countedAt) < rule.missingIntervalMs;
}

/** Nobody starts to be missing in such a read, and nobody comes closer to leaving. */
function leaveUncounted(watched: Watched, { source, signalled }: ReadEvidence): AbsenceObservation {
  const { previous, rule } = watched;
  const isProven = rule.afterMissingReads > 0 && (previous?.observations ?? 0) >= rule.afterMissingReads;
  return {
    next: previous,
    due: previous !== null && isProven && hasRested(previous, watched),
    text: `missing from ${source}; a change that was signalled started this run, so its absences do not count: the last read that did was at ${signalled?.countedAt}`,
    ...(previous?.kind === 'edited' ? { sinceEdit: true } : {}),
  };
}

function unproven({ previous }: Watched, { incompleteBecause }: ReadEvidence): AbsenceObservation {
  const because = incompleteBecause ?? 'the read is not complete';
  return { next: previous, due: false, text: `not proven: ${because}`, proven: false };
}

/** A time to come was written by a clock that was wrong: counted from it, nobody would be due until then. */
function untilNow(watched: Watched): Watched {
  const { previous, now } = watched;
  if (previous === null || (previous.firstAt <= now && previous.lastAt <= now)) return watched;
  const earlier = (at: string): string => (at < now ? at : now);
  return {
    ...watched,
    previous: { ...previous, firstAt: earlier(previous.firstAt), lastAt: earlier(previous.lastAt) },
  };
}

/** Whether the grace has passed. */
function hasRested({ firstAt }: AbsenceRecord, { rule, now }: Watched): boolean {
  return Date.parse(now) >= Date.parse(firstAt) + rule.graceMs;
}

/** What is remembered of the first read that says so. */
function startCount(kind: AbsenceRecord['kind'], { context, now }: Watched, delivery: string): AbsenceRecord {
  return { kind, observations: 1, firstAt: now, lastAt: now, lastDelivery: delivery, context };
}

function count(watched: Watched, evidence: ReadEvidence): AbsenceRecord {
  const { previous, rule, context, now, edited } = watched;
  const { delivery } = evidence;
  const known = previous?.kind === 'absent' || previous?.kind === 'edited' ? previous : null;
  if (known === null || known.context !== context) {
    const kind = known?.kind ?? (edited === true ? 'edited' : 'absent');
    return startCount(kind, watched, delivery);
  }
  const isNew = evidence.kind === 'live' || (known.lastDelivery !== delivery && evidence.takenBefore !== true);
  const again = isNew && Date.parse(now) - Date.parse(known.lastAt) >= rule.missingIntervalMs;
  return again ? { ...known, observations: known.observations + 1, lastAt: now, lastDelivery: delivery } : known;
}

/**
 * A person who is in the source but not in scope: the row says so itself, so a single complete read proves it. Whether the
 * scope was edited is not asked here; the guard asks it (`users.out_of_scope`).
 */
export function observeOutOfScope(watched: Watched, evidence: ReadEvidence, scope: string): AbsenceObservation {
  if (!evidence.complete) return unproven(watched, evidence);
  return observeStated('out', watched, `in ${evidence.source}, but not in scope: ${scope}`, evidence.delivery);
}

/**
 * A person whom the source itself calls a leaver: due once the grace has passed since it was first said.
 *
 * @param text in which words the source said so
 */
export function observeLeaver(watched: Watched, text: string, delivery: string): AbsenceObservation {
  return observeStated('left', watched, text, delivery);
}

/** What a row says itself: nothing is counted but the grace. */
function observeStated(kind: 'left' | 'out', watched: Watched, text: string, delivery: string): AbsenceObservation {
  const { previous } = untilNow(watched);
  const next = previous?.kind === kind ? previous : startCount(kind, watched, delivery);
  return { next, due: hasRested(next, watched), text };
}
