import { describeRefusal } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { nestCells } from '../../listed/plain/body-template.js';
import { DONE, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';
import { readField } from './read.js';

/**
 * Writable fields of a person. Title, department, site, manager and start date are columns of a table with one row per
 * change.
 */
const WRITABLE: ReadonlySet<string> = new Set([
  ...['root.firstName', 'root.surname', 'root.displayName'],
  ...['work.workPhone', 'work.workMobile'],
]);
/** Matches custom fields such as `work.custom.field_1700000000000`; columns of tables contain `customColumns` instead. */
const CUSTOM = /(?:^|\.)custom\.field_\d+$/;

/** Sends one person per call. Fields that are not named stay unchanged. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path }) => `PUT ${path}/{id}`,
  build: ({ baseUrl, path }, [{ record, cells } = { record: '', cells: {} }]) => ({
    method: 'PUT',
    url: `${baseUrl}${path}/${encodeURIComponent(record)}`,
    body: nestCells(cells, placeInBody),
    // A 304 means that the person already has these values.
    handles: [304, 400, 403, 404, 409, 422],
  }),
  judge: () => [DONE],
  refusal: ({ status, body }) => ({ message: describeRefusal('Bob', status, readWords(body)), properties: [] }),
  encode: (value) => value,
  property: (place) => readField(place) ?? '',
  whyNotWritable(_, __, place) {
    const field = readField(place) ?? '';
    const [top, , ...rest] = splitPointer(place);
    const isOpen = WRITABLE.has(field) || CUSTOM.test(field);
    return isOpen && top === 'values' && rest.length === 0 ? null : `Bob accepts no value for \`${place}\` here`;
  },
  findKeyProblem: (_, place) => (place === '/values/root.id' ? null : "Bob's people are written by their `id`"),
};

/** Returns the pointer to a field in the body. `work.workPhone` is in the object `work`, `root.firstName` at the top level. */
function placeInBody(field: string): string {
  return `/${field.replace(/^root\./, '').replaceAll('.', '/')}`;
}
