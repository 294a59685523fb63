import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';

/** The most that a page may have; without a limit it has 50. */
const PAGE = 100;
const HANDLES = [400, 404, 422];

/**
 * Employees of the first version of the interface: it shows the current job of everybody in its list. The second version lists people 50
 * per page with nothing but ids of their jobs, so that each person takes a call of their own.
 */
export const READ: Dialect = {
  whole: (stream) => [list(stream, {})],
  changes: (stream, { timeMs }) => [list(stream, { updated_since: writeTime(timeMs) })],
  lookUp: ({ baseUrl, path }, id) => ({ url: `${baseUrl}${path}/${encodeURIComponent(id)}`, at: `${baseUrl}${path}` }),
};

/** Only the attributes that columns need are asked for: the key may see more than anyone here should. */
function list(stream: ListedStreamConfig, narrower: Readonly<Record<string, string>>): Question {
  const names = listPlaces(stream).flatMap((place) => readAttribute(place) ?? []);
  const attributes = [...new Set(names)].map((name) => `&attributes[]=${encodeURIComponent(name)}`).join('');
  const query = buildAddress(`${stream.baseUrl}${stream.path}`, { ...narrower, limit: String(PAGE), offset: '0' });
  return buildQuestion(stream, { url: `${query}${attributes}`, handles: HANDLES });
}

/** `/attributes/office/value/attributes/name` is of `office`. */
export function readAttribute(place: string): string | null {
  const [top, name = ''] = splitPointer(place);
  return top === 'attributes' && name !== '' ? name : null;
}

/** In UTC without saying so: should the vendor take it for its own time, which is ahead, then more than the changes come. */
function writeTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19);
}
