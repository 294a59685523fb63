import { SyncError } from '../../errors.js';
import { type Json, listOf, objectOf, textOf } from '../../model/json.js';
import { findAttribute } from '../../scim/flatten-user.js';
import { readListing } from '../listing/listing.js';
import type { ScimClient } from './client.js';
import { askList, describeRules, type PagingStrategy, readId } from './list-question.js';
import { GroupMembers, type GroupsOf } from './members.js';

/** Groups may come and go while their pages are read. */
const MOST_PASSES = 2;

/**
 * Who is in which group, from the groups themselves: many providers show them there alone. Members of a group in a group are
 * in both.
 *
 * @throws SyncError SYNC_SOURCE_INCOMPLETE when the groups could not be read whole: a membership that was not seen would be taken away.
 */
export async function readMemberships(
  { base, http }: ScimClient,
  paging: PagingStrategy,
  signal?: AbortSignal,
): Promise<GroupsOf> {
  const question = askList(base, { resource: 'Groups' }, paging);
  for (let passes = 1; ; passes++) {
    const members = new GroupMembers();
    const take = (group: Json): string | null => {
      const id = readId(group);
      if (id !== null) members.addGroup(id, readText(group, 'displayName') ?? id, listMembers(group));
      return id;
    };
    const { because, at } = await readListing({ http, rules: describeRules('Groups') }, question, take, signal);
    if (because === null) return members.finish();
    if (passes < MOST_PASSES) continue;
    throw new SyncError('SYNC_SOURCE_INCOMPLETE', {
      message: `The groups could not be read whole: ${because}.`,
      place: at,
      remedy: 'Nothing is concluded from this read; the next run tries again.',
    });
  }
}

function listMembers(group: Json): readonly string[] {
  return listOf(findAttribute(objectOf(group), 'members')).flatMap((member) => readMember(member) ?? []);
}

/** By `value`, or by the end of `$ref`, whether that is relative or absolute (RFC 7643, 2.4). */
function readMember(member: Json): string | null {
  if (typeof member === 'string') return member;
  const reference =
    readText(member, '$ref')
      ?.replace(/[?#].*$/, '')
      .replace(/^.*\//, '') ?? null;
  return readText(member, 'value') ?? (reference === null ? null : decodeURIComponent(reference));
}

function readText(value: Json, name: string): string | null {
  return textOf(findAttribute(objectOf(value), name)) || null;
}
