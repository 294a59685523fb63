import { type Json, objectOf, textOf } from '../../../model/json.js';
import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';

/** The maximum page size. */
const PAGE = 1_000;
const ALWAYS = ['userId', 'lastModifiedDateTime'];
/** The condition that includes inactive people. Without a condition on the status, a list leaves them out. */
const EMPLOYEES = "status in 't','f'";
const DAY_MS = 24 * 3_600_000;

/**
 * Reads OData version 2. A list shows jobs as of today, so a change may be entered long before it appears. Jobs that
 * have begun since the last read are therefore also read.
 */
export const READ: Dialect = {
  whole: (stream) => [ask(stream, [])],
  changes: (stream, { timeMs }) => [ask(stream, [spellChanges(stream, timeMs)])],
  // The API answers 403 to an invalid token, as it does to a lost permission.
  isTokenOver: (status, body) => status === 403 && /LGN000[67]|TOKEN_INVALID|TOKEN_EXPIRED/.test(readError(body)),
  remedy: (words) => (/COE0021|PROPERTY_NOT_FOUND|invalid property/i.test(words) ? NO_PROPERTY : null),
};

const NO_PROPERTY =
  'Without Employee Central there is no `empInfo`: declare `start_date`, `end_date`, `employment_status` and `person_id` under `columns` with your own `from`, such as `/hireDate`. For columns of your own, compare `from` with the OData API Data Dictionary.';

function ask(stream: ListedStreamConfig, conditions: readonly string[]): Question {
  const paths = listPaths(stream);
  const navigations = paths.flatMap((path) => path.slice(0, -1).map((_, at) => path.slice(0, at + 1).join('/')));
  const expand = [...new Set(navigations)];
  // A configured condition on the status replaces the default condition.
  const { filter } = stream;
  const basic = filter !== null && /\bstatus\b/.test(filter) ? [] : [EMPLOYEES];
  const all = [...basic, ...(filter === null ? [] : [filter]), ...conditions];
  const url = buildAddress(`${stream.baseUrl}/odata/v2/${stream.path}`, {
    $format: 'json',
    $select: [...new Set([...ALWAYS, ...paths.map((path) => path.join('/'))])].join(','),
    ...(expand.length === 0 ? {} : { $expand: expand.join(',') }),
    $filter: all.length === 1 ? (all[0] ?? '') : all.map((one) => `(${one})`).join(' and '),
    $inlinecount: 'allpages',
    // The server keeps a snapshot of the list, so that no person is missed or repeated if the list changes.
    paging: 'snapshot',
    customPageSize: String(PAGE),
  });
  return buildQuestion(stream, { url, handles: [400, 404] });
}

/** Lists the paths of properties and navigations, without the lists that responses add around the targets of navigations. */
function listPaths(stream: ListedStreamConfig): readonly (readonly string[])[] {
  return listPlaces(stream).map((place) => splitPointer(place).filter((step) => !/^(results|\d+)$/.test(step)));
}

function spellChanges(stream: ListedStreamConfig, timeMs: number): string {
  const since = `datetimeoffset'${new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z')}'`;
  const day = `datetime'${new Date(timeMs - DAY_MS).toISOString().slice(0, 10)}T00:00:00'`;
  const asked = new Set(listPaths(stream).flatMap((path) => path.slice(0, -1)));
  const changed = (navigation: string): string => `${navigation}lastModifiedDateTime ge ${since}`;
  return [
    changed(''),
    ...(asked.has('empInfo') ? [changed('empInfo/')] : []),
    ...(asked.has('jobInfoNav') ? [changed('empInfo/jobInfoNav/'), `empInfo/jobInfoNav/startDate ge ${day}`] : []),
  ].join(' or ');
}

/** Reads `{ error: { code, message: { lang, value } } }`. */
function readError(body: Json): string {
  const { code, message } = objectOf(objectOf(body).error);
  return `${textOf(code)} ${textOf(objectOf(message).value)}`;
}
