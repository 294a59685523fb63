import { isJsonObject, itemsOf, type Json, listOf, objectOf } from '../../../../model/json.js';
import type { HttpAnswer } from '../../../http/http-call.js';
import { describeRefusal, quoteWords, type SentRecord } from '../../../http/send-records.js';
import {
  type CallRefusal,
  DONE,
  joinLists,
  type RecordVerdict,
  type WriteStrategy,
} from '../../../listed/write-strategy.js';
import { splitPointer } from '../../../rows/pointer.js';

/** Fields that Salesforce sets itself. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'Id',
  'IsDeleted',
  'CreatedDate',
  'CreatedById',
  'LastModifiedDate',
  'LastModifiedById',
  'LastActivityDate',
  'LastViewedDate',
  'LastReferencedDate',
  'SystemModstamp',
  // Salesforce derives these fields of an opportunity from its stage.
  'IsClosed',
  'IsWon',
]);

/** Temporary errors. The record is not at fault, and nothing was saved. */
const PASSING = /^(UNABLE_TO_LOCK_ROW|SERVER_UNAVAILABLE|REQUEST_RUNNING_TOO_LONG)$/;

/**
 * Writes with sObject Collections, which return one result per record, in the order of the records. An unknown field or
 * a value of the wrong type makes the entire call malformed.
 */
export const WRITE: WriteStrategy = {
  perCall: 200,
  name: ({ version }) => `PATCH /services/data/${version}/composite/sobjects`,
  build: ({ baseUrl, path, version }, records) => ({
    method: 'PATCH',
    url: `${baseUrl}/services/data/${version}/composite/sobjects`,
    body: {
      allOrNone: false,
      records: records.map(({ record, cells }) => ({ attributes: { type: path }, id: record, ...cells })),
    },
    handles: [400, 404, 409, 413],
  }),
  judge: judgeResults,
  refusal: readRefusal,
  encode: joinLists,
  property: (place) => splitPointer(place)[0] ?? '',
  whyNotWritable(stream, column, place) {
    const [name = '', ...rest] = splitPointer(place);
    if (rest.length > 0) return `\`${place}\` belongs to another record, which this record only refers to`;
    if (READ_ONLY.has(name)) return `Salesforce sets \`${name}\` itself`;
    return stream.columns[column]?.type === 'map' ? 'a field of Salesforce cannot hold an object' : null;
  },
  findKeyProblem: (_, place) => (place === '/Id' ? null : "Salesforce's records are written by their `Id`"),
};

function judgeResults(body: Json, records: readonly SentRecord[]): readonly RecordVerdict[] {
  if (!Array.isArray(body) || body.length !== records.length) {
    return records.map(() => ({ status: 'lost', message: 'The answer does not have one result for each record.' }));
  }
  return (body as readonly Json[]).map((result): RecordVerdict => {
    if (isJsonObject(result) && result.success === true) return DONE;
    const errors = listOf(objectOf(result).errors);
    const [first] = errors.filter(isJsonObject);
    const code = typeof first?.statusCode === 'string' ? first.statusCode : 'no code';
    const fields = Array.isArray(first?.fields) && first.fields.length > 0 ? ` (${first.fields.join(', ')})` : '';
    const message = `Salesforce rejected it: ${quoteWords(first?.message) ?? 'without a message'}${fields} (${code}).`;
    return { status: 'refused', message, ...(PASSING.test(code) ? { mayBeRepeated: true } : {}) };
  });
}

/** Reads `[{ message, errorCode }]`. For an unknown field, the message quotes its name. */
function readRefusal({ status, body }: HttpAnswer): CallRefusal {
  const { message, errorCode } = objectOf(itemsOf(body)[0]);
  const words = quoteWords(message);
  const names = errorCode === 'INVALID_FIELD' ? (words ?? '').matchAll(/'([A-Za-z]\w*)'/g) : [];
  const said = words === null ? null : `${words} (${errorCode})`;
  const refusal = {
    message: describeRefusal('Salesforce', status, said),
    properties: [...names].map(([, name = '']) => name),
  };
  return typeof errorCode === 'string' && PASSING.test(errorCode) ? { ...refusal, mayBeRepeated: true } : refusal;
}
