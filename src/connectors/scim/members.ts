/** Names of the groups of a user, by the user's id. */
export type GroupsOf = (userId: string) => readonly string[];

export interface GroupMembers {
  /** A group that comes again is as it was last. */
  addGroup(id: string, name: string, members: readonly string[]): void;
  /** Who is in which group; members of a group in a group are in both. */
  finish(): GroupsOf;
}

/**
 * Pairs of member and group as numbers: sets of names, one for each of 100,000 users, would take more memory than all the rest
 * of a read.
 */
export function createMembers(): GroupMembers {
  const numberOf = new Map<string, number>();
  const groupOf = new Map<string, number>();
  /** Names of the groups by their numbers; null for one that came again. */
  const names: (string | null)[] = [];
  const ids: string[] = [];
  let pairs = new Uint32Array(1_024);
  let used = 0;

  function addPair(member: number, group: number): void {
    if (used === pairs.length) {
      const longer = new Uint32Array(pairs.length * 2);
      longer.set(pairs);
      pairs = longer;
    }
    pairs[used++] = member;
    pairs[used++] = group;
  }

  return {
    addGroup(id, name, members) {
      const before = groupOf.get(id);
      if (before !== undefined) names[before] = null;
      const group = names.push(name) - 1;
      ids.push(id);
      groupOf.set(id, group);
      for (const member of members) {
        const number = numberOf.get(member) ?? numberOf.size;
        numberOf.set(member, number);
        addPair(number, group);
      }
    },
    finish() {
      const { starts, groups } = sortByMember(pairs.subarray(0, used), numberOf.size);
      const addDirect = (id: string, to: Set<number>): void => {
        const member = numberOf.get(id);
        if (member === undefined) return;
        const end = starts[member + 1] ?? 0;
        for (let at = starts[member] ?? end; at < end; at++) to.add(groups[at] ?? 0);
      };
      return (userId) => {
        const all = new Set<number>();
        addDirect(userId, all);
        // Groups may contain each other.
        for (const group of all) addDirect(ids[group] ?? '', all);
        return [...new Set([...all].flatMap((group) => names[group] ?? []))].sort();
      };
    },
  };
}

/** The groups of member n stand from `starts[n]` up to `starts[n + 1]`. */
function sortByMember(pairs: Uint32Array, members: number) {
  const starts = new Uint32Array(members + 1);
  for (let at = 0; at < pairs.length; at += 2) starts[(pairs[at] ?? 0) + 1] = (starts[(pairs[at] ?? 0) + 1] ?? 0) + 1;
  for (let member = 0; member < members; member++) {
    starts[member + 1] = (starts[member + 1] ?? 0) + (starts[member] ?? 0);
  }
  const next = starts.slice();
  const groups = new Uint32Array(pairs.length / 2);
  for (let at = 0; at < pairs.length; at += 2) {
    const member = pairs[at] ?? 0;
    const place = next[member] ?? 0;
    groups[place] = pairs[at + 1] ?? 0;
    next[member] = place + 1;
  }
  return { starts, groups };
}
