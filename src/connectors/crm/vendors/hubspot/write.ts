import { isJsonObject, type Json, type JsonObject, listOf, objectOf } from '../../../../model/json.js';
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
import { addressObjects } from './address-objects.js';

/** Kept by the vendor itself. */
const READ_ONLY: ReadonlySet<string> = new Set([
  'hs_object_id',
  'createdate',
  'hs_createdate',
  'hs_lastmodifieddate',
  'lastmodifieddate',
  'hs_is_closed',
  'hs_is_closed_won',
  'hs_primary_associated_company',
]);

/**
 * `batch/update` of CRM objects. An answer of 207 names the records that failed, or only leaves them out of its results: what is not
 * among them was not taken. A value that is not valid, or a record that is not there, may also refuse the whole call.
 */
export const WRITE: WriteStrategy = {
  perCall: 100,
  name: (stream) => `POST ${addressObjects(stream)}/batch/update`,
  build: (stream, records) => ({
    method: 'POST',
    url: `${stream.baseUrl}${addressObjects(stream)}/batch/update`,
    body: {
      inputs: records.map(({ record, cells }) => ({ id: record, properties: cells, objectWriteTraceId: record })),
    },
    handles: [400, 404, 409, 413],
  }),
  judge: judgeResults,
  refusal: readRefusal,
  encode(value, column) {
    if (value === null) return '';
    const joined = joinLists(value, column);
    return typeof joined === 'string' ? joined : String(joined);
  },
  property: (place) => splitPointer(place)[1] ?? '',
  whyNotWritable(stream, column, place) {
    const [top, name = '', ...rest] = splitPointer(place);
    if (top !== 'properties' || name === '' || rest.length > 0) return `\`${place}\` is not a property of the object`;
    if (READ_ONLY.has(name)) return `HubSpot sets \`${name}\` itself`;
    return stream.columns[column]?.type === 'map' ? 'a property of HubSpot cannot hold an object' : null;
  },
  findKeyProblem: (_, place) => (place === '/id' ? null : "HubSpot's records are written by their `id`"),
};

function judgeResults(body: Json, records: readonly SentRecord[]): readonly RecordVerdict[] {
  if (!isJsonObject(body) || !Array.isArray(body.results)) {
    return records.map(() => ({ status: 'lost', message: 'The answer has no results.' }));
  }
  const results = (body.results as readonly Json[]).filter(isJsonObject);
  const errors = listOf(body.errors).filter(isJsonObject);
  const found = new Map(results.map((result) => [String(result.id), result]));
  return records.map(({ record, cells }): RecordVerdict => {
    const result = found.get(record);
    if (result !== undefined) return compareValues(result, cells);
    const error = errors.find((one) => namesRecord(one, record));
    const words =
      quoteWords(error?.message) ?? 'its answer leaves the record out: it is not there, or merged with another';
    return { status: 'refused', message: `HubSpot refused it: ${words}.` };
  });
}

/** `context: { ids: ["42"] }`, or `objectWriteTraceId: ["42"]`. */
function namesRecord({ context, id }: JsonObject, record: string): boolean {
  if (id === record) return true;
  if (!isJsonObject(context)) return false;
  return Object.values(context).some((ids) => Array.isArray(ids) && ids.includes(record));
}

/** It shows the properties that were written, as it keeps them: numbers and times in its own formats. */
function compareValues(result: JsonObject, cells: Readonly<Record<string, Json>>): RecordVerdict {
  const shown = objectOf(result.properties);
  const other = Object.entries(cells).find(([name, value]) => {
    const came = shown[name];
    return came !== undefined && print(came) !== print(value);
  });
  if (other === undefined) return DONE;
  return {
    status: 'refused',
    message: `HubSpot keeps another value of \`${other[0]}\`: ${JSON.stringify(shown[other[0]])}.`,
  };
}

function print(value: Json): string {
  const text = value === null ? '' : String(value).trim();
  if (/^-?\d+(\.\d+)?$/.test(text)) return String(Number(text));
  if (/^\d{4}-\d{2}-\d{2}(T|$)/.test(text)) return String(Date.parse(text));
  return text.split(';').sort().join(';');
}

/**
 * `{ message, category, errors: [{ message, code, context }] }`; the message of values has a list of what is wrong in it. From 2026-09 on the
 * rules of an account's administrators hold for calls too. Their errors name what a record lacks, so that they do not tell which
 * records are at fault.
 */
function readRefusal({ status, body }: HttpAnswer): CallRefusal {
  const { message, errors } = objectOf(body);
  const text = String(message);
  const isOfNames = /PROPERTY_DOESNT_EXIST|READ_ONLY_VALUE/.test(text);
  const names = isOfNames ? [...text.matchAll(/"name":\s*"([^"]+)"/g)].map(([, name = '']) => name) : [];
  const words = [quoteWords(message), ...listOf(errors).map(errorText)].filter((one) => one !== null);
  const said = words.length === 0 ? null : quoteWords([...new Set(words)].join(': '));
  return { message: describeRefusal('HubSpot', status, said), properties: names };
}

function errorText(error: Json): string | null {
  const { message, code, subCategory } = objectOf(error);
  const words = quoteWords(message);
  const kind = [code, subCategory].find((one) => typeof one === 'string');
  return words === null || kind === undefined ? words : `${words} (${kind})`;
}
