import { SyncError } from '../../errors.js';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import { type Listing, readListing } from '../listing/listing.js';
import type { ScimClient } from './client.js';
import { askList, describeRules, type ListQuery, type PagingStrategy, readId } from './list-question.js';
import { createMembers, type GroupsOf } from './members.js';

/**
 * Who is in which group, from the groups themselves: many providers show them there alone. Members of a group in a group are
 * in both.
 *
 * @throws SyncError SYNC_SOURCE_INCOMPLETE when the groups could not be read whole: a membership that was not seen would be taken away.
 */
export async function readMemberships(
  { base, http }: Pick<ScimClient, 'base' | 'http'>,
  paging: PagingStrategy,
  signal?: AbortSignal,
): Promise<GroupsOf> {
  const query: ListQuery = { resource: 'Groups', filter: null, attributes: [], excludedAttributes: [] };
  const system = { http, rules: describeRules('Groups') };
  let members = createMembers();
  const collect = (): Promise<Listing> => {
    members = createMembers();
    const take = (row: Json): string | null => {
      const id = readId(row);
      if (id !== null && isJsonObject(row)) members.addGroup(id, readName(row) ?? id, listMembers(row));
      return id;
    };
    return readListing(system, askList(base, query, paging), take, signal);
  };
  let listing = await collect();
  if (listing.because !== null) listing = await collect();
  if (listing.because !== null) {
    throw new SyncError('SYNC_SOURCE_INCOMPLETE', {
      message: `The groups could not be read whole: ${listing.because}.`,
      place: listing.at,
      remedy: 'Nothing is concluded from this read; the next run tries again.',
    });
  }
  return members.finish();
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
