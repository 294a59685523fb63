import { GROUP_OBJECT, USUAL_OBJECT } from '../../answers/limits.js';
import type { Batches } from '../../answers/read-answer.js';
import { SyncError } from '../../errors.js';
import { isJsonObject, type JsonObject } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import type { ConnectorContext } from '../connector.js';
import { createHttpSource, type HttpAnswer, stripQuery } from '../http/http-source.js';
import type { ScimSourceConfig } from './kind.js';

/** One answer of `GET /Users` or `GET /Groups`. */
export interface ScimPage {
  /** Address of the page, without credentials and opaque cursors. */
  readonly at: string;
  /** To be read once. */
  readonly rows: Batches;
  /** null where the provider, against RFC 7644 3.4.2, does not say. */
  readonly totalResults: number | null;
  /** Where the next page begins (RFC 9865); null on the last one, and where pages go by index. */
  readonly nextCursor: string | null;
}

/** Where a page begins: at a row, counted from 1, or at a cursor, empty for the first page. */
export type PageStart = { readonly index: number } | { readonly cursor: string };

export type Resource = 'Users' | 'Groups';

export interface ListQuery {
  readonly resource: Resource;
  readonly count: number;
  readonly filter: string | null;
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

export interface ScimClient {
  /** @returns null when the cursor has expired, or is not known any more: the listing begins again (RFC 9865, 2.1). */
  list(query: ListQuery, start: PageStart, signal?: AbortSignal): Promise<ScimPage | null>;
  /** Whether there is a user of that id; `unknown` where the provider does not tell. */
  look(id: string, signal?: AbortSignal): Promise<'there' | 'deleted' | 'unknown'>;
  /** `ServiceProviderConfig`, asked for once; null where there is none, or it may not be read. */
  capabilities(signal?: AbortSignal): Promise<JsonObject | null>;
  close(): Promise<void>;
}

const LOST_CURSORS: ReadonlySet<string> = new Set(['expiredcursor', 'invalidcursor']);

export function createScimClient(config: ScimSourceConfig, context: ConnectorContext): ScimClient {
  const base = stripQuery(config.baseUrl);
  const http = createHttpSource(
    {
      system: 'identity provider',
      access: config.access,
      accept: 'application/scim+json, application/json',
      right: 'read users and groups',
      addressHint:
        "Check the source's `base_url`: it is the address under which /Users answers, usually ending in /scim/v2.",
    },
    context,
  );
  let capabilities: Promise<JsonObject | null> | null = null;

  async function askCapabilities(signal: AbortSignal | undefined): Promise<JsonObject | null> {
    const handles = [400, 401, 403, 404, 405, 501];
    const { status, body } = await http.read({ url: `${base}/ServiceProviderConfig`, handles }, signal);
    return status === 200 && isJsonObject(body) ? body : null;
  }

  return {
    async list({ resource, count, filter, attributes, excludedAttributes }, start, signal) {
      const page = 'index' in start ? { startIndex: String(start.index) } : { cursor: start.cursor };
      const query = new URLSearchParams({ ...page, count: String(count) });
      if (filter !== null) query.set('filter', filter);
      if (attributes.length > 0) query.set('attributes', attributes.join(','));
      if (excludedAttributes.length > 0) query.set('excludedAttributes', excludedAttributes.join(','));
      const shown = 'index' in start ? `?startIndex=${start.index}&count=${count}` : '';
      const at = `${base}/${resource}${shown}`;
      // Not the form's `+` for a space: some providers take it for a plus sign.
      const url = `${base}/${resource}?${query.toString().replaceAll('+', '%20')}`;
      const handles = 'cursor' in start ? [400] : [];
      const list = { depth: 1, object: resource === 'Groups' ? GROUP_OBJECT : USUAL_OBJECT };
      const answer = await http.read({ url, at, handles, list }, signal);
      const { status, body } = answer;
      if (status !== 400) return readPage(answer, at);
      const kind = isJsonObject(body) ? String(findAttribute(body, 'scimType')).toLowerCase() : '';
      if (LOST_CURSORS.has(kind)) return null;
      throw new SyncError('SYNC_SOURCE_UNREADABLE', {
        message: 'The identity provider answered 400, expected 200.',
        place: `GET ${at}`,
        remedy: "Check the source's `paging`: `index` where the provider does not page by cursor.",
      });
    },
    async look(id, signal) {
      const url = `${base}/Users/${encodeURIComponent(id)}`;
      const { status } = await http.read({ url, handles: [400, 403, 404, 405, 501] }, signal);
      if (status === 404) return 'deleted';
      return status === 200 ? 'there' : 'unknown';
    },
    capabilities: (signal) => (capabilities ??= askCapabilities(signal)),
    close: () => http.close(),
  };
}

function readPage({ body, batches }: HttpAnswer, at: string): ScimPage {
  if (!isJsonObject(body)) throw refuseFormat('The answer is not a list response: it is no object', at);
  const total = findAttribute(body, 'totalResults');
  const rows = findAttribute(body, 'Resources');
  const cursor = findAttribute(body, 'nextCursor');
  // RFC 7644 3.4.2: Resources may be left out when nothing is found.
  if (rows === undefined && total === undefined)
    throw refuseFormat('The answer has neither Resources nor totalResults', at);
  if (rows !== undefined && !Array.isArray(rows)) throw refuseFormat('Resources is not a list', at);
  return {
    at,
    rows: batches(rows ?? []),
    totalResults: typeof total === 'number' ? total : null,
    nextCursor: typeof cursor === 'string' && cursor !== '' ? cursor : null,
  };
}

function refuseFormat(problem: string, at: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `${problem}; expected a SCIM 2.0 list response.`,
    place: `GET ${at}`,
    remedy: "Check the source's `base_url`; a web page in place of JSON is often a proxy's or a login page.",
  });
}
