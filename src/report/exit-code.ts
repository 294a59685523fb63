import { QUESTION_OPEN } from '../model/config-question.js';
import { CONFLICT, type NamedHold, NOTE } from '../model/desired.js';
import type { GuardTrip } from '../model/plan.js';

/** 1 could not run · 4 some records failed, or are held for their own fault · 3 changes wait for a person · 2 the plan has changes · 0 done. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

export interface Ending {
  /** A source, or the service, could not be used. */
  readonly broken: boolean;
  readonly failed: number;
  /** A source could be read, but not proven whole. */
  readonly incomplete: boolean;
  readonly held: Iterable<Pick<NamedHold, 'code' | 'field' | 'acknowledged'>>;
  readonly guards: readonly GuardTrip[];
  /** Left for another run: budget spent or stopped. */
  readonly left: number;
  readonly detailed: boolean;
  readonly changes: number;
}

/** The first that applies. What is only reported, such as drift, is no fault of the record; what is acknowledged or declined is no news. */
export function chooseExitCode(ending: Ending): ExitCode {
  if (ending.broken) return 1;
  // Looked through once: they may come from a query that can be asked a single time.
  const { held, conflicts } = splitHolds([...ending.held].filter(({ acknowledged }) => acknowledged === undefined));
  if (ending.failed > 0 || ending.incomplete || held.some(isFault)) return 4;
  const guards = ending.guards.filter(({ acknowledged, declined }) => (acknowledged ?? declined) === undefined);
  const isAsked = conflicts.length > 0 || held.some(({ code }) => code === QUESTION_OPEN);
  if (guards.length > 0 || ending.left > 0 || isAsked) return 3;
  return ending.detailed && ending.changes > 0 ? 2 : 0;
}

function isFault({ code, field }: Pick<NamedHold, 'code' | 'field'>): boolean {
  // What an administrator keeps of a record that goes on is no fault of it.
  return !NO_FAULT.has(code) && !(code === 'SYNC_ACCOUNT_PROTECTED' && field !== undefined);
}

/** Reported, or waiting for a person, without a fault in the record. */
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

/** Conflicts wait for a decision; everything else that is held has a fault of its own. */
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
