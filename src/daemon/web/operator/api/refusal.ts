import { STATUS_CODES } from 'node:http';
import type * as z from 'zod';
import { type ErrorCode, SyncError } from '../../../../base/errors.js';
import { statusOf } from '../deciding.js';
import { WebRefusal } from '../route.js';
import type { ApiRoute } from './api-route.js';
import type { Refusal } from './schemas.js';

type RefusalDocument = z.input<typeof Refusal>;

const STATUS_OF: Readonly<Partial<Record<ErrorCode, number>>> = {
  SYNC_CLI_USAGE: 400,
  SYNC_WEB_REFUSED: 400,
  SYNC_INTERNAL: 500,
};

const REMEDY_OF: Readonly<Record<number, string>> = {
  401: 'Log in, or send a personal token as `Authorization: Bearer ts_…`; `talent-sync operator add` gives one.',
  403: 'Ask for the role: `web.roles` in the configuration of the daemon, or `talent-sync operator add`.',
  404: 'GET /api/tenants lists the tenants for which you have a role, and GET /api/openapi.json lists all addresses.',
  409: 'Correct the configuration of the tenant.',
  429: 'Wait a minute.',
  500: 'Read the log of the daemon.',
  503: 'Try again in a moment.',
};

/** Converts the error of an operation to an HTTP response with the same text as on the command line. */
export function refuseFor(error: SyncError): WebRefusal {
  return new WebRefusal(STATUS_OF[error.code] ?? statusOf(error), error.message, error);
}

/** @throws SyncError SYNC_WEB_REFUSED that lists every invalid part */
export function readFields(
  { method, path, input }: Pick<ApiRoute, 'method' | 'path' | 'input'>,
  given: unknown,
): unknown {
  const read = input.safeParse(given);
  if (read.success) return read.data;
  throw new SyncError('SYNC_WEB_REFUSED', {
    message: 'The request does not match the description of the interface.',
    place: `${method} ${path}`,
    remedy: 'GET /api/openapi.json describes each address.',
    problems: read.error.issues.map((issue) => ({ place: issue.path.join('.') || 'request', message: issue.message })),
  });
}

/** An error as part of a document with other results. */
export function problemDocument({ code, message, place, remedy, problems }: SyncError) {
  return { code, message, place: place ?? null, remedy, ...(problems.length === 0 ? {} : { problems }) };
}

/** An error as the body of a response: application/problem+json. */
export function refusalDocument({ status, message, error }: WebRefusal): RefusalDocument {
  const common = { title: STATUS_CODES[status] ?? 'Refused', status, detail: message };
  if (error === null) {
    return { ...common, code: 'SYNC_WEB_REFUSED', remedy: REMEDY_OF[status] ?? 'Correct the request.' };
  }
  const { code, place, remedy, problems } = error;
  return {
    ...common,
    code,
    ...(place === undefined ? {} : { place }),
    remedy,
    ...(problems.length === 0 ? {} : { problems }),
  };
}
