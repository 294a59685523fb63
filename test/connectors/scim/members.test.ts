import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GroupMembers } from '../../../src/connectors/scim/members.js';

interface Group {
  readonly id: string;
  readonly name: string;
  readonly members: readonly string[];
}

/** Computes the same as simply as possible: a user is in a group, or in a group inside it. */
function listGroups(groups: readonly Group[], user: string): readonly string[] {
  const last = [...new Map(groups.map((group) => [group.id, group])).values()];
  const has = (group: Group, member: string, seen: ReadonlySet<string>): boolean =>
    group.members.includes(member) ||
    last.some(
      (inner) =>
        !seen.has(inner.id) && group.members.includes(inner.id) && has(inner, member, new Set([...seen, inner.id])),
    );
  return [...new Set(last.filter((group) => has(group, user, new Set())).map(({ name }) => name))].sort();
}

const group: fc.Arbitrary<Group> = fc.record({
  id: fc.constantFrom('g1', 'g2', 'g3', 'g4'),
  name: fc.constantFrom('A', 'B', 'C'),
  members: fc.array(fc.constantFrom('u1', 'u2', 'u3', 'g1', 'g2', 'g3', 'g4'), { maxLength: 5 }),
});

it('finds the groups of a user through nested and circular groups, by any path', () => {
  let nested = 0;
  fc.assert(
    fc.property(fc.uniqueArray(group, { maxLength: 4, selector: ({ id }) => id }), (groups) => {
      const members = new GroupMembers();
      for (const { id, name, members: users } of groups) members.addGroup(id, name, users);
      const groupsOf = members.finish();
      for (const user of ['u1', 'u2', 'u3', 'u4']) {
        const expected = listGroups(groups, user);
        expect(groupsOf(user)).toEqual(expected);
        if (expected.length > groups.filter((one) => one.members.includes(user)).length) nested++;
      }
    }),
    { numRuns: 300 },
  );
  expect(nested).toBeGreaterThan(5);
});

it('uses the last version of a group that appears twice', () => {
  const members = new GroupMembers();
  members.addGroup('g', 'Old', ['a']);
  members.addGroup('g', 'New', ['b']);
  const groupsOf = members.finish();
  expect([groupsOf('a'), groupsOf('b'), groupsOf('c')]).toEqual([[], ['New'], []]);
});

it('grows beyond its initial size', () => {
  const members = new GroupMembers();
  const users = Array.from({ length: 3_000 }, (_, index) => `u${index}`);
  members.addGroup('a', 'A', users);
  members.addGroup('b', 'B', users.slice(1_500));
  const groupsOf = members.finish();
  expect([groupsOf('u1499'), groupsOf('u1500'), groupsOf('u2999')]).toEqual([['A'], ['A', 'B'], ['A', 'B']]);
});
