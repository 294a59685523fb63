import type { Stores } from '../../open-stores.js';
import { eraseInSteps, findErasure } from './erase.js';
import { findErased } from './erased-people.js';

export interface ErasedAgain {
  readonly made: number;
  /**
   * Number of erasures that must wait because a call about the person may have reached the service. The next run checks
   * the call, and then erases.
   */
  readonly due: number;
}

/**
 * Repeats the erasures that a restored backup has undone. Call it before reading anything that could bring back the
 * person under the same key.
 */
export function eraseAgain(stores: Stores, { at, by }: { readonly at: string; readonly by: string }): ErasedAgain {
  let made = 0;
  let due = 0;
  for (const one of stores.erasure.erased()) {
    if (!one.due) continue;
    const person = findErased(stores, one);
    if (person === null) stores.erasure.remember({ ...one, due: false });
    else if (findErasure(stores, person, () => false).openIntents > 0) {
      due += 1;
      continue;
    } else
      for (const step of eraseInSteps(stores, { erasure: one.erasure, at, by, reason: one.reason, person })) void step;
    made += 1;
  }
  return { made, due };
}
