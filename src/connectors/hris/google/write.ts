import { describeRefusal } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { nestCells } from '../../listed/plain/body-template.js';
import { DONE, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';
import { nameProperty } from './chosen.js';

const WRITABLE = /^\/(name\/(givenName|familyName)|customSchemas\/[^/]+\/[^/]+)$/;
const LISTS: ReadonlySet<string> = new Set([
  'organizations',
  'locations',
  'relations',
  'externalIds',
  'phones',
  'addresses',
]);

/** Sends one PATCH per user. The PATCH replaces lists completely. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path }) => `PATCH ${path}/{id}`,
  build: ({ baseUrl, path }, [{ record, cells } = { record: '', cells: {} }]) => ({
    method: 'PATCH',
    url: `${baseUrl}${path}/${encodeURIComponent(record)}`,
    body: nestCells(cells, (place) => place),
    handles: [400, 403, 404, 409, 412],
  }),
  judge: () => [DONE],
  refusal: ({ status, body }) => ({ message: describeRefusal('Google', status, readWords(body)), properties: [] }),
  encode: (value) => value,
  property: (place) => place,
  whyNotWritable(_, __, place) {
    if (WRITABLE.test(place)) return null;
    const name = nameProperty(splitPointer(place)[0] ?? '');
    return LISTS.has(name)
      ? `Google replaces \`${name}\` as one list, so other entries would be lost`
      : `\`${name}\` is not among the properties that talent-sync changes in Google`;
  },
  findKeyProblem: (_, place) => (place === '/id' ? null : "Google's users are written by their `id`"),
};
