import { renderUser } from '../answers/render-user.js';
import { parseStamp } from '../answers/stamps.js';
import { canSeeAll } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { foldText } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { readFlagParameter, readIntegerParameter, readListParameter, readParameter } from '../fields/values.js';

const ANY = Number.MAX_SAFE_INTEGER;

/**
 * Returns one page of users. The inner query finds the page in an index without reading bodies. Without it, the last pages of
 * 100,000 users would take a hundred times as long as the first.
 */
export function searchUsers(call: Call): readonly object[] {
  const from = readIntegerParameter(call.query, 'from', { min: 0, max: ANY, fallback: 0 });
  const size = readIntegerParameter(call.query, 'size', { min: 1, max: 500, fallback: 100 });
  const name = foldText((readParameter(call.query, 'name') ?? '').trim());
  const sortBy = readParameter(call.query, 'sort_by') || 'name';
  const order = readOrder(sortBy);
  if (name !== '') return searchByName(call, { name, sortBy, from, size });
  const { sql, values } = buildFilter(call);
  const page = `WHERE id IN (SELECT id FROM users ${sql} ORDER BY ${order} LIMIT ? OFFSET ?) ORDER BY ${order}`;
  return findUsers(call, page, [...values, size, from]);
}

function findUsers(call: Call, rest: string, values: readonly (string | number)[]): readonly object[] {
  return call.world.store.users.find(rest, values).map((user) => renderUser(call, user));
}

interface Clause {
  readonly sql: string;
  readonly values: readonly string[];
}

interface NamedQuestion {
  readonly name: string;
  readonly sortBy: string;
  readonly from: number;
  readonly size: number;
}

/** Finds users with a name, e-mail or external id that contains the text or is similar to it (spec, users/search). */
function searchByName(call: Call, { name, sortBy, from, size }: NamedQuestion): readonly object[] {
  const { users, searchUsers: search } = call.world.store;
  const isSorted = sortBy === 'name' || sortBy === 'relevance';
  const ids = search({
    name,
    withDeactivated: readFlagParameter(call.query, 'deactivated') === true,
    role: readParameter(call.query, 'role') || undefined,
    offices: readListParameter(call.query, 'office_ids'),
    byRelevance: sortBy === 'relevance',
    ...(isSorted ? { from, size } : { from: 0, size: ANY }),
  });
  const among = 'WHERE id IN (SELECT value FROM json_each(?))';
  if (isSorted) {
    const found = new Map(users.find(among, [JSON.stringify(ids)]).map((user) => [user.id, user]));
    return ids.flatMap((id) => found.get(id) ?? []).map((user) => renderUser(call, user));
  }
  return findUsers(call, `${among} ORDER BY ${readOrder(sortBy)} LIMIT ? OFFSET ?`, [JSON.stringify(ids), size, from]);
}

function buildFilter(call: Call): Clause {
  const clauses: string[] = [];
  const values: string[] = [];
  if (readFlagParameter(call.query, 'deactivated') !== true) clauses.push('gone = 0');
  const role = readParameter(call.query, 'role');
  if (role) {
    clauses.push('instr(roles, ?) > 0');
    values.push(` ${role} `);
  }
  const offices = readListParameter(call.query, 'office_ids');
  if (offices.length > 0) {
    clauses.push('office_id IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(offices));
  }
  return { sql: clauses.length === 0 ? '' : `WHERE ${clauses.join(' AND ')}`, values };
}

const SORTINGS: Readonly<Record<string, string>> = {
  name: 'name_key, id',
  relevance: 'name_key, id',
  country: '(SELECT code FROM countries WHERE countries.id = users.country_id), name_key, id',
  role: 'roles, name_key, id',
};

function readOrder(sortBy: string): string {
  const sql = Object.hasOwn(SORTINGS, sortBy) ? SORTINGS[sortBy] : undefined;
  return sql ?? refuse(400, `sort_by must be one of ${Object.keys(SORTINGS).join(', ')}`);
}

/**
 * Lists changed users by rules 1 to 4 of the spec for users/changes. The checks have the same order as there: first the role,
 * then the parameters.
 */
export function listChanges(call: Call): readonly object[] {
  const { key, query, world } = call;
  if (!canSeeAll(key)) {
    refuse(403, 'users/changes needs the internationalmanager or readonly_internationalmanager role');
  }
  if (query.offset !== undefined) refuse(400, 'offset is not supported: page with after_id');
  const since = readParameter(query, 'profile_updated_since') || refuse(400, 'profile_updated_since is required');
  const sinceMs = parseStamp(since) ?? refuse(400, 'profile_updated_since is not an ISO 8601 time');
  const limit = readIntegerParameter(query, 'limit', { min: 1, max: ANY, fallback: 100 });
  const afterId = readParameter(query, 'after_id') ?? '';
  // Rule 1 is taken literally: only the named user is omitted, even if its timestamp has changed since. `keyset` continues
  // after the pair of timestamp and id instead.
  const isKeyset = world.account.after_id === 'keyset' && afterId !== '';
  const from = isKeyset ? '(profile_updated_at, id) > (?, ?)' : 'profile_updated_at >= ? AND id <> ?';
  const values = [Math.ceil(sinceMs / 1000), afterId, limit];
  return findUsers(call, `WHERE ${from} ORDER BY profile_updated_at, id LIMIT ?`, values);
}

/** The largest page size that existing clients request. */
const MOST_LISTED = 1_400;

/** Lists all users by name, including deactivated ones. This is not in the spec. */
export function listUsers(call: Call): readonly object[] {
  const offset = readIntegerParameter(call.query, 'offset', { min: 0, max: ANY, fallback: 0 });
  const limit = readIntegerParameter(call.query, 'limit', { min: 1, max: MOST_LISTED, fallback: 100 });
  const page = 'WHERE id IN (SELECT id FROM users ORDER BY name_key, id LIMIT ? OFFSET ?) ORDER BY name_key, id';
  return findUsers(call, page, [limit, offset]);
}
