import { itemsOf, type Json, objectOf } from '../../../../model/json.js';
import type { HttpAnswer } from '../../../http/http-call.js';
import { buildQuestion, type Dialect, listPlaces } from '../../../listed/dialect.js';
import type { ListedStreamConfig } from '../../../listed/listed-stream.js';
import { isId, listMergeProperties, type MergeSign } from '../../../listed/merges.js';
import { buildAddress } from '../../../listed/next-page.js';
import type { Question } from '../../../listing/question.js';
import { splitPointer } from '../../../rows/pointer.js';

/** The requested page size; Salesforce returns fewer rows if they have many columns. */
const PAGE = 2_000;
/** The share of used daily calls at which talent-sync stops, so that the remaining calls are left to people and other tools. */
const MOST_USED = 0.95;
/** The fields that are always requested: the id, the time of the last change, and the deletion flag. */
const NEEDED = ['Id', 'SystemModstamp', 'IsDeleted'];

/** In Salesforce, the record that disappeared in a merge names the surviving record. */
const MERGES: MergeSign = {
  objects: new Set(['Account', 'Contact', 'Lead', 'Case']),
  properties: ['MasterRecordId'],
  read: ({ MasterRecordId: into }) => (isId(into) ? { into } : null),
};

/** Reads by SOQL through `queryAll`, which includes the recycle bin, so a deletion is a row like any other. */
export const READ: Dialect = {
  merges: MERGES,
  whole: (stream) => [ask(stream, [])],
  changes: (stream, { timeMs }) => [ask(stream, [`SystemModstamp >= ${new Date(timeMs).toISOString()}`])],
  exhausted: (status, body) =>
    status === 403 && readErrorCode(body) === 'REQUEST_LIMIT_EXCEEDED'
      ? 'the calls of the last 24 hours (REQUEST_LIMIT_EXCEEDED)'
      : null,
  nearLimit: readUsage,
};

function ask(stream: ListedStreamConfig, conditions: readonly string[]): Question {
  const columns = listPlaces(stream).map((place) => splitPointer(place).join('.'));
  const fields = [...new Set([...NEEDED, ...columns, ...listMergeProperties(stream, MERGES)])];
  const all = [...(stream.filter === null ? [] : [`(${stream.filter})`]), ...conditions];
  const where = all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`;
  const q = `SELECT ${fields.join(', ')} FROM ${stream.path}${where}`;
  const call = {
    url: buildAddress(`${stream.baseUrl}/services/data/${stream.version}/queryAll`, { q }),
    headers: { 'sforce-query-options': `batchSize=${PAGE}` },
    handles: [400, 404],
  };
  return buildQuestion(stream, call, { pageSize: PAGE });
}

function readErrorCode(body: Json): Json | undefined {
  return objectOf(itemsOf(body)[0]).errorCode;
}

/** Reads the used calls from `Sforce-Limit-Info: api-usage=14300/15000`, a header of every response. */
function readUsage({ headers }: HttpAnswer): string | null {
  const found = /api-usage=(\d+)\/(\d+)/.exec(headers.get('sforce-limit-info') ?? '');
  const [used, most] = [Number(found?.[1]), Number(found?.[2])];
  if (found === null || most === 0 || used < most * MOST_USED) return null;
  return `${used} of the ${most} calls of the last 24 hours are used; the rest is left for others`;
}
