import { SyncError } from '../../base/errors.js';
import { itemsOf, type Json, objectOf, textOf } from '../../model/json.js';
import { readListing } from '../listing/listing.js';
import { findAttribute } from '../scim-protocol/flatten-user.js';
import type { ScimClient } from './client.js';
import { askList, describeRules, type PagingStrategy, readId } from './list-question.js';
import { GroupMembers, type GroupsOf } from './members.js';
import type { ScimSourceConfig } from './resolve.js';

/** The maximum number of reads, because groups may be added or removed while their pages are read. */
const MOST_PASSES = 2;

/**
 * Reads memberships from the groups, because many providers show them only there. Members of a nested group are in both
 * groups.
 *
 * Without `mayBeEmpty`, groups without any member are an error. Some providers list groups without their members, which
 * would remove all memberships.
 *
 * @throws SyncError SYNC_SOURCE_INCOMPLETE if the groups could not be read completely, because a missing membership
 * would be removed
 */
export async function readMemberships(
  { base, http }: ScimClient,
  paging: PagingStrategy,
  { mayBeEmpty, isEndTrusted }: Pick<ScimSourceConfig, 'mayBeEmpty' | 'isEndTrusted'>,
  signal?: AbortSignal,
): Promise<GroupsOf> {
  const question = askList(base, { resource: 'Groups' }, paging);
  for (let passes = 1; ; passes++) {
    const members = new GroupMembers();
    let isAnybodyIn = false;
    const take = (group: Json): string | null => {
      const id = readId(group);
      const listed = listMembers(group);
      isAnybodyIn ||= listed.length > 0;
      if (id !== null) members.addGroup(id, readText(group, 'displayName') ?? id, listed);
      return id;
    };
    const system = { http, rules: describeRules('Groups'), isEndTrusted };
    const { because, mayPass, at } = await readListing(system, question, take, { signal });
    if (because === null && (isAnybodyIn || mayBeEmpty)) return members.finish();
    if (because === null) throw membershipError('The provider shows no members of groups', at, OF_NOBODY);
    if (passes >= MOST_PASSES || !mayPass)
      throw membershipError(`The groups could not be read completely: ${because}`, at, OF_PART);
  }
}

const OF_PART = 'This read is not used; the next run tries again.';
const OF_NOBODY =
  'If the provider shows groups only at its users, set `memberships: user`; if nobody is in a group, set `empty: allowed`.';

function membershipError(problem: string, place: string, remedy: string): SyncError {
  return new SyncError('SYNC_SOURCE_INCOMPLETE', { message: `${problem}.`, place, remedy });
}

function listMembers(group: Json): readonly string[] {
  return itemsOf(findAttribute(objectOf(group), 'members')).flatMap((member) => readMember(member) ?? []);
}

/** Reads the id from `value`, or from the end of `$ref`, relative or absolute (RFC 7643, 2.4). */
function readMember(member: Json): string | null {
  if (typeof member === 'string') return member;
  const reference =
    readText(member, '$ref')
      ?.replace(/[?#].*$/, '')
      .replace(/^.*\//, '') ?? null;
  return readText(member, 'value') ?? (reference === null ? null : decode(reference));
}

/** Leaves invalid percent-encoding unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readText(value: Json, name: string): string | null {
  return textOf(findAttribute(objectOf(value), name)) || null;
}
