import { ENTITIES } from '../model/entity.js';
import type { Stores } from '../store/open-stores.js';
import { SEEN_COUNTS } from '../store/remote/seen-mirror.js';

/** Entity → number of objects in the mirror. */
export type MirroredCounts = Readonly<Record<string, { readonly all: number; readonly active: number }>>;

export function countMirrored({ mirror }: Pick<Stores, 'mirror'>): MirroredCounts {
  // If another machine works for the tenant, the mirror is on that machine.
  const elsewhere = mirror.mark(SEEN_COUNTS);
  if (elsewhere !== null) return JSON.parse(elsewhere) as MirroredCounts;
  return Object.fromEntries(ENTITIES.map((entity) => [entity, mirror.counts(entity)]));
}
