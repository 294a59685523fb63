import type { HttpAnswer } from '../../http/http-call.js';
import { describeRefusal, quoteWords } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { type CallRefusal, DONE, joinLists, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';

/** Fields with a single value. Titles, departments and similar fields are rows of a history, each with its first day. */
const WRITABLE: ReadonlySet<string> = new Set([
  ...['firstName', 'lastName', 'preferredName', 'workEmail', 'workPhone', 'workPhoneExtension', 'mobilePhone'],
  ...['employeeNumber', 'linkedinUrl'],
]);
/** Matches the names of custom fields: a number, or a word that begins with `custom`. */
const CUSTOM = /^(?:custom\w*|\d+)$/;

/** Sends one employee per call. Only the named fields are set. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path }) => `POST ${path}/{id}`,
  build: ({ baseUrl, path }, [{ record, cells } = { record: '', cells: {} }]) => ({
    method: 'POST',
    url: `${baseUrl}${path}/${encodeURIComponent(record)}`,
    body: cells,
    // A 403 means that the key may not change this field at all, or not for this person.
    handles: [400, 403, 404, 406, 409, 422],
  }),
  judge: () => [DONE],
  refusal: readRefusal,
  encode: (value, column) => (value === null ? '' : joinLists(value, column)),
  property: (place) => splitPointer(place)[0] ?? '',
  whyNotWritable(_, __, place) {
    const [name = '', ...rest] = splitPointer(place);
    if (rest.length === 0 && (WRITABLE.has(name) || CUSTOM.test(name))) return null;
    return `BambooHR maintains \`${name}\` itself, or with the day from which it applies`;
  },
  findKeyProblem: (_, place) => (place === '/employeeId' ? null : "BambooHR's employees are written by their `id`"),
};

/** Reads a rejection. Most rejections give the reason only in a header. */
function readRefusal({ status, body, headers }: HttpAnswer): CallRefusal {
  const words = quoteWords(headers.get('x-bamboohr-error-message') ?? undefined) ?? readWords(body);
  return { message: describeRefusal('BambooHR', status, words), properties: [] };
}
