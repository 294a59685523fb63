import type { Excerpt } from '../model/excerpt.js';
import type { GuardTrip } from '../model/plan.js';
import { hideSecrets } from './secrets/secret.js';

/**
 * How an error affects the run:
 * - `transient`: the cause is outside; the next run may succeed
 * - `record`: hold this record and continue
 * - `unsafe`: before anything is written, stop everything that depends on the read
 * - `halt`: end the run
 */
export type ErrorKind = 'transient' | 'record' | 'unsafe' | 'halt';

/** The stable error codes. A test verifies that `docs/reference/errors.md` describes each of them. */
export const ERROR_CATALOGUE = {
  // configuration
  SYNC_CONFIG_UNREADABLE: 'halt',
  SYNC_CONFIG_INVALID: 'halt',
  SYNC_CONFIG_SECRET: 'halt',
  // command line
  SYNC_CLI_USAGE: 'halt',
  SYNC_STOPPED: 'transient',
  // sources
  SYNC_SOURCE_MISSING: 'unsafe',
  SYNC_SOURCE_UNREADABLE: 'unsafe',
  SYNC_SOURCE_LINK: 'unsafe',
  SYNC_SOURCE_UNSETTLED: 'transient',
  SYNC_SOURCE_HEADER: 'unsafe',
  SYNC_SOURCE_ENCODING: 'unsafe',
  SYNC_SOURCE_FORMAT: 'unsafe',
  SYNC_SOURCE_INCOMPLETE: 'transient',
  SYNC_SOURCE_EMPTY: 'unsafe',
  SYNC_SOURCE_CUT: 'unsafe',
  SYNC_SOURCE_DAMAGED: 'unsafe',
  SYNC_SOURCE_BAD_ROWS: 'unsafe',
  SYNC_SOURCE_SHRUNK: 'unsafe',
  SYNC_SOURCE_SUSPECT: 'unsafe',
  SYNC_SOURCE_UNWRITABLE: 'transient',
  SYNC_SOURCE_TOO_LARGE: 'unsafe',
  SYNC_SOURCE_DENIED: 'unsafe',
  SYNC_SOURCE_HOST_KEY: 'unsafe',
  SYNC_SOURCE_DOWN: 'transient',
  SYNC_ROW_FIELDS: 'record',
  SYNC_ROW_FORMAT: 'record',
  SYNC_ROW_KEY: 'record',
  SYNC_ROW_CELL: 'record',
  SYNC_ROW_SECRET: 'record',
  // mapping
  SYNC_MAP_DUPLICATE_KEY: 'record',
  SYNC_MAP_EXPRESSION: 'record',
  SYNC_MAP_VALUE: 'record',
  SYNC_MAP_NOTHING: 'record',
  SYNC_ADDRESS_SIGN: 'record',
  SYNC_DATE_PLACEHOLDER: 'record',
  SYNC_CELL_NOTED: 'record',
  // reconciliation
  SYNC_MATCH_AMBIGUOUS: 'record',
  SYNC_MATCH_CLAIMED: 'record',
  SYNC_WORD_RESPELLED: 'record',
  SYNC_MATCH_DOUBTFUL: 'record',
  SYNC_OBJECT_UNSEEN: 'record',
  SYNC_OBJECT_GONE: 'record',
  SYNC_OBJECT_TWINS: 'record',
  SYNC_PROBABLE_SAME_PERSON: 'record',
  SYNC_OTHER_PERSON: 'record',
  SYNC_LOOK_ALIKE: 'record',
  SYNC_REFERENCE_UNKNOWN: 'record',
  SYNC_VALUE_TAKEN: 'record',
  SYNC_TEXT_GARBLED: 'record',
  SYNC_ACCOUNT_PROTECTED: 'record',
  SYNC_ACCOUNT_UNOWNED: 'record',
  SYNC_PURGE_DOUBTFUL: 'record',
  SYNC_CHANGE_BLOCKED: 'record',
  SYNC_CHANGE_PAUSED: 'record',
  SYNC_QUESTION_OPEN: 'record',
  SYNC_DRIFT_REPORTED: 'record',
  SYNC_FIELD_FROZEN: 'record',
  SYNC_ENGINE_DRIFT: 'record',
  SYNC_CONFLICT: 'record',
  // writing back
  SYNC_WRITE_BACK_REFUSED: 'record',
  SYNC_WRITE_BACK_LOST: 'record',
  SYNC_WRITE_BACK_FROZEN: 'record',
  SYNC_WRITE_BACK_FORMULA: 'record',
  SYNC_HOLD_UNKNOWN: 'halt',
  SYNC_HOLD_UNDECIDABLE: 'halt',
  SYNC_LINK_TAKEN: 'halt',
  // undo
  SYNC_UNDONE_PINNED: 'record',
  SYNC_UNDO_MOVED: 'record',
  SYNC_UNDO_IMPOSSIBLE: 'record',
  SYNC_UNDO_SENT: 'record',
  // the talent service
  SYNC_SERVICE_DOWN: 'transient',
  SYNC_SERVICE_LIMITED: 'transient',
  SYNC_SERVICE_UNAUTHENTICATED: 'halt',
  SYNC_SERVICE_FORBIDDEN: 'unsafe',
  SYNC_SERVICE_NO_LINKING: 'unsafe',
  SYNC_SERVICE_REFUSED: 'record',
  SYNC_SERVICE_ANSWER: 'transient',
  SYNC_SERVICE_TOO_LARGE: 'unsafe',
  SYNC_SERVICE_LINK: 'unsafe',
  SYNC_SERVICE_UNKNOWN_OUTCOME: 'record',
  SYNC_WRITE_NOT_TAKEN: 'record',
  SYNC_IMPORT_REFUSED: 'record',
  SYNC_IMPORT_MISSING: 'record',
  SYNC_FIELD_REFUSED: 'record',
  // delivered reports
  SYNC_REPORT_UNFINISHED: 'transient',
  SYNC_REPORT_TOO_LARGE: 'record',
  SYNC_REPORT_PARTS: 'record',
  SYNC_DOCUMENT_UNUSABLE: 'record',
  SYNC_DOCUMENT_TAKEN: 'record',
  // plan, state
  SYNC_PLAN_MISSING: 'halt',
  SYNC_PLAN_EXPIRED: 'halt',
  SYNC_PLAN_DAMAGED: 'halt',
  SYNC_APPROVAL_NOTHING: 'halt',
  SYNC_APPROVAL_OVER: 'halt',
  SYNC_APPROVAL_SECOND: 'halt',
  SYNC_APPROVAL_QUESTION: 'halt',
  SYNC_APPROVAL_UNPROVEN: 'halt',
  SYNC_DECLINE_NOTHING: 'halt',
  SYNC_DECLINE_IDENTITY: 'halt',
  SYNC_PAUSED: 'halt',
  SYNC_NOT_PAUSED: 'halt',
  SYNC_STATE_LOCKED: 'halt',
  SYNC_STATE_ELSEWHERE: 'halt',
  SYNC_STATE_UNUSABLE: 'halt',
  SYNC_STATE_DRIVER: 'halt',
  SYNC_STATE_DAMAGED: 'halt',
  SYNC_STATE_OTHER_ACCOUNT: 'halt',
  SYNC_STATE_OUTDATED: 'halt',
  SYNC_STATE_NEWER: 'halt',
  SYNC_STATE_MIGRATION: 'halt',
  SYNC_STATE_BACKUP: 'halt',
  // PostgreSQL
  SYNC_BACKEND_AWAY: 'transient',
  SYNC_BACKEND_DENIED: 'halt',
  SYNC_BACKEND_UNPREPARED: 'halt',
  SYNC_BACKEND_SEAL: 'halt',
  SYNC_LEASE_LOST: 'transient',
  SYNC_AUDIT_EXPORT: 'halt',
  SYNC_AUDIT_OPEN_CALLS: 'halt',
  SYNC_PREVIEW_REFUSED: 'halt',
  SYNC_PREVIEW_RECORDS: 'halt',
  SYNC_PREVIEW_LIMIT: 'halt',
  SYNC_PREVIEW_BUSY: 'transient',
  SYNC_REPORT_UNWRITABLE: 'halt',
  SYNC_NOT_FOUND: 'halt',
  SYNC_WEB_LISTEN: 'halt',
  SYNC_WEB_LOGIN: 'halt',
  SYNC_WEB_REFUSED: 'halt',
  SYNC_DAEMON_DOWN: 'transient',
  SYNC_DAEMON_ANSWER: 'halt',
  SYNC_INTERNAL: 'halt',
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

export interface SyncErrorInit {
  /** One sentence about what was found and what was expected, without secrets. */
  readonly message: string;
  /** Where the problem is: a file with line and column, a path, a URL with its method, or an option. */
  readonly place?: string;
  /** The action that the reader can take. */
  readonly remedy: string;
  readonly cause?: unknown;
  /** Further problems found at the same time. Each is a full sentence with its own place. */
  readonly problems?: readonly Problem[];
  /** The guard that holds a source. */
  readonly trip?: GuardTrip;
}

export interface Problem {
  readonly place: string;
  readonly message: string;
  readonly remedy?: string;
  /** The text at that place. */
  readonly excerpt?: Excerpt;
}

export class SyncError extends Error {
  readonly code: ErrorCode;
  readonly place: string | undefined;
  readonly remedy: string;
  readonly problems: readonly Problem[];
  readonly trip: GuardTrip | undefined;

  constructor(code: ErrorCode, init: SyncErrorInit) {
    super(hideSecrets(init.message), init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'SyncError';
    this.code = code;
    this.place = init.place === undefined ? undefined : hideSecrets(init.place);
    this.remedy = hideSecrets(init.remedy);
    this.problems = (init.problems ?? []).map(hideProblem);
    this.trip = init.trip;
  }

  get kind(): ErrorKind {
    return ERROR_CATALOGUE[this.code];
  }
}

function hideProblem({ place, message, remedy, excerpt }: Problem): Problem {
  return {
    place: hideSecrets(place),
    message: hideSecrets(message),
    ...(remedy === undefined ? {} : { remedy: hideSecrets(remedy) }),
    ...(excerpt === undefined ? {} : { excerpt: { ...excerpt, text: hideSecrets(excerpt.text) } }),
  };
}

/** SQLite codes for faults of the disk or of a state file, as opposed to faults of a statement. */
const STATE_FAULT = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/;
const STATE_DAMAGE = /^SQLITE_(CORRUPT|NOTADB)/;

/**
 * True if better-sqlite3 cannot be loaded. It is not installed (`npm install --omit=optional`), was never compiled, or
 * was compiled for another Node.js. The disk and the files are not at fault.
 */
export function isDriverFault(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error) ?? '';
  return (
    code === 'ERR_DLOPEN_FAILED' ||
    error.message.startsWith('Could not locate the bindings file') ||
    (/^(ERR_)?MODULE_NOT_FOUND$/.test(code) && error.message.includes('better-sqlite3'))
  );
}

/**
 * Turns any thrown value into a SyncError. An unknown error becomes SYNC_INTERNAL and is kept as its cause.
 *
 * @param state the state folder, if there is one, because SQLite does not name the file that it could not write
 */
export function asSyncError(error: unknown, state?: string): SyncError {
  if (error instanceof SyncError) return error;
  const message = messageOf(error);
  const at = state === undefined ? {} : { place: state };
  if (isDriverFault(error)) {
    return new SyncError('SYNC_STATE_DRIVER', {
      message: `SQLite's driver does not load in Node.js ${process.version}: ${message.replaceAll(/\s+/g, ' ')}`,
      remedy:
        'Run `npm rebuild better-sqlite3` where talent-sync is installed, with the Node.js that runs it; if the package is missing, install talent-sync again without `--omit=optional`. If no prebuilt driver can be downloaded, npm compiles it, which needs make, g++ and python3.',
      cause: error,
    });
  }
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return new SyncError('SYNC_CLI_USAGE', {
      message: 'The current folder no longer exists.',
      remedy: 'Change to an existing folder (`cd "$PWD"` if this one was created again), and start the command again.',
      cause: error,
    });
  }
  if (STATE_FAULT.test(codeOf(error) ?? '')) {
    return new SyncError('SYNC_STATE_UNUSABLE', {
      message: `The state cannot be read or written: ${message}.`,
      ...at,
      remedy:
        'Free space on the disk of the state and where SQLite keeps its temporary files (`SQLITE_TMPDIR`, else `TMPDIR` or /var/tmp). Check that the state folder exists and is writable. The next run continues from there. If a file is damaged, restore the newest backup.',
      cause: error,
    });
  }
  if (STATE_DAMAGE.test(codeOf(error) ?? '')) {
    return new SyncError('SYNC_STATE_DAMAGED', {
      message: `A file of the state is damaged: ${message}.`,
      ...at,
      remedy:
        'Run again. The next run first checks both files, creates mirror.db again, and says what to do about state.db.',
      cause: error,
    });
  }
  return new SyncError('SYNC_INTERNAL', {
    message,
    remedy: 'This is a defect in talent-sync: report it with the log of the run (LOG_LEVEL=debug).',
    cause: error,
  });
}

/** The fields of a log line. An internal error also has its stack, which a bug report needs. */
export function toLogFields({ code, message, place, remedy, problems, cause }: SyncError): object {
  const stack = code === 'SYNC_INTERNAL' && cause instanceof Error ? { stack: cause.stack } : {};
  return { code, message, place, remedy, ...(problems.length === 0 ? {} : { problems }), ...stack };
}

/** An error in the form that every command prints with `--json`. */
export function describeError(error: SyncError): { readonly error: unknown } {
  const { code, message, place, remedy, problems } = error;
  return { error: { code, message, place: place ?? null, remedy, ...(problems.length > 0 ? { problems } : {}) } };
}

/** Reads an error from its `--json` form, for example from another process. */
export function readDescribed({ error }: { readonly error: unknown }): SyncError {
  const { code, message, place, remedy, problems } = error as DescribedError;
  const known = code in ERROR_CATALOGUE ? (code as ErrorCode) : 'SYNC_WEB_REFUSED';
  const more = { ...(place == null ? {} : { place }), ...(problems === undefined ? {} : { problems }) };
  return new SyncError(known, { message, remedy, ...more });
}

type DescribedError = Pick<SyncErrorInit, 'message' | 'remedy'> & {
  readonly code: string;
  readonly place?: string | null;
  readonly problems?: SyncError['problems'];
};

/** Errors caused by the request or its timing, not by the tenant. */
const OF_THE_ASKER = /^SYNC_(CLI|PLAN|STOPPED|STATE_LOCKED|PAUSED|REPORT_UNWRITABLE|NOT_FOUND|UNDO)/;

export function isOfTheAsker({ code }: { readonly code?: string }): boolean {
  return OF_THE_ASKER.test(code ?? '');
}

/** The tenant is not available now, or not from this daemon. */
const UNAVAILABLE = /^SYNC_(BACKEND_|STATE_(NEWER|OUTDATED|ELSEWHERE)$)/;

export function isUnavailable({ code }: Pick<SyncError, 'code'>): boolean {
  return UNAVAILABLE.test(code);
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code that Node.js or SQLite gave an error, for example `ENOENT`; null if there is none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
