import { compileElementFilter } from '../../../connectors/scim-protocol/match-filter.js';
import type { MemberEdits } from '../../../connectors/scim-protocol/members.js';
import type { Filter } from '../../../connectors/scim-protocol/parse-filter.js';
import { findPath, GROUPS } from '../../../connectors/scim-protocol/resource-type.js';
import { invalidValue, ScimError } from '../../../connectors/scim-protocol/scim-error.js';
import type { PushStore } from '../../../store/state/push-store.js';

/** Maximum number of members in a group. */
const MOST_MEMBERS = 100_000;
/**
 * Maximum number of members that the filters of one request may examine. The limit allows one group of the maximum size, or
 * a smaller group several times.
 */
const MOST_LOOKED_AT = 3 * MOST_MEMBERS;

const LONGEST_ID = 1_024;
/** Control characters, and unpaired surrogates. */
const UNFIT = /[\p{Cs}\p{Cc}]/u;

export interface GroupEdits extends MemberEdits {
  hasChanged(): boolean;
}

/** Changes the members of one group directly in the store, inside the transaction of the request. */
export function createGroupEdits(store: PushStore, source: string, group: string): GroupEdits {
  let changes = 0;
  /** Counted only once while members are only added. */
  let size: number | null = null;
  let lookedAt = 0;
  function removeMatching(filter: Filter): void {
    const ids = namedId(filter) ?? matchingIds(filter);
    size = null;
    changes += store.removeMembers(source, group, ids);
  }
  function matchingIds(filter: Filter): readonly string[] {
    const attribute = findPath(GROUPS, 'members')?.attribute;
    if (attribute == null) return [];
    const isOne = compileElementFilter(filter, attribute);
    lookedAt += store.countMembers(source, group);
    if (lookedAt > MOST_LOOKED_AT) throw new ScimError(413, 'The filters of the request look at too many members.');
    const members = store.membersOf(source, [group], 'all').get(group) ?? [];
    return members.filter(({ id, type, display }) => isOne({ value: id, type, display })).map(({ id }) => id);
  }
  return {
    hasChanged: () => changes > 0,
    add(ids) {
      size ??= store.countMembers(source, group);
      const added = store.addMembers(source, group, check(ids));
      changes += added;
      size += added;
      if (added > 0 && size > MOST_MEMBERS) throw tooMany();
    },
    remove(ids) {
      size = null;
      changes += store.removeMembers(source, group, check(ids));
    },
    replace(ids) {
      size = null;
      changes += store.replaceMembers(source, group, check(ids));
    },
    removeMatching,
  };
}

/** The id in `members[value eq "…"]`, a filter that clients often send. The other members then need not be examined. */
function namedId(filter: Filter): readonly string[] | null {
  const isId = filter.op === 'eq' && filter.path.toLowerCase() === 'value' && typeof filter.value === 'string';
  return isId ? [String(filter.value)] : null;
}

function check(ids: readonly string[]): readonly string[] {
  if (ids.length > MOST_MEMBERS) throw tooMany();
  if (ids.some((id) => id.length > LONGEST_ID || UNFIT.test(id)))
    throw invalidValue('members.value is not a valid id.');
  return ids;
}

function tooMany(): ScimError {
  return new ScimError(413, `A group has at most ${MOST_MEMBERS} members.`);
}
