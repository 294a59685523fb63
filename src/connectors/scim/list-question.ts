import { SyncError } from '../../base/errors.js';
import { GROUP_OBJECT, USUAL_OBJECT } from '../../base/http/limits.js';
import { isJsonObject, type Json, type JsonObject, objectOf, textOf } from '../../model/json.js';
import type { HttpAnswer, HttpCall } from '../http/http-call.js';
import type { ListingRules, PageStep, Question } from '../listing/question.js';
import { findAttribute } from '../scim-protocol/flatten-user.js';
import type { ScimSourceConfig } from './resolve.js';

interface ListQuery {
  readonly resource: 'Users' | 'Groups';
  /** null for no filter. */
  readonly filter?: string | null;
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
}

/** The kind of paging through a provider's lists, and the maximum number of rows per page. */
export interface PagingStrategy {
  readonly byCursor: boolean;
  readonly count: number;
}

export function choosePaging(
  { paging, pageSize }: Pick<ScimSourceConfig, 'paging' | 'pageSize'>,
  capabilities: JsonObject | null,
): PagingStrategy {
  const known = objectOf(capabilities);
  const pagination = findAttribute(known, 'pagination');
  const most = findAttribute(objectOf(findAttribute(known, 'filter')), 'maxResults');
  const count = typeof most === 'number' && most > 0 ? Math.min(pageSize, most) : pageSize;
  if (paging !== 'auto' || !isJsonObject(pagination)) return { byCursor: paging === 'cursor', count };
  const has = (name: string): boolean => findAttribute(pagination, name) === true;
  const prefers = String(findAttribute(pagination, 'defaultPaginationMethod')).toLowerCase() === 'cursor';
  return { byCursor: has('cursor') && (prefers || !has('index')), count };
}

/**
 * Builds the question `GET /Users` or `GET /Groups`. With paging by index, servers limit `count` freely, so the next
 * page begins after the received rows. Users created or deleted during the read shift the pages, so that a user can
 * appear twice or be missing. Past the end, some servers return the first page again, and some report the rows of the
 * page as `totalResults`. `judge-end.ts` judges such pages.
 */
export function askList(base: string, query: ListQuery, { byCursor, count }: PagingStrategy): Question {
  const start = (page: Readonly<Record<string, string>>): HttpCall =>
    buildCall(base, query, { ...page, count: `${count}` });
  return {
    call: start(byCursor ? { cursor: '' } : { startIndex: '1' }),
    findRows,
    readTotal,
    next({ answer: { body }, position }): PageStep {
      if (!byCursor) return { call: start({ startIndex: String(position + 1) }), way: 'own' };
      const cursor = textOf(findAttribute(objectOf(body), 'nextCursor'));
      return cursor === '' ? { end: 'said' } : { call: start({ cursor }), way: 'announced' };
    },
  };
}

/** Builds a call. Its name contains no credentials and no opaque cursors. */
function buildCall(base: string, query: ListQuery, page: Readonly<Record<string, string>>): HttpCall {
  const { resource, filter = null, attributes = [], excludedAttributes = [] } = query;
  const parameters = new URLSearchParams(page);
  if (filter !== null) parameters.set('filter', filter);
  if (attributes.length > 0) parameters.set('attributes', attributes.join(','));
  if (excludedAttributes.length > 0) parameters.set('excludedAttributes', excludedAttributes.join(','));
  const shown = page.startIndex === undefined ? '' : `?startIndex=${page.startIndex}&count=${page.count}`;
  return {
    // A space is encoded as `%20`, because some providers read `+` as a plus sign.
    url: `${base}/${resource}?${parameters.toString().replaceAll('+', '%20')}`,
    at: `${base}/${resource}${shown}`,
    handles: page.cursor === undefined ? [] : [400],
    list: { depth: 1, object: resource === 'Groups' ? GROUP_OBJECT : USUAL_OBJECT },
  };
}

function readTotal(body: Json): number | null {
  const total = findAttribute(objectOf(body), 'totalResults');
  return typeof total === 'number' ? total : null;
}

function findRows({ body, at }: HttpAnswer): readonly Json[] {
  if (!isJsonObject(body)) throw refuseFormat('The answer is not a list response: it is not an object', at);
  const rows = findAttribute(body, 'Resources');
  // `Resources` may be missing if nothing is found (RFC 7644, 3.4.2).
  if (rows === undefined && findAttribute(body, 'totalResults') === undefined) {
    throw refuseFormat('The answer has neither Resources nor totalResults', at);
  }
  if (rows !== undefined && !Array.isArray(rows)) throw refuseFormat('Resources is not a list', at);
  return rows ?? [];
}

function refuseFormat(problem: string, place: string): SyncError {
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `${problem}; expected a SCIM 2.0 list response.`,
    place,
    remedy: "Check the source's `base_url`; a web page in place of JSON is often a proxy's or a login page.",
  });
}

/** Returns the rules for judging the lists of a provider. */
export function describeRules(resource: ListQuery['resource']): ListingRules {
  const rows = resource.toLowerCase();
  return {
    refuse: ({ status, at }) =>
      new SyncError('SYNC_SOURCE_UNREADABLE', {
        message: `The identity provider answered ${status}, expected 200.`,
        place: at,
        remedy: "Check the source's `paging`: `index` if the provider does not page by cursor.",
      }),
    checkLimit: () => undefined,
    isKeylessNews: true,
    words: {
      said: () => null,
      system: 'the provider',
      rows,
      next: 'nextCursor',
      count: '`totalResults`',
      keyless: (count) => `${count} ${rows} arrived without an id, so no absence can be proved`,
    },
  };
}

export function readId(row: Json): string | null {
  return textOf(findAttribute(objectOf(row), 'id')).trim() || null;
}
