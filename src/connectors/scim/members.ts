/** Returns the names of a user's groups, by the user's id. */
export type GroupsOf = (userId: string) => readonly string[];

/**
 * Stores memberships as pairs of numbers for member and group. A set of names for each of 100,000 users would take more
 * memory than the rest of a read.
 */
export class GroupMembers {
  readonly #numberOf = new Map<string, number>();
  readonly #groupOf = new Map<string, number>();
  /** The names of the groups, by number; null for a group that was replaced by a repeated one. */
  readonly #names: (string | null)[] = [];
  readonly #ids: string[] = [];
  #pairs = new Uint32Array(1_024);
  #used = 0;

  /** Adds a group. If a group is repeated, its last version counts. */
  addGroup(id: string, name: string, members: readonly string[]): void {
    const before = this.#groupOf.get(id);
    if (before !== undefined) this.#names[before] = null;
    const group = this.#names.push(name) - 1;
    this.#ids.push(id);
    this.#groupOf.set(id, group);
    for (const member of members) {
      const number = this.#numberOf.get(member) ?? this.#numberOf.size;
      this.#numberOf.set(member, number);
      this.#addPair(number, group);
    }
  }

  #addPair(member: number, group: number): void {
    if (this.#used === this.#pairs.length) {
      const longer = new Uint32Array(this.#pairs.length * 2);
      longer.set(this.#pairs);
      this.#pairs = longer;
    }
    this.#pairs[this.#used++] = member;
    this.#pairs[this.#used++] = group;
  }

  /** Returns the groups of each user. Members of a nested group are in both groups. */
  finish(): GroupsOf {
    const { starts, groups } = sortByMember(this.#pairs.subarray(0, this.#used), this.#numberOf.size);
    const listDirect = (id: string): Uint32Array => {
      const member = this.#numberOf.get(id);
      return member === undefined ? groups.subarray(0, 0) : groups.subarray(starts[member], starts[member + 1]);
    };
    return (userId) => {
      const all = new Set(listDirect(userId));
      // Groups may contain each other, so the loop also visits groups that are added during the loop.
      for (const group of all) for (const outer of listDirect(this.#ids[group] ?? '')) all.add(outer);
      return [...new Set([...all].flatMap((group) => this.#names[group] ?? []))].sort();
    };
  }
}

/** The groups of member n are from `starts[n]` up to `starts[n + 1]`. */
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
