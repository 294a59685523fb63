import { compileElementFilter } from '../../scim/match-filter.js';
import type { MemberEdits } from '../../scim/members.js';
import type { Filter } from '../../scim/parse-filter.js';
import { findPath, GROUPS } from '../../scim/resource-type.js';
import { ScimError } from '../../scim/scim-error.js';
import type { PushStore } from '../../store/push-store.js';

/** Members that one request may name: a group of more is filled by several. */
const MOST_MEMBERS = 5_000;

export interface GroupEdits extends MemberEdits {
  hasChanged(): boolean;
}

/** Changes the members of one group where they lie, inside the transaction of the request. */
export function createGroupEdits(store: PushStore, source: string, group: string): GroupEdits {
  let changes = 0;
  function removeMatching(filter: Filter): void {
    const ids = namedId(filter) ?? matchingIds(filter);
    changes += store.removeMembers(source, group, ids);
  }
  function matchingIds(filter: Filter): readonly string[] {
    const attribute = findPath(GROUPS, 'members')?.attribute;
    if (attribute == null) return [];
    const isOne = compileElementFilter(filter, attribute);
    const members = store.membersOf(source, [group], 'all').get(group) ?? [];
    return members.filter(({ id, type, display }) => isOne({ value: id, type, display })).map(({ id }) => id);
  }
  return {
    hasChanged: () => changes > 0,
    add(ids) {
      changes += store.addMembers(source, group, limit(ids));
    },
    remove(ids) {
      changes += store.removeMembers(source, group, limit(ids));
    },
    replace(ids) {
      changes += store.replaceMembers(source, group, limit(ids));
    },
    removeMatching,
  };
}

/** `members[value eq "…"]`, the one that clients send: nobody else need be looked at. */
function namedId(filter: Filter): readonly string[] | null {
  const isId = filter.op === 'eq' && filter.path.toLowerCase() === 'value' && typeof filter.value === 'string';
  return isId ? [String(filter.value)] : null;
}

function limit(ids: readonly string[]): readonly string[] {
  if (ids.length <= MOST_MEMBERS) return ids;
  throw new ScimError(413, `One request names at most ${MOST_MEMBERS} members.`);
}
