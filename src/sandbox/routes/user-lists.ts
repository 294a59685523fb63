import { foldText } from '../languages.js';
import { renderUser } from '../render-user.js';
import { type Answer, type Call, Refusal, type Route, type World } from '../route.js';
import { parseStamp } from '../stamps.js';
import { readIntegerParameter, readListParameter, readParameter } from '../values.js';

export const USER_LIST_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/api/v2/users/search', access: 'read', handle: searchUsers },
  { method: 'GET', path: '/api/v1/users/changes', access: 'read', handle: listChanges },
  { method: 'GET', path: '/api/v1/users', access: 'read', handle: listUsers },
];

const ANY = Number.MAX_SAFE_INTEGER;

/**
 * One page. The inner query skips to the page within an index, reading no bodies: without it the last pages of 100,000
 * users took a hundred times as long as the first.
 */
function searchUsers(world: World, call: Call): Answer {
  const from = readIntegerParameter(call.query, 'from', { min: 0, max: ANY, fallback: 0 });
  const size = readIntegerParameter(call.query, 'size', { min: 1, max: 500, fallback: 100 });
  const name = foldText((readParameter(call.query, 'name') ?? '').trim());
  const sortBy = readParameter(call.query, 'sort_by') || 'name';
  const order = readOrder(sortBy);
  if (name !== '') return { status: 200, body: searchByName(world, call, { name, sortBy, from, size }) };
  const filter = buildFilter(call);
  const users = world.store.users.find(
    `WHERE id IN (SELECT id FROM users ${filter.sql} ORDER BY ${order} LIMIT ? OFFSET ?) ORDER BY ${order}`,
    [...filter.values, size, from],
  );
  return { status: 200, body: users.map((user) => renderUser(world, user, call.mode)) };
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

/** Name, e-mail or external id containing the text, or similar to it (spec, users/search). */
function searchByName(world: World, call: Call, { name, sortBy, from, size }: NamedQuestion): readonly object[] {
  const { users, searchUsers } = world.store;
  const isSorted = sortBy === 'name' || sortBy === 'relevance';
  const ids = searchUsers({
    name,
    withDeactivated: readParameter(call.query, 'deactivated') === 'true',
    role: readParameter(call.query, 'role') || undefined,
    offices: readListParameter(call.query, 'office_ids'),
    byRelevance: sortBy === 'relevance',
    ...(isSorted ? { from, size } : { from: 0, size: ANY }),
  });
  const among = 'WHERE id IN (SELECT value FROM json_each(?))';
  if (isSorted) {
    const found = new Map(users.find(among, [JSON.stringify(ids)]).map((user) => [user.id, user]));
    return ids.flatMap((id) => found.get(id) ?? []).map((user) => renderUser(world, user, call.mode));
  }
  const page = users.find(`${among} ORDER BY ${readOrder(sortBy)} LIMIT ? OFFSET ?`, [JSON.stringify(ids), size, from]);
  return page.map((user) => renderUser(world, user, call.mode));
}

function buildFilter(call: Call): Clause {
  const clauses: string[] = [];
  const values: string[] = [];
  if (readParameter(call.query, 'deactivated') !== 'true') clauses.push('gone = 0');
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
  if (sql === undefined) throw new Refusal(400, `sort_by must be one of ${Object.keys(SORTINGS).join(', ')}`);
  return sql;
}

/** Rules for users/changes 1 to 4 of the spec, in its order of answers: the role first, then the parameters. */
function listChanges(world: World, call: Call): Answer {
  if (call.key.role !== 'internationalmanager' && call.key.role !== 'readonly_internationalmanager') {
    throw new Refusal(403, 'users/changes needs the internationalmanager or readonly_internationalmanager role');
  }
  if (call.query.offset !== undefined) throw new Refusal(400, 'offset is not supported: page with after_id');
  const since = readParameter(call.query, 'profile_updated_since');
  if (!since) throw new Refusal(400, 'profile_updated_since is required');
  const sinceMs = parseStamp(since);
  if (sinceMs === undefined) throw new Refusal(400, 'profile_updated_since is not an ISO 8601 time');
  const limit = readIntegerParameter(call.query, 'limit', { min: 1, max: ANY, fallback: 100 });
  const afterId = readParameter(call.query, 'after_id') ?? '';
  const seconds = Math.ceil(sinceMs / 1000);
  const order = 'ORDER BY profile_updated_at, id LIMIT ?';
  // Rule 1 to the letter: only the one user named is left out, even if its own stamp has moved on since. The other
  // reading takes stamp and id together as the place to go on from.
  const users =
    world.account.after_id === 'keyset' && afterId !== ''
      ? world.store.users.find(`WHERE (profile_updated_at, id) > (?, ?) ${order}`, [seconds, afterId, limit])
      : world.store.users.find(`WHERE profile_updated_at >= ? AND id <> ? ${order}`, [seconds, afterId, limit]);
  return { status: 200, body: users.map((user) => renderUser(world, user, call.mode)) };
}

/** Not in the spec: everybody by name, deactivated users too. */
function listUsers(world: World, call: Call): Answer {
  const offset = readIntegerParameter(call.query, 'offset', { min: 0, max: ANY, fallback: 0 });
  const limit = readIntegerParameter(call.query, 'limit', { min: 1, max: 100, fallback: 100 });
  const users = world.store.users.find(
    'WHERE id IN (SELECT id FROM users ORDER BY name_key, id LIMIT ? OFFSET ?) ORDER BY name_key, id',
    [limit, offset],
  );
  return { status: 200, body: users.map((user) => renderUser(world, user, call.mode)) };
}
