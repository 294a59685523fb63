import { ENTITIES } from '../model/entity.js';
import type { Stores } from '../store/open-stores.js';

/** Entity → how many objects the local copy holds. */
export type MirroredCounts = Readonly<Record<string, { readonly all: number; readonly active: number }>>;

export function countMirrored({ mirror }: Pick<Stores, 'mirror'>): MirroredCounts {
  return Object.fromEntries(ENTITIES.map((entity) => [entity, mirror.counts(entity)]));
}
