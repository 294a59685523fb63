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

/** Properties that HubSpot sets itself. */
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
 * Writes with `batch/update` of CRM objects. A 207 response names the failed records or omits them, so a record missing
 * from the results was not updated. An invalid value or a missing record may also cause HubSpot to reject the entire
 * call.
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
      quoteWords(error?.message) ??
      'its answer does not contain the record: it does not exist, or was merged with another';
    return { status: 'refused', message: `HubSpot rejected it: ${words}.` };
  });
}

/** True if an error names the record, as `context: { ids: ["42"] }` or `objectWriteTraceId: ["42"]`. */
function namesRecord({ context, id }: JsonObject, record: string): boolean {
  if (id === record) return true;
  if (!isJsonObject(context)) return false;
  return Object.values(context).some((ids) => Array.isArray(ids) && ids.includes(record));
}

/** Compares written values with the response, which shows numbers and times in HubSpot's own formats. */
function compareValues(result: JsonObject, cells: Readonly<Record<string, Json>>): RecordVerdict {
  const shown = objectOf(result.properties);
  const other = Object.entries(cells).find(([name, value]) => {
    const came = shown[name];
    return came !== undefined && print(came) !== print(value);
  });
  if (other === undefined) return DONE;
  return {
    status: 'refused',
    message: `HubSpot stored another value of \`${other[0]}\`: ${JSON.stringify(shown[other[0]])}.`,
  };
}

function print(value: Json): string {
  const text = value === null ? '' : String(value).trim();
  if (/^-?\d+(\.\d+)?$/.test(text)) return String(Number(text));
  if (/^\d{4}-\d{2}-\d{2}(T|$)/.test(text)) return String(Date.parse(text));
  return text.split(';').sort().join(';');
}

/**
 * Reads `{ message, category, errors: [{ message, code, context }] }`. The message about invalid values lists them.
 * Since 2026-09, rules set by an account's administrators also apply to calls. The errors of these rules name missing
 * properties, but not the records at fault.
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
