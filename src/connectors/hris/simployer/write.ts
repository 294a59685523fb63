import { describeRefusal } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { DONE, joinLists, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';

/** The fields that may be written. Simployer also accepts fields about pay and private life, which are never written. */
const WRITABLE: ReadonlySet<string> = new Set([
  ...['title', 'officeId', 'managerEmployeeId', 'departmentId', 'costCenterId', 'userName', 'division'],
  ...['organization', 'employeeNumber', 'workEmail', 'workPhone', 'firstName', 'lastName', 'avatarUrl', 'pronoun'],
]);

/** Sends one PATCH per person with the changed fields. */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path }) => `PATCH ${path}/{id}`,
  build: ({ baseUrl, path }, [sent]) => ({
    method: 'PATCH',
    url: `${baseUrl}${path}/${encodeURIComponent(sent?.record ?? '')}`,
    body: sent?.cells ?? {},
    handles: [400, 403, 404, 409, 413, 422],
  }),
  judge: () => [DONE],
  refusal: ({ status, body }) => ({ message: describeRefusal('Simployer', status, readWords(body)), properties: [] }),
  encode: joinLists,
  property: (place) => splitPointer(place)[0] ?? '',
  whyNotWritable(_, __, place) {
    const [name = '', ...rest] = splitPointer(place);
    if (rest.length === 0 && WRITABLE.has(name)) return null;
    return `\`${place}\` is not among the fields that Simployer accepts: ${[...WRITABLE].join(', ')}`;
  },
  findKeyProblem: (_, place) => (place === '/id' ? null : "Simployer's people are written by their `id`"),
};
