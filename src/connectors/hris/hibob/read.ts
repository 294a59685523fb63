import { isJsonObject, type Json, type JsonObject, objectOf } from '../../../model/json.js';
import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { splitPointer, stepInto } from '../../rows/pointer.js';

/**
 * Reads through the search, which returns everyone in one response, including people who have left if requested. The
 * search cannot list changes, so every read is complete.
 */
export const READ: Dialect = {
  whole: (stream) => {
    const fields = listFields(stream);
    const call = {
      method: 'POST',
      url: `${stream.baseUrl}${stream.path}/search`,
      body: { fields: [...fields], humanReadable: 'APPEND', showInactive: true },
      handles: [400, 404],
    } as const;
    return [
      buildQuestion(stream, call, {
        *complete(rows) {
          yield rows.map((row) => flatten(objectOf(row), fields));
        },
      }),
    ];
  },
  changes: () => [],
  lookUp: ({ baseUrl, path }, id) => ({
    method: 'POST',
    url: `${baseUrl}${path}/${encodeURIComponent(id)}`,
    at: `${baseUrl}${path}/{id}`,
    body: { fields: ['root.id'] },
  }),
};

/** Returns the field of a place: `work.title` for both `/values/work.title` and `/words/work.title`. */
export function readField(place: string): string | null {
  const [top, field = ''] = splitPointer(place);
  return (top === 'values' || top === 'words') && field !== '' ? field : null;
}

function listFields(stream: ListedStreamConfig): readonly string[] {
  return [...new Set(listPlaces(stream).flatMap((place) => readField(place) ?? []))];
}

/** Lists the stored value and the label of each field under its id. A field that the key may not see has neither. */
function flatten(row: JsonObject, fields: readonly string[]): Json {
  const values: Record<string, Json> = {};
  const words: Record<string, Json> = {};
  const readable = objectOf(row.humanReadable);
  for (const field of fields) {
    const value = findField(row, field);
    if (value === undefined) continue;
    values[field] = value;
    words[field] = findField(readable, field) ?? value;
  }
  return { values, words };
}

/**
 * Finds a field at `/work/title`, as a plain value or as the `value` of an object, or in one object per category: `{
 * work: { title } }`.
 */
function findField(row: JsonObject, field: string): Json | undefined {
  const slashed = row[`/${field.replaceAll('.', '/')}`];
  if (slashed !== undefined) return isJsonObject(slashed) && 'value' in slashed ? slashed.value : slashed;
  let found: Json | undefined = row;
  for (const step of field.replace(/^root\./, '').split('.')) found = stepInto(found, step);
  return found;
}
