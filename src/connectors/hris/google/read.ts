import { type Json, listOf, objectOf } from '../../../model/json.js';
import { findRows } from '../../formats/find-rows.js';
import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';
import { choosePrimary, nameProperty } from './chosen.js';

/** The largest page size. */
const PAGE = 500;
/** The reasons for a rate limit. Google reports it as 403, which otherwise means a lost permission. */
const THROTTLED: ReadonlySet<Json | undefined> = new Set([
  'userRateLimitExceeded',
  'rateLimitExceeded',
  'quotaExceeded',
]);

/** Reads the users, then the users deleted within the last 20 days. Google cannot list changes. */
export const READ: Dialect = {
  whole: (stream) => [list(stream, false), list(stream, true)],
  changes: () => [],
  lookUp: ({ baseUrl, path }, id) => ({ url: `${baseUrl}${path}/${encodeURIComponent(id)}?fields=id` }),
  isThrottled: (status, body) => status === 403 && listReasons(body).some((reason) => THROTTLED.has(reason)),
  exhausted: (status, body) =>
    status === 403 && listReasons(body).includes('dailyLimitExceeded') ? 'the calls of the day' : null,
};

function listReasons(body: Json): readonly (Json | undefined)[] {
  const { errors } = objectOf(objectOf(body).error);
  return listOf(errors).map((error) => objectOf(error).reason);
}

function list(stream: ListedStreamConfig, isDeleted: boolean): Question {
  const { baseUrl, path, filter, rows } = stream;
  const tops = listPlaces(stream).map((place) => nameProperty(splitPointer(place)[0] ?? ''));
  const url = buildAddress(`${baseUrl}${path}`, {
    customer: 'my_customer',
    maxResults: String(PAGE),
    projection: 'full',
    // This limits the response to the requested data about a person.
    fields: `nextPageToken,users(${[...new Set(tops)].join(',')})`,
    ...(isDeleted ? { showDeleted: 'true' } : {}),
    ...(filter === null || isDeleted ? {} : { query: filter }),
  });
  return buildQuestion(
    stream,
    { url, handles: [400, 404] },
    {
      // If there are no users, the response lacks the list.
      findRows: ({ body, at }) => (objectOf(body).users === undefined ? [] : findRows(body, rows, at)),
      complete: (users) => [users.map(choosePrimary)],
      listsDeleted: isDeleted,
    },
  );
}
