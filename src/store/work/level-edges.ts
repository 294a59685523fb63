import { createRing } from '../../model/ring.js';

export interface Edge {
  readonly ref: string;
  readonly need: string;
}

/**
 * Assigns levels: first refs that need no other ref, then refs that need only those, and so on. `circle` contains refs
 * that need each other, so they have no level.
 */
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
  const needs = new Map<string, string[]>([...open.keys()].map((ref) => [ref, []]));
  for (const { ref, need } of edges) needs.get(ref)?.push(need);
  return { levels, circle: createRing([...needs].map(([ref, named]) => ({ ref, needs: named }))).left() };
}
