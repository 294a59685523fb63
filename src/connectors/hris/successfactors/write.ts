import { isJsonObject, type Json, listOf, objectOf } from '../../../model/json.js';
import { describeRefusal, quoteWords, type SentRecord } from '../../http/send-records.js';
import { readWords } from '../../listed/listing-rules.js';
import { DONE, joinLists, type RecordVerdict, type WriteStrategy } from '../../listed/write-strategy.js';
import { splitPointer } from '../../rows/pointer.js';

/** Writable properties of a user. Employee Central overwrites properties that it manages itself. */
const WRITABLE = /^(title|email|nickname|businessPhone|cellPhone|fax|location|department|division|custom(0\d|1[0-5]))$/;

/** Sends an `upsert` of many users, with one result per user. Without a user name, the call creates no new user. */
export const WRITE: WriteStrategy = {
  perCall: 100,
  name: () => 'POST /odata/v2/upsert',
  build: ({ baseUrl, path }, records) => ({
    method: 'POST',
    url: `${baseUrl}/odata/v2/upsert?$format=json`,
    body: records.map(({ record, cells }) => ({
      __metadata: { uri: `${path}('${encodeURIComponent(record.replaceAll("'", "''"))}')` },
      ...cells,
    })),
    handles: [400, 404, 413],
  }),
  judge: judgeResults,
  refusal: ({ status, body }) => ({
    message: describeRefusal('SuccessFactors', status, readWords(body)),
    properties: [],
  }),
  encode: joinLists,
  property: (place) => splitPointer(place)[0] ?? '',
  whyNotWritable(_, __, place) {
    const [name = '', ...rest] = splitPointer(place);
    if (rest.length > 0) return `\`${place}\` belongs to an entity other than the user`;
    return WRITABLE.test(name) ? null : `SuccessFactors or Employee Central sets \`${name}\` itself`;
  },
  findKeyProblem: (_, place) => (place === '/userId' ? null : 'users of SuccessFactors are written by their `userId`'),
};

/** Reads `{ d: [{ key, status, message, index }] }`. */
function judgeResults(body: Json, records: readonly SentRecord[]): readonly RecordVerdict[] {
  const results = new Map(
    listOf(objectOf(body).d)
      .filter(isJsonObject)
      .map((result) => [Number(result.index), result]),
  );
  return records.map((_, index): RecordVerdict => {
    const result = results.get(index);
    if (result === undefined) return { status: 'lost', message: 'The answer has no result for it.' };
    if (result.status === 'OK') return DONE;
    const message = `SuccessFactors rejected it: ${quoteWords(result.message) ?? 'without a message'}.`;
    return { status: 'refused', message };
  });
}
