import { plural } from '../../model/plural.js';
import type { ReadEvidence } from '../../model/source.js';

/** Facts remembered about a person who is missing, or whom the source reports as a leaver. Times are ISO 8601. */
export interface AbsenceRecord {
  /** `edited`: absent since the read in which the configuration of the source was edited · `out`: in the source, but out of scope. */
  readonly kind: 'absent' | 'left' | 'edited' | 'out';
  readonly observations: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly lastDelivery: string;
  readonly context: string;
}

export interface LeaverRule {
  /** 0: absence never turns anyone into a leaver. */
  readonly afterMissingReads: number;
  readonly missingIntervalMs: number;
  readonly graceMs: number;
}

export interface AbsenceObservation {
  readonly next: AbsenceRecord | null;
  readonly due: boolean;
  readonly text: string;
  /** Set if the absence began with an edit of the configuration, so that a person has to confirm it. */
  readonly sinceEdit?: true;
  /** Set if this read proves nothing, whatever is remembered. */
  readonly proven?: false;
}

/** A person who is looked for in a read, with the remembered facts and the rule that applies. */
export interface Watched {
  readonly previous: AbsenceRecord | null;
  readonly rule: LeaverRule;
  /** Names the source, key, filter, scope and join of the read. */
  readonly context: string;
  /** ISO 8601. */
  readonly now: string;
  /** True if the context differs from that of the last complete read. */
  readonly edited?: boolean;
}

/**
 * Counts one more complete read without a person. Reads closer together than `missing_interval` are one proof, because
 * three wrong uploads in one afternoon are one mistake.
 *
 * | this read                                                   | →                                  |
 * |-------------------------------------------------------------|------------------------------------|
 * | not complete                                                | nothing is counted, nobody is due  |
 * | the first one, or under another source or scope             | the count starts at 1              |
 * | a person whom the source had called a leaver                | stays one, due once the grace has passed |
 * | a delivery that was counted before, or used by an earlier run | not counted again                |
 * | sooner than `missing_interval` after the last that counted  | not counted                        |
 * | by a run that a signal started, within `missing_interval` after any read that counted | not counted, not even as the first |
 * | `missing_interval` later, or more: live, or a new delivery  | + 1                                |
 *
 * A person may be present in the last read, and missing from the first one under another source, key, filter, scope or
 * join. Most likely nobody left, and the edit lost the row. The count continues as usual, but its result needs a
 * person's decision (`sinceEdit`) until the row is back.
 */
export function observeAbsence(asked: Watched, evidence: ReadEvidence): AbsenceObservation {
  const watched = untilNow(asked);
  const { previous, rule } = watched;
  if (!evidence.complete) return unproven(watched, evidence);
  if (previous?.kind === 'left') {
    // The source reported the leaver before the row was removed, and a missing row does not revoke that.
    return {
      next: previous,
      due: hasRested(previous, watched),
      text: `${evidence.source} reported the leaver before the row was removed`,
    };
  }
  if (isTooSoon(watched, evidence)) return leaveUncounted(watched, evidence);
  const next = count(watched, evidence);
  const proven = rule.afterMissingReads > 0 && next.observations >= rule.afterMissingReads;
  // A person whose interval or grace has not passed may be missing from more reads than required.
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

/** A read of a signalled run neither starts a count nor adds to it. */
function leaveUncounted(watched: Watched, { source, signalled }: ReadEvidence): AbsenceObservation {
  const { previous, rule } = watched;
  const isProven = rule.afterMissingReads > 0 && (previous?.observations ?? 0) >= rule.afterMissingReads;
  return {
    next: previous,
    due: previous !== null && isProven && hasRested(previous, watched),
    text: `missing from ${source}; a signalled change started this run, so its absences do not count; the last read whose absences count was at ${signalled?.countedAt}`,
    ...(previous?.kind === 'edited' ? { sinceEdit: true } : {}),
  };
}

function unproven({ previous }: Watched, { incompleteBecause }: ReadEvidence): AbsenceObservation {
  const because = incompleteBecause ?? 'the read is not complete';
  return { next: previous, due: false, text: `not proven: ${because}`, proven: false };
}

/** A remembered time in the future comes from a wrong clock; if it counted, nobody would be due until then. */
function untilNow(watched: Watched): Watched {
  const { previous, now } = watched;
  if (previous === null || (previous.firstAt <= now && previous.lastAt <= now)) return watched;
  const earlier = (at: string): string => (at < now ? at : now);
  return {
    ...watched,
    previous: { ...previous, firstAt: earlier(previous.firstAt), lastAt: earlier(previous.lastAt) },
  };
}

/** True once the grace has passed. */
function hasRested({ firstAt }: AbsenceRecord, { rule, now }: Watched): boolean {
  return Date.parse(now) >= Date.parse(firstAt) + rule.graceMs;
}

/** The stored record after the first observation. */
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
 * Observes a person who is in the source but not in scope. The row itself shows this, so one complete read proves it.
 * The guard `users.out_of_scope` checks whether the scope was edited.
 */
export function observeOutOfScope(watched: Watched, evidence: ReadEvidence, scope: string): AbsenceObservation {
  if (!evidence.complete) return unproven(watched, evidence);
  return observeStated('out', watched, `in ${evidence.source}, but not in scope: ${scope}`, evidence.delivery);
}

/**
 * Observes a person whom the source itself reports as a leaver. The person is due once the grace has passed since the
 * first such report.
 *
 * @param text the statement of the source, as text for people
 */
export function observeLeaver(watched: Watched, text: string, delivery: string): AbsenceObservation {
  return observeStated('left', watched, text, delivery);
}

/** A row that reports the leaver itself needs no count, only the grace. */
function observeStated(kind: 'left' | 'out', watched: Watched, text: string, delivery: string): AbsenceObservation {
  const { previous } = untilNow(watched);
  const next = previous?.kind === kind ? previous : startCount(kind, watched, delivery);
  return { next, due: hasRested(next, watched), text };
}
