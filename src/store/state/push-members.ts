import type { PushedGroup, PushedUser } from '../../model/pushed.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

type PushedMembers = PushedGroup['members'];
type Groups = PushedUser['groups'];

/** Stores group memberships, one row each, so that adding a member to a large group only adds one row. */
export type PushMembers = ReturnType<typeof createPushMembers>;

const JOIN_MEMBER = `LEFT JOIN pushed_resources r ON r.source = m.source AND r.type IN ('User', 'Group') AND r.id = m.member_id`;

export function createPushMembers(sqlite: Sqlite) {
  const { count, run } = createStatements(sqlite);
  const add = run(
    'INSERT OR IGNORE INTO pushed_members (source, group_id, member_id) SELECT $source, $group, value FROM json_each($ids)',
  );
  const removeWhere = (condition: string) =>
    run(`DELETE FROM pushed_members WHERE source = $source AND group_id = $group AND ${condition}`);
  const remove = removeWhere('member_id IN (SELECT value FROM json_each($ids))');
  const keepOnly = removeWhere('member_id NOT IN (SELECT value FROM json_each($ids))');
  const forget = run('DELETE FROM pushed_members WHERE source = $source AND member_id = $id');
  const countOf = count('SELECT count(*) FROM pushed_members WHERE source = $source AND group_id = $group');
  const change =
    (...statements: readonly (typeof add)[]) =>
    (source: string, group: string, given: readonly string[]): number => {
      const ids = JSON.stringify(given);
      return statements.reduce((changed, statement) => changed + statement({ source, group, ids }), 0);
    };
  return {
    ...createMemberLists(sqlite),
    /** The next three return the number of memberships added or removed. A duplicate counts once. */
    addMembers: change(add),
    removeMembers: change(remove),
    replaceMembers: change(keepOnly, add),
    countMembers: (source: string, group: string) => countOf({ source, group }),
    /** Removes a member from every group. */
    forgetMember: (source: string, id: string) => void forget({ source, id }),
  };
}

function createMemberLists(sqlite: Sqlite) {
  const { all } = createStatements(sqlite);
  const members = all<{ group: string } & PushedMembers[number]>(
    `SELECT m.group_id AS "group", m.member_id AS id, r.type, r.display FROM pushed_members m ${JOIN_MEMBER}
     WHERE m.source = $source AND m.group_id IN (SELECT value FROM json_each($groups))
       AND ($of IS NULL OR m.member_id IN (SELECT value FROM json_each($of))) ORDER BY m.group_id, m.rowid`,
  );
  const after = all<PushedMembers[number]>(
    `SELECT m.member_id AS id, r.type, r.display FROM pushed_members m ${JOIN_MEMBER}
     WHERE m.source = $source AND m.group_id = $group AND m.member_id > $id ORDER BY m.member_id LIMIT $limit`,
  );
  const groups = all<{ member: string } & Groups[number]>(
    // The joins have this order because the planner would otherwise scan every membership.
    `SELECT m.member_id AS member, r.id, r.display
     FROM json_each($members) j
     CROSS JOIN pushed_members m INDEXED BY pushed_member ON m.source = $source AND m.member_id = j.value
     JOIN pushed_resources r ON r.source = m.source AND r.type = 'Group' AND r.id = m.group_id ORDER BY r.seq`,
  );
  return {
    /** @param only returns only these members; 'all' returns every member */
    membersOf(
      source: string,
      of: readonly string[],
      only: 'all' | readonly string[],
    ): ReadonlyMap<string, PushedMembers> {
      const rows = members({ source, groups: JSON.stringify(of), of: only === 'all' ? null : JSON.stringify(only) });
      return gather(rows, ({ group, ...member }) => [group, member]);
    },
    /** Members of a group in order of id, starting after the given one. */
    membersAfter: (source: string, group: string, id: string, limit: number) => after({ source, group, id, limit }),
    groupsOf: (source: string, of: readonly string[]) =>
      gather(groups({ source, members: JSON.stringify(of) }), ({ member, ...group }) => [member, group]),
  };
}

function gather<R, T>(rows: readonly R[], split: (row: R) => readonly [string, T]): ReadonlyMap<string, readonly T[]> {
  const lists = new Map<string, T[]>();
  for (const row of rows) {
    const [key, item] = split(row);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [item]);
    else list.push(item);
  }
  return lists;
}
