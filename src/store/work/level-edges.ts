export interface Edge {
  readonly ref: string;
  readonly need: string;
}

/** Frees what needs nothing, then what needed only that, and so on; who is never free waits in a circle, or for one. */
export function levelEdges(edges: readonly Edge[]): {
  readonly levels: ReadonlyMap<string, number>;
  readonly circle: readonly string[];
} {
  const waiting = new Map<string, Edge[]>(edges.map(({ need }) => [need, []]));
  const open = new Map<string, number>();
  for (const edge of edges) {
    waiting.get(edge.need)?.push(edge);
    open.set(edge.ref, (open.get(edge.ref) ?? 0) + 1);
    if (!open.has(edge.need)) open.set(edge.need, 0);
  }
  const levels = new Map<string, number>();
  const free = [...open].flatMap(([ref, needs]) => (needs === 0 ? [ref] : []));
  for (const need of free) {
    open.delete(need);
    const level = levels.get(need) ?? 0;
    levels.set(need, level);
    for (const { ref } of waiting.get(need) ?? []) {
      levels.set(ref, Math.max(levels.get(ref) ?? 0, level + 1));
      const left = (open.get(ref) ?? 1) - 1;
      open.set(ref, left);
      if (left === 0) free.push(ref);
    }
  }
  return { levels, circle: listCircle(new Set(open.keys()), waiting) };
}

/** Whom nobody left waits for only waits for the circle, and is not part of it. */
function listCircle(left: Set<string>, waiting: ReadonlyMap<string, readonly Edge[]>): readonly string[] {
  for (let size = -1; size !== left.size; ) {
    size = left.size;
    for (const ref of left) if (!waiting.get(ref)?.some((edge) => left.has(edge.ref))) left.delete(ref);
  }
  return [...left];
}
