import { isAccount } from '../model/entity.js';
import type { Observed } from '../model/observed.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';

/** The id of a person whom the next read of people must show if it is still the same account. */
const WITNESS_MARK = 'users.witness';

export function findWitness(mirror: Pick<MirrorStore, 'mark'>): string | null {
  const id = mirror.mark(WITNESS_MARK);
  return id === null || id === '' ? null : id;
}

/** @param id the last person in a read of changes; null if unknown */
export function noteWitness(mirror: Pick<MirrorStore, 'setMark'>, id: string | null): void {
  mirror.setMark(WITNESS_MARK, id ?? '');
}

/** Notes a newly created person, who will appear in the next read of changes. */
export function noteCreated(
  mirror: Pick<MirrorStore, 'setMark'>,
  { entity, id }: Pick<Observed, 'entity' | 'id'>,
): void {
  if (isAccount(entity)) noteWitness(mirror, id);
}
