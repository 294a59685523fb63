import { QUESTION_OPEN } from '../model/config-question.js';
import { CONFLICT, type NamedHold, NOTE } from '../model/desired.js';
import type { GuardTrip } from '../model/plan.js';

/**
 * - 0: done
 * - 1: could not run
 * - 2: the plan has changes
 * - 3: changes need approval
 * - 4: some records failed, or are held because of an error in them
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

export interface Ending {
  /** True if a source or the service could not be used. */
  readonly broken: boolean;
  readonly failed: number;
  /** True if a source could be read but not proven complete. */
  readonly incomplete: boolean;
  readonly held: Iterable<Pick<NamedHold, 'code' | 'field' | 'acknowledged'>>;
  readonly guards: readonly GuardTrip[];
  /** Number of changes left for another run, because the call budget ran out or the run was stopped. */
  readonly left: number;
  readonly detailed: boolean;
  readonly changes: number;
}

/**
 * Returns the first code that applies. Reports such as drift are not an error in the record. Acknowledged or declined holds
 * no longer count.
 */
export function chooseExitCode(ending: Ending): ExitCode {
  if (ending.broken) return 1;
  // Read the holds only once, because they may come from a query that cannot be repeated.
  const { held, conflicts } = splitHolds([...ending.held].filter(isOpen));
  if (ending.failed > 0 || ending.incomplete || held.some(isFault)) return 4;
  const guards = ending.guards.filter(isOpen);
  const isAsked = conflicts.length > 0 || held.some(({ code }) => code === QUESTION_OPEN);
  if (guards.length > 0 || ending.left > 0 || isAsked) return 3;
  return ending.detailed && ending.changes > 0 ? 2 : 0;
}

/** True for a hold or a guard that nobody has acknowledged or declined. */
function isOpen({ acknowledged, declined }: { readonly acknowledged?: unknown; readonly declined?: unknown }): boolean {
  return (acknowledged ?? declined) === undefined;
}

/** True for a hold or a guard that a person still has to settle. An undone value and a note need nobody. */
export function isUnsettled(one: Parameters<typeof isOpen>[0] & { readonly code?: unknown }): boolean {
  return isOpen(one) && one.code !== 'SYNC_UNDONE_PINNED' && one.code !== NOTE;
}

function isFault({ code, field }: Pick<NamedHold, 'code' | 'field'>): boolean {
  // An administrator's kept value is not an error in the record, because the other values are still synchronised.
  return !NO_FAULT.has(code) && !(code === 'SYNC_ACCOUNT_PROTECTED' && field !== undefined);
}

/** Codes that are only reported or wait for a decision, without an error in the record. */
const NO_FAULT: ReadonlySet<string> = new Set([
  NOTE,
  QUESTION_OPEN,
  'SYNC_DRIFT_REPORTED',
  'SYNC_PROBABLE_SAME_PERSON',
  'SYNC_OTHER_PERSON',
  'SYNC_LOOK_ALIKE',
  'SYNC_ACCOUNT_UNOWNED',
  'SYNC_UNDONE_PINNED',
  'SYNC_UNDO_SENT',
]);

/** Separates conflicts, which wait for a decision, from records that are held because of an error. */
export function splitHolds<H extends Pick<NamedHold, 'code'>>(
  held: Iterable<H>,
): {
  readonly held: readonly H[];
  readonly conflicts: readonly H[];
} {
  const all = [...held];
  return {
    held: all.filter(({ code }) => code !== CONFLICT),
    conflicts: all.filter(({ code }) => code === CONFLICT),
  };
}
