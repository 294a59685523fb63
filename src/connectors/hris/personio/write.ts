import { isJsonObject, type Json, objectOf } from '../../../model/json.js';
import { describeRefusal, quoteWords } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { DONE, joinLists, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';
import { readAttribute } from './read.js';

const WRITABLE: ReadonlySet<string> = new Set(['first_name', 'last_name', 'position', 'hire_date']);
/** Attributes with existing records as values, which are set by name. */
const BY_NAME: ReadonlySet<string> = new Set(['office', 'department', 'subcompany']);
const isCustom = (name: string): boolean => name.startsWith('dynamic_');

/**
 * Sends one employee per call. If Personio does not know a name, such as an office, it ignores the value and only adds a
 * note.
 */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path }) => `PATCH ${path}/{id}`,
  build: ({ baseUrl, path }, [{ record, cells } = { record: '', cells: {} }]) => {
    const entries = Object.entries(cells);
    const custom = Object.fromEntries(entries.filter(([name]) => isCustom(name)));
    const own = Object.fromEntries(entries.filter(([name]) => !isCustom(name)));
    const employee = Object.keys(custom).length === 0 ? own : { ...own, custom_attributes: custom };
    return {
      method: 'PATCH',
      url: `${baseUrl}${path}/${encodeURIComponent(record)}`,
      body: { employee },
      handles: [400, 404, 422],
    };
  },
  judge: (body) => {
    const ignored = readNote(body);
    return [ignored === null ? DONE : { status: 'refused', message: `Personio ignored the value: ${ignored}.` }];
  },
  refusal: ({ status, body }) => ({
    message: describeRefusal('Personio', status, readWords(body)),
    properties: [],
  }),
  encode: joinLists,
  property: (place) => readAttribute(place) ?? '',
  whyNotWritable(_, __, place) {
    const name = readAttribute(place) ?? '';
    const rest = splitPointer(place).slice(2).join('/');
    if (BY_NAME.has(name) && rest === 'value/attributes/name') return null;
    if ((WRITABLE.has(name) || isCustom(name)) && rest === 'value') return null;
    return `Personio accepts no value for \`${place}\``;
  },
  findKeyProblem: (_, place) =>
    place === '/attributes/id/value' ? null : "Personio's employees are written by their `id`",
};

/** Reads the note in `{ success: true, meta: { errors: … } }`. In this case, the other values were saved. */
function readNote(body: Json): string | null {
  const { success, error, meta, metadata } = objectOf(body);
  if (success === false) return readWords(body) ?? quoteWords(error) ?? 'it does not say why';
  for (const notes of [objectOf(meta), objectOf(metadata)]) {
    const found = notes.errors ?? notes.error;
    if (isJsonObject(found) || Array.isArray(found) || typeof found === 'string') {
      const text = typeof found === 'string' ? found : JSON.stringify(found);
      if (!/^(|\{\}|\[\])$/.test(text)) return quoteWords(text);
    }
  }
  return null;
}
