import { SyncError } from '../../errors.js';
import { isJsonObject, type Json } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import type { ListQuery, ScimClient } from './client.js';
import { readPass } from './listing.js';

/** Names of the groups of a user, by the user's id. */
export type GroupsOf = (userId: string) => readonly string[];

interface Group {
  readonly name: string;
  readonly members: readonly string[];
}

/**
 * Who is in which group, from the groups themselves: many providers show them there alone. Members of a group in a group are
 * in both.
 *
 * @throws SyncError SYNC_SOURCE_INCOMPLETE when the groups could not be read whole: a membership that was not seen would be taken away.
 */
export async function readMemberships(
  client: ScimClient,
  count: number,
  byCursor: boolean,
  signal?: AbortSignal,
): Promise<GroupsOf> {
  const query: ListQuery = { resource: 'Groups', count, filter: null, attributes: [], excludedAttributes: [] };
  const groups = new Map<string, Group>();
  let pass = await collect();
  if (pass.because !== null) pass = await collect();
  if (pass.because !== null) {
    throw new SyncError('SYNC_SOURCE_INCOMPLETE', {
      message: `The groups could not be read whole: ${pass.because.replaceAll('users', 'groups')}.`,
      place: `GET ${pass.at}`,
      remedy: 'Nothing is concluded from this read; the next run tries again.',
    });
  }
  return index(groups);

  function collect(): ReturnType<typeof readPass> {
    groups.clear();
    return readPass(
      client,
      query,
      byCursor,
      (row, id) => {
        if (id !== null) groups.set(id, readGroup(row, id));
      },
      signal,
    );
  }
}

function readGroup(row: Json, id: string): Group {
  if (!isJsonObject(row)) return { name: id, members: [] };
  const name = findAttribute(row, 'displayName');
  const members = findAttribute(row, 'members');
  return {
    name: typeof name === 'string' && name !== '' ? name : id,
    members: Array.isArray(members) ? members.flatMap((member: Json) => readMember(member) ?? []) : [],
  };
}

/** By `value`, or by the end of `$ref`, whether that is relative or absolute (RFC 7643, 2.4). */
function readMember(member: Json): string | null {
  if (!isJsonObject(member)) return typeof member === 'string' ? member : null;
  if (readIdOf(member, 'value') !== null) return readIdOf(member, 'value');
  const reference = readIdOf(member, '$ref');
  return reference === null ? null : decodeURIComponent(reference.replace(/[?#].*$/, '').replace(/^.*\//, ''));
}

function readIdOf(member: Json, name: string): string | null {
  const value = isJsonObject(member) ? findAttribute(member, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : null;
}

function index(groups: ReadonlyMap<string, Group>): GroupsOf {
  const names = new Map<string, Set<string>>();
  for (const [id, { name }] of groups) {
    for (const user of listUsers(id, groups)) {
      const known = names.get(user) ?? new Set();
      names.set(user, known.add(name));
    }
  }
  return (userId) => [...(names.get(userId) ?? [])].sort();
}

/** Users of a group and of the groups in it; groups may contain each other. */
function listUsers(id: string, groups: ReadonlyMap<string, Group>): readonly string[] {
  const visited = new Set([id]);
  const users: string[] = [];
  for (const group of visited) {
    for (const member of groups.get(group)?.members ?? []) {
      if (groups.has(member)) visited.add(member);
      else users.push(member);
    }
  }
  return users;
}
