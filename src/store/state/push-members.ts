import type { PushedGroup, PushedUser } from '../../model/pushed.js';
import type { Sqlite } from '../sqlite.js';

type PushedMembers = PushedGroup['members'];
type Groups = PushedUser['groups'];

/** Who is in which group: a row each, so that one more in a group of thousands is one row more. */
export interface PushMembers {
  /** Answer how many memberships came or went; one that is there twice stays one. */
  addMembers(source: string, group: string, ids: readonly string[]): number;
  removeMembers(source: string, group: string, ids: readonly string[]): number;
  replaceMembers(source: string, group: string, ids: readonly string[]): number;
  /** @param of only these, where not all are wanted */
  membersOf(
    source: string,
    groups: readonly string[],
    of: 'all' | readonly string[],
  ): ReadonlyMap<string, PushedMembers>;
  /** Members of a group by their ids, after one of them. */
  membersAfter(source: string, group: string, id: string, limit: number): PushedMembers;
  countMembers(source: string, group: string): number;
  groupsOf(source: string, members: readonly string[]): ReadonlyMap<string, Groups>;
  /** Takes somebody out of every group. */
  forgetMember(source: string, id: string): void;
}

export function createPushMembers(sqlite: Sqlite): PushMembers {
  const add = sqlite.prepare(
    'INSERT OR IGNORE INTO pushed_members (source, group_id, member_id) SELECT ?, ?, value FROM json_each(?)',
  );
  const remove = sqlite.prepare(
    'DELETE FROM pushed_members WHERE source = ? AND group_id = ? AND member_id IN (SELECT value FROM json_each(?))',
  );
  const keepOnly = sqlite.prepare(
    'DELETE FROM pushed_members WHERE source = ? AND group_id = ? AND member_id NOT IN (SELECT value FROM json_each(?))',
  );
  const forget = sqlite.prepare('DELETE FROM pushed_members WHERE source = ? AND member_id = ?');
  const count = sqlite
    .prepare<[string, string], number>('SELECT count(*) FROM pushed_members WHERE source = ? AND group_id = ?')
    .pluck();
  const members = sqlite.prepare<
    [{ source: string; groups: string; of: string | null }],
    { group: string } & PushedMembers[number]
  >(
    `SELECT m.group_id AS "group", m.member_id AS id, r.type, r.display FROM pushed_members m
     LEFT JOIN pushed_resources r ON r.source = m.source AND r.type IN ('User', 'Group') AND r.id = m.member_id
     WHERE m.source = $source AND m.group_id IN (SELECT value FROM json_each($groups))
       AND ($of IS NULL OR m.member_id IN (SELECT value FROM json_each($of))) ORDER BY m.group_id, m.rowid`,
  );
  const after = sqlite.prepare<[string, string, string, number], PushedMembers[number]>(
    `SELECT m.member_id AS id, r.type, r.display FROM pushed_members m
     LEFT JOIN pushed_resources r ON r.source = m.source AND r.type IN ('User', 'Group') AND r.id = m.member_id
     WHERE m.source = ? AND m.group_id = ? AND m.member_id > ? ORDER BY m.member_id LIMIT ?`,
  );
  const groups = sqlite.prepare<[{ source: string; members: string }], { member: string } & Groups[number]>(
    // In this order, because the planner would rather go through every membership there is.
    `SELECT m.member_id AS member, r.id, r.display
     FROM json_each($members) j
     CROSS JOIN pushed_members m INDEXED BY pushed_member ON m.source = $source AND m.member_id = j.value
     JOIN pushed_resources r ON r.source = m.source AND r.type = 'Group' AND r.id = m.group_id ORDER BY r.seq`,
  );
  return {
    addMembers: (source, group, ids) => add.run(source, group, JSON.stringify(ids)).changes,
    removeMembers: (source, group, ids) => remove.run(source, group, JSON.stringify(ids)).changes,
    replaceMembers: (source, group, ids) =>
      keepOnly.run(source, group, JSON.stringify(ids)).changes + add.run(source, group, JSON.stringify(ids)).changes,
    membersOf: (source, of, only) =>
      gather(
        members.all({ source, groups: JSON.stringify(of), of: only === 'all' ? null : JSON.stringify(only) }),
        ({ group, ...member }) => [group, member],
      ),
    membersAfter: (source, group, id, limit) => after.all(source, group, id, limit),
    countMembers: (source, group) => count.get(source, group) ?? 0,
    groupsOf: (source, of) =>
      gather(groups.all({ source, members: JSON.stringify(of) }), ({ member, ...group }) => [member, group]),
    forgetMember: (source, id) => void forget.run(source, id),
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
