import { cleanCell } from '../../../model/hidden-signs.js';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../../model/json.js';
import { sha256 } from '../../../model/sha256.js';
import type { HttpAnswer, HttpCall } from '../../http/http-call.js';
import type { Question } from '../../listing/question.js';
import { compilePointer } from '../../rows/pointer.js';
import { fewAtATime } from '../few-at-a-time.js';
import type { DetailConfig, ListedStreamConfig } from '../listed-stream.js';
import { placeOf } from '../write-strategy.js';

/** Two properties of a kept row: its row in the list, and the time when its details were read. */
const LISTED = '@listed';
const READ_AT = '@read';

type AskRecord = (call: HttpCall) => Promise<HttpAnswer>;

/**
 * Reads details with one call per record, except for records with a list row that has not changed since the last call.
 * The time of change or, if there is none, the entire list row shows a change. The details override the list row.
 *
 * @param nowMs the time of the read, or an earlier time
 */
export function readDetails(
  stream: ListedStreamConfig,
  detail: DetailConfig,
  nowMs: number,
): NonNullable<Question['complete']> {
  const findKey = compilePointer(placeOf(stream, stream.key));
  const describe = compileMark(stream);
  const findRecord = compilePointer(detail.record);
  const call = (key: string): HttpCall => ({
    url: `${stream.baseUrl}${detail.path.replaceAll('{key}', encodeURIComponent(key))}`,
    headers: stream.headers,
    handles: [404, 410],
    mayBeGone: true,
  });
  const isFresh = (known: Json, mark: string): known is JsonObject =>
    isJsonObject(known) && known[LISTED] === mark && nowMs - Number(known[READ_AT]) < detail.refreshMs;
  return async function* complete(rows, ask: AskRecord, find) {
    for await (const complete of fewAtATime(rows, (row) => completeRow(row, ask, find)))
      yield complete.filter((row) => row !== null);
  };

  /** Adds the details to a row; null if the record was deleted in the meantime. */
  async function completeRow(row: Json, ask: AskRecord, find: (id: string) => Json): Promise<Json> {
    const value = findKey(row);
    const key = value === null || value === undefined ? '' : cleanCell(String(value));
    if (key === '' || !isJsonObject(row)) return row;
    const mark = describe(row);
    const known = find(key);
    if (isFresh(known, mark)) return known;
    const { status, body } = await ask(call(key));
    const record = status >= 400 ? null : findRecord(body);
    return isJsonObject(record) ? { ...row, ...record, [LISTED]: mark, [READ_AT]: nowMs } : null;
  }
}

function compileMark({ incremental }: ListedStreamConfig): (row: JsonObject) => string {
  const findTime = incremental === null ? null : compilePointer(incremental.modified);
  return (row) => {
    const time = findTime?.(row);
    return typeof time === 'string' || typeof time === 'number' ? String(time) : sha256(canonicalJson(row));
  };
}
