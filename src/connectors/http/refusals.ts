import { SyncError } from '../../base/errors.js';
import type { AnswerFault } from '../../base/http/answer-fault.js';
import { objectOf } from '../../model/json.js';
import type { HttpAnswer, HttpPurpose } from './http-call.js';
import type { Trouble } from './judge-answer.js';
import { quoteWords } from './send-records.js';

/** The name of a system in messages, and the purpose of the calls. */
export interface AskedSystem {
  /** The noun for the system, such as `identity provider` or `CRM`. */
  readonly system: string;
  /** The permission that a 403 indicates as missing, such as `read users`. */
  readonly right: string;
  readonly addressHint: string;
  /** The purpose of the calls; the default is `read`. */
  readonly purpose?: HttpPurpose;
}

/** The consequence of a failed read or write, and the way in which later runs make up for it. */
const CONSEQUENCES: Readonly<Record<HttpPurpose, readonly [now: string, later: string]>> = {
  read: ['This read is not used', '; the next run tries again.'],
  write: ['The remaining writes wait', ' for the next run.'],
};

const EXPIRED = "Check the source's `auth`: the token may have expired or belong to another tenant.";

export function refuseStatus({ system, right, addressHint }: AskedSystem, at: string, status: number): SyncError {
  if (status !== 401 && status !== 403) {
    const message = `The ${system} answered ${status}, expected 200.`;
    return new SyncError('SYNC_SOURCE_UNREADABLE', { message, place: at, remedy: addressHint });
  }
  const message = `The ${system} rejects the credentials: it answered ${status}.`;
  const remedy = status === 401 ? EXPIRED : `Give the token the permission to ${right}.`;
  return new SyncError('SYNC_SOURCE_DENIED', { message, place: at, remedy });
}

/** Reads the error of RFC 6749, 5.2: `{ error, error_description }`. */
export function refuseLogin({ status, body, at }: Pick<HttpAnswer, 'status' | 'body' | 'at'>): SyncError {
  const { error, error_description: description } = objectOf(body);
  const said = [error, description].map(quoteWords).filter((words) => words !== null);
  return new SyncError('SYNC_SOURCE_DENIED', {
    message: `The token endpoint answered ${[status, ...said].join(': ')}.`,
    place: at,
    remedy:
      "Check `token_url`, `client_id`, `client_secret` and `scope` of the source's `auth.oauth2`, and check that the app may log in this way.",
  });
}

/** @param problem the problem in the last of `tries` attempts */
export function refuseDown(
  { system, purpose = 'read' }: AskedSystem,
  at: string,
  { problem, cause, hint }: Pick<Trouble, 'problem' | 'cause' | 'hint'>,
  tries: number,
): SyncError {
  const [now, later] = CONSEQUENCES[purpose];
  return new SyncError('SYNC_SOURCE_DOWN', {
    message: `The ${system} could not be ${purpose === 'read' ? 'read' : 'written to'} after ${tries} tries: ${problem}.`,
    place: at,
    remedy: `${now}${later} ${hint ?? "If the problem persists, check `base_url` and the system's state."}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

export function refuseExhausted(
  { system, purpose = 'read' }: Pick<AskedSystem, 'system' | 'purpose'>,
  at: string,
  limit: string,
): SyncError {
  return new SyncError('SYNC_SOURCE_DOWN', {
    message: `The ${system} accepts no more calls for now: ${limit}.`,
    place: at,
    remedy: `${CONSEQUENCES[purpose][0]}. Read less often, or have the limit raised; the next run tries again.`,
  });
}

export function refuseAnswer({ kind, message, remedy }: AnswerFault, system: string, at: string): SyncError {
  return new SyncError(kind === 'too large' ? 'SYNC_SOURCE_TOO_LARGE' : 'SYNC_SOURCE_FORMAT', {
    message: `The answer of the ${system} cannot be used. ${message}`,
    place: at,
    remedy,
  });
}
