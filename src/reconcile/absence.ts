import type { ReadEvidence } from '../model/source.js';

/** What is remembered of somebody who is missing, or said to have left. Times are ISO 8601. */
export interface AbsenceRecord {
  readonly kind: 'absent' | 'left';
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
}

/**
 * Counts one more complete read without a person.
 *
 * | this read                                   | →                                             |
 * |---------------------------------------------|-----------------------------------------------|
 * | not complete                                | nothing is counted, nobody is due             |
 * | first one, or under another source or scope | the count starts at 1                         |
 * | somebody whom the source had called a leaver | stays one, due once the grace has passed        |
 * | the delivery counted last                   | not counted again                             |
 * | a new delivery of a drop                    | + 1                                           |
 * | a live read, `missing_interval` or later    | + 1                                           |
 * | a live read sooner than that                | not counted                                   |
 */
export function observeAbsence(
  previous: AbsenceRecord | null,
  evidence: ReadEvidence,
  rule: LeaverRule,
  context: string,
  now: string,
): AbsenceObservation {
  if (!evidence.complete) {
    const because = evidence.incompleteBecause ?? 'the read is not complete';
    return { next: previous, due: false, text: `not proven: ${because}` };
  }
  if (previous?.kind === 'left') {
    // The source said so before the row went: silence takes nothing of it back.
    const due = Date.parse(now) >= Date.parse(previous.firstAt) + rule.graceMs;
    return { next: previous, due, text: `${evidence.source} said so before the row was taken out` };
  }
  const next = count(previous, evidence, rule, context, now);
  const proven = rule.afterMissingReads > 0 && next.observations >= rule.afterMissingReads;
  const rested = Date.parse(now) >= Date.parse(next.firstAt) + rule.graceMs;
  const of = rule.afterMissingReads > 1 ? ` of ${rule.afterMissingReads}` : '';
  const file = evidence.at.replace(/^.*\//, '');
  const text = `missing from ${next.observations}${of} complete ${next.observations === 1 ? 'read' : 'reads'} of ${evidence.source}, the last one ${file} with ${evidence.rows} rows`;
  return { next, due: proven && rested, text };
}

function count(
  previous: AbsenceRecord | null,
  evidence: ReadEvidence,
  rule: LeaverRule,
  context: string,
  now: string,
): AbsenceRecord {
  const { delivery } = evidence;
  if (previous === null || previous.context !== context) {
    return { kind: 'absent', observations: 1, firstAt: now, lastAt: now, lastDelivery: delivery, context };
  }
  const again =
    evidence.kind === 'drop'
      ? previous.lastDelivery !== delivery
      : Date.parse(now) - Date.parse(previous.lastAt) >= rule.missingIntervalMs;
  return again
    ? { ...previous, observations: previous.observations + 1, lastAt: now, lastDelivery: delivery }
    : previous;
}

/** A person whom the source itself calls a leaver: due once the grace has passed since it was first said. */
export function observeLeaver(
  previous: AbsenceRecord | null,
  source: string,
  /** The expression that was true. */
  when: string,
  delivery: string,
  rule: LeaverRule,
  context: string,
  now: string,
): AbsenceObservation {
  const kept = previous !== null && previous.kind === 'left' ? previous : null;
  const next: AbsenceRecord = kept ?? {
    kind: 'left',
    observations: 1,
    firstAt: now,
    lastAt: now,
    lastDelivery: delivery,
    context,
  };
  const due = Date.parse(now) >= Date.parse(next.firstAt) + rule.graceMs;
  return { next, due, text: `${source} says so: ${when}` };
}
