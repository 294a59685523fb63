import { isJsonObject, itemsOf, type Json, type JsonObject } from '../../../model/json.js';
import { followLink } from '../../http/addresses.js';
import type { HttpCall } from '../../http/http-call.js';
import { buildQuestion, type Dialect, listPlaces } from '../../listed/dialect.js';
import type { ListedStreamConfig } from '../../listed/listed-stream.js';
import { buildAddress } from '../../listed/next-page.js';
import type { Question } from '../../listing/question.js';
import { splitPointer } from '../../rows/pointer.js';

/** The largest page of users. */
const PAGE = 999;
const HANDLES = [400, 404, 501];

const NO_CHANGES =
  'Some tenants cannot track changes, such as Azure AD B2C: `incremental: { full_every: 0h }` reads everyone each time.';

/**
 * Reads the users of Microsoft Graph. A complete read first starts change tracking (`$deltatoken=latest`), so that no
 * change during the read is missed. The list itself is not read by tracking, which supports no page size. A listing with
 * a filter cannot be tracked.
 */
export const READ: Dialect = {
  whole: (stream) => (stream.incremental === null ? [list(stream)] : [start(stream), list(stream)]),
  changes(stream, { link }) {
    if (link === null) return [];
    // The link comes from an earlier run. Like any other link, it must stay under the configured address.
    const url = followLink(`${stream.baseUrl}${stream.path}`, link);
    return [buildQuestion(stream, { url }, { isContinued: true })];
  },
  changesLink: '/@odata.deltaLink',
  lookUp: (stream, id) => ({ url: `${stream.baseUrl}${stream.path}/${encodeURIComponent(id)}?$select=id` }),
  overlay: layOver,
  isOther: ({ filter }, row) => filter === null && isGuest(row),
  remedy: (words) => (/delta|change.?tracking/i.test(words) ? NO_CHANGES : null),
};

/** True for guests, who belong to other tenants. Old users have no type and count as members. */
function isGuest(row: Json): boolean {
  return isJsonObject(row) && String(row.userType).toLowerCase() === 'guest';
}

function listProperties(stream: ListedStreamConfig): readonly string[] {
  const tops = listPlaces(stream).map((place) => splitPointer(place)[0] ?? '');
  return [...new Set(['id', 'userType', ...tops])];
}

function start(stream: ListedStreamConfig): Question {
  const url = buildAddress(`${stream.baseUrl}${stream.path}/delta`, {
    $deltatoken: 'latest',
    $select: listProperties(stream).join(','),
  });
  return buildQuestion(stream, { url, handles: HANDLES }, { isStart: true });
}

function list(stream: ListedStreamConfig): Question {
  const properties = listProperties(stream);
  const call: HttpCall = {
    url: buildAddress(`${stream.baseUrl}${stream.path}`, {
      $select: properties.filter((name) => name !== 'manager').join(','),
      ...(properties.includes('manager') ? { $expand: 'manager($select=id)' } : {}),
      ...(stream.filter === null ? {} : { $filter: stream.filter }),
      $top: String(PAGE),
    }),
    handles: HANDLES,
  };
  return buildQuestion(stream, call, { complete: (rows) => [rows.map(tidy)] });
}

/** Shortens the hire date to a day. Graph stores a moment in UTC, but only its day is relevant. */
function tidy(row: Json): Json {
  if (!isJsonObject(row)) return row;
  const { employeeHireDate: hired } = row;
  return typeof hired === 'string' ? { ...row, employeeHireDate: hired.slice(0, 10) } : row;
}

/**
 * Applies a change to the known row of a user. A change contains at least the changed properties, and the manager as a
 * list of added and removed users.
 */
function layOver(row: Json, find: (id: string) => Json): Json {
  if (!isJsonObject(row) || typeof row.id !== 'string' || row['@removed'] !== undefined) return row;
  const { 'manager@delta': managers, ...changed } = row;
  const known = find(row.id);
  return tidy({
    ...(isJsonObject(known) ? known : {}),
    ...changed,
    ...(managers === undefined ? {} : { manager: readManager(itemsOf(managers)) }),
  });
}

function readManager(managers: readonly Json[]): Json {
  const here = managers.filter((one): one is JsonObject => isJsonObject(one) && one['@removed'] === undefined);
  const id = here.at(-1)?.id;
  return typeof id === 'string' ? { id } : null;
}
