import { isAccount } from '../model/entity.js';
import type { Observed } from '../model/observed.js';
import type { MirrorStore } from '../store/mirror/mirror-store.js';

/** Id of a person whom the next read of people shows, as long as the account is the same. */
const WITNESS_MARK = 'users.witness';

export function findWitness(mirror: Pick<MirrorStore, 'mark'>): string | null {
  const id = mirror.mark(WITNESS_MARK);
  return id === null || id === '' ? null : id;
}

/** @param id who came last in a read of changes; null where that is not known */
export function noteWitness(mirror: Pick<MirrorStore, 'setMark'>, id: string | null): void {
  mirror.setMark(WITNESS_MARK, id ?? '');
}

/** A person who has just been created is among the next changes. */
export function noteCreated(
  mirror: Pick<MirrorStore, 'setMark'>,
  { entity, id }: Pick<Observed, 'entity' | 'id'>,
): void {
  if (isAccount(entity)) noteWitness(mirror, id);
}
