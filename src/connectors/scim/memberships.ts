import { SyncError } from '../../errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import type { ListQuery, ScimClient } from './client.js';
import { readPass } from './listing.js';
import { createMembers, type GroupsOf } from './members.js';

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
  let members = createMembers();
  let pass = await collect();
  if (pass.because !== null) pass = await collect();
  if (pass.because !== null) {
    throw new SyncError('SYNC_SOURCE_INCOMPLETE', {
      message: `The groups could not be read whole: ${pass.because.replaceAll('users', 'groups')}.`,
      place: `GET ${pass.at}`,
      remedy: 'Nothing is concluded from this read; the next run tries again.',
    });
  }
  return members.finish();

  function collect(): ReturnType<typeof readPass> {
    members = createMembers();
    return readPass(
      client,
      query,
      byCursor,
      (row, id) => {
        if (id !== null && isJsonObject(row)) members.addGroup(id, readName(row) ?? id, listMembers(row));
      },
      signal,
    );
  }
}

function readName(group: JsonObject): string | null {
  const name = findAttribute(group, 'displayName');
  return typeof name === 'string' && name !== '' ? name : null;
}

function listMembers(group: JsonObject): readonly string[] {
  const members = findAttribute(group, 'members');
  return Array.isArray(members) ? members.flatMap((member: Json) => readMember(member) ?? []) : [];
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
