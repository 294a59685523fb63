import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';

/** The largest page size; the default is 50. */
const PAGE = 100;
const HANDLES = [400, 404, 422];

/**
 * Reads employees from version 1 of the API, because its list contains everyone's current job. Version 2 lists 50 people
 * per page with only the ids of their jobs, so each person would take another call.
 */
export const READ: Dialect = {
  whole: (stream) => [list(stream, {})],
  changes: (stream, { timeMs }) => [list(stream, { updated_since: writeTime(timeMs) })],
  lookUp: ({ baseUrl, path }, id) => ({ url: `${baseUrl}${path}/${encodeURIComponent(id)}`, at: `${baseUrl}${path}` }),
};

/** Asks only for the attributes that columns need, because the key may give access to more. */
function list(stream: ListedStreamConfig, narrower: Readonly<Record<string, string>>): Question {
  const names = listPlaces(stream).flatMap((place) => readAttribute(place) ?? []);
  const attributes = [...new Set(names)].map((name) => `&attributes[]=${encodeURIComponent(name)}`).join('');
  const query = buildAddress(`${stream.baseUrl}${stream.path}`, { ...narrower, limit: String(PAGE), offset: '0' });
  return buildQuestion(stream, { url: `${query}${attributes}`, handles: HANDLES });
}

/** Returns the attribute of a place: `office` for `/attributes/office/value/attributes/name`. */
export function readAttribute(place: string): string | null {
  const [top, name = ''] = splitPointer(place);
  return top === 'attributes' && name !== '' ? name : null;
}

/**
 * Writes a time in UTC without a zone. If Personio reads it as local time, which is ahead of UTC, the response contains
 * more rows than necessary.
 */
function writeTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19);
}
