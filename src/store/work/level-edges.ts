export interface Edge {
  readonly ref: string;
  readonly need: string;
}

/** Frees what needs nothing, then what needed only that, and so on; who is never free waits in a circle, or for one. */
export function levelEdges(edges: readonly Edge[]): {
  readonly levels: ReadonlyMap<string, number>;
  readonly circle: readonly string[];
} {
  const waiting = new Map<string, string[]>();
  const open = new Map<string, number>();
  for (const { ref, need } of edges) {
    open.set(ref, (open.get(ref) ?? 0) + 1);
    if (!open.has(need)) open.set(need, 0);
    const refs = waiting.get(need);
    if (refs === undefined) waiting.set(need, [ref]);
    else refs.push(ref);
  }
  const levels = new Map<string, number>();
  const free = [...open].flatMap(([ref, needs]) => (needs === 0 ? [ref] : []));
  for (const need of free) {
    open.delete(need);
    const level = levels.get(need) ?? 0;
    levels.set(need, level);
    for (const ref of waiting.get(need) ?? []) {
      levels.set(ref, Math.max(levels.get(ref) ?? 0, level + 1));
      const left = (open.get(ref) ?? 1) - 1;
      open.set(ref, left);
      if (left === 0) free.push(ref);
    }
  }
  // Whom nobody left waits for only waits for the circle, and is not part of it.
  for (let size = -1; size !== open.size; ) {
    size = open.size;
    for (const ref of open.keys()) if (!waiting.get(ref)?.some((one) => open.has(one))) open.delete(ref);
  }
  return { levels, circle: [...open.keys()] };
}
