import { describeRefusal } from '../../../http/send-records.js';
import { readWords } from '../../../listed/listing-rules.js';
import { DONE, joinLists, type WriteStrategy } from '../../../listed/write-strategy.js';
import { splitPointer } from '../../../rows/pointer.js';

/** Fields that Dynamics sets itself. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'createdon',
  'modifiedon',
  'overriddencreatedon',
  'versionnumber',
  'exchangerate',
]);
/**
 * Fields with the state of an opportunity. Dynamics rejects direct changes, because only special actions win or lose an
 * opportunity.
 */
const STATES: ReadonlySet<string> = new Set(['statecode', 'statuscode', 'stepname']);

/**
 * Sends one PATCH per record. Without `If-Match: *`, the PATCH would recreate a deleted record. `$batch` would save
 * round trips but no calls, because limits count each of its operations. If the connection broke, a thousand outcomes
 * would be unknown.
 */
export const WRITE: WriteStrategy = {
  perCall: 1,
  name: ({ path, version }) => `PATCH /api/data/${version}/${path}({id})`,
  build: ({ baseUrl, path, version }, [sent]) => ({
    method: 'PATCH',
    url: `${baseUrl}/api/data/${version}/${encodeURIComponent(path)}(${encodeURIComponent(sent?.record ?? '')})`,
    headers: { 'if-match': '*', 'odata-version': '4.0', 'odata-maxversion': '4.0' },
    body: sent?.cells ?? {},
    handles: [400, 403, 404, 409, 412, 413],
  }),
  judge: () => [DONE],
  refusal: ({ status, body }) => ({
    message: describeRefusal('Dynamics', status, readWords(body)),
    properties: [],
  }),
  encode: joinLists,
  property: (place) => splitPointer(place)[0] ?? '',
  whyNotWritable(stream, column, place) {
    const [name = '', ...rest] = splitPointer(place);
    if (rest.length > 0) return `\`${place}\` belongs to another record, which this record only refers to`;
    if (name.includes('@')) return `\`${name}\` is the label of a number; only the column of the number can be written`;
    if (/^_.+_value$/.test(name)) return `\`${name}\` is the id of another record, which a value cannot set`;
    if (READ_ONLY.has(name)) return `Dynamics sets \`${name}\` itself`;
    if (stream.path === 'opportunities' && STATES.has(name)) {
      return 'Dynamics changes the state of an opportunity by special actions only';
    }
    return stream.columns[column]?.type === 'map' ? 'a column of Dynamics cannot hold an object' : null;
  },
  findKeyProblem: ({ path }, place) =>
    /^\/\w+id$/.test(place) ? null : `rows of \`${path}\` are written by their id, such as \`/accountid\``,
};
