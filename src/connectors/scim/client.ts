import type { ScimSourceConfig } from '../../config/config.js';
import { SyncError } from '../../errors.js';
import { isJsonObject, type Json } from '../../model/json.js';
import type { ConnectorContext } from '../connector.js';
import { createHttpSource, stripQuery } from '../http/http-source.js';
import { findAttribute } from './user.js';

/** One answer of `GET /Users`. */
export interface UsersPage {
  /** Address of the page, without credentials. */
  readonly at: string;
  readonly rows: readonly Json[];
  /** null where the provider, against RFC 7644 3.4.2, does not say. */
  readonly totalResults: number | null;
}

export interface ScimClient {
  users(startIndex: number, count: number, signal?: AbortSignal): Promise<UsersPage>;
  close(): Promise<void>;
}

export function createScimClient(config: ScimSourceConfig, context: ConnectorContext): ScimClient {
  const base = stripQuery(config.baseUrl);
  const http = createHttpSource(
    {
      system: 'identity provider',
      access: config.access,
      accept: 'application/scim+json, application/json',
      right: 'read users',
      addressHint:
        "Check the source's `base_url`: it is the address under which /Users answers, usually ending in /scim/v2.",
    },
    context,
  );
  return {
    async users(startIndex, count, signal) {
      const at = `${base}/Users?startIndex=${startIndex}&count=${count}`;
      return readPage((await http.read({ url: at, at }, signal)).body, at);
    },
    close: () => http.close(),
  };
}

function readPage(body: Json, at: string): UsersPage {
  if (!isJsonObject(body)) throw refuseFormat('The answer is not a list response: it is no object', at);
  const total = findAttribute(body, 'totalResults');
  const rows = findAttribute(body, 'Resources');
  // RFC 7644 3.4.2: Resources may be left out when nothing is found.
  if (rows === undefined && total === undefined)
    throw refuseFormat('The answer has neither Resources nor totalResults', at);
  if (rows !== undefined && !Array.isArray(rows)) throw refuseFormat('Resources is not a list', at);
  return { at, rows: rows ?? [], totalResults: typeof total === 'number' ? total : null };
}

function refuseFormat(problem: string, at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `${problem}; expected a SCIM 2.0 list response.`,
    place: `GET ${at}`,
    remedy: "Check the source's `base_url`; a web page in place of JSON is often a proxy's or a login page.",
  });
}
