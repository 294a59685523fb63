/** A member that waits for others. */
export interface RingMember {
  readonly ref: string;
  readonly needs: Iterable<string>;
}

interface RingPlace {
  readonly needs: Set<string>;
  readonly waiting: Set<string>;
}

/**
 * Finds members that wait for each other in a circle. A member leaves if it waits for no other or if no other waits for it. A
 * leaving member only updates its neighbours, so the time per member does not depend on the size of the ring.
 */
export function createRing(waiters: readonly RingMember[]) {
  const places = new Map<string, RingPlace>(waiters.map(({ ref }) => [ref, { needs: new Set(), waiting: new Set() }]));
  for (const { ref, needs } of waiters) for (const need of needs) join(ref, need);
  leave([...places.keys()]);

  function join(ref: string, need: string): void {
    const [place, other] = [places.get(ref), places.get(need)];
    if (place === undefined || other === undefined) return;
    place.needs.add(need);
    other.waiting.add(ref);
  }

  function leave(asked: string[]): void {
    for (let ref = asked.pop(); ref !== undefined; ref = asked.pop()) {
      const place = places.get(ref);
      if (place === undefined || (place.needs.size > 0 && place.waiting.size > 0)) continue;
      places.delete(ref);
      for (const other of place.waiting) places.get(other)?.needs.delete(ref);
      for (const need of place.needs) places.get(need)?.waiting.delete(ref);
      asked.push(...place.waiting, ...place.needs);
    }
  }

  return {
    left: (): readonly string[] => [...places.keys()],
    /** Lists the members in the ring that wait for this one. */
    waitingFor: (ref: string): readonly string[] => [...(places.get(ref)?.waiting ?? [])],
    /** Removes every wait for this member. */
    free(ref: string): void {
      const waiting = [...(places.get(ref)?.waiting ?? [])];
      for (const other of waiting) places.get(other)?.needs.delete(ref);
      places.get(ref)?.waiting.clear();
      leave([ref, ...waiting]);
    },
  };
}
