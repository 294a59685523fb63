import type { HttpAnswer } from '../../http/http-call.js';
import { describeRefusal, quoteWords } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { type CallRefusal, DONE, joinLists, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';

/** Fields that have one value. Titles, departments and the like are rows of a history, with the day from which they apply. */
const WRITABLE: ReadonlySet<string> = new Set([
  ...['firstName', 'lastName', 'preferredName', 'workEmail', 'workPhone', 'workPhoneExtension', 'mobilePhone'],
  ...['employeeNumber', 'linkedinUrl'],
]);
/** Names of the fields that a customer has added: a number, or a word that begins with `custom`. */
const CUSTOM = /^(?:custom\w*|\d+)$/;

/** One employee per call: the fields that are named are set, all others stay. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path }) => `POST ${path}/{id}`,
  build: ({ baseUrl, path }, [{ record, cells } = { record: '', cells: {} }]) => ({
    method: 'POST',
    url: `${baseUrl}${path}/${encodeURIComponent(record)}`,
    body: cells,
    // 403: the key may not change this field, or not of this person.
    handles: [400, 403, 404, 406, 409, 422],
  }),
  judge: () => [DONE],
  refusal: readRefusal,
  encode: (value, column) => (value === null ? '' : joinLists(value, column)),
  property: (place) => splitPointer(place)[0] ?? '',
  whyNotWritable(_, __, place) {
    const [name = '', ...rest] = splitPointer(place);
    if (rest.length === 0 && (WRITABLE.has(name) || CUSTOM.test(name))) return null;
    return `BambooHR keeps \`${name}\` itself, or with the day from which it applies`;
  },
  findKeyProblem: (_, place) => (place === '/employeeId' ? null : "BambooHR's employees are written by their `id`"),
};

/** Most refusals say why in a header alone. */
function readRefusal({ status, body, headers }: HttpAnswer): CallRefusal {
  const words = quoteWords(headers.get('x-bamboohr-error-message') ?? undefined) ?? readWords(body);
  return { message: describeRefusal('BambooHR', status, words), properties: [] };
}
