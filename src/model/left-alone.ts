import { type Entity, type IdOf, liesOnCv } from './entity.js';
import type { Values } from './json.js';
import type { Observed } from './observed.js';
import { type Change, withoutLink } from './plan.js';

export interface People {
  readonly idOf: IdOf;
  observed(entity: Entity, id: string): Observed | null;
  plannedByTarget(entity: Entity, id: string): Change | null;
  /** True if the word named a person whose account was deleted permanently. */
  wasDeleted(word: string): boolean;
}

/**
 * Explains why a record on a person's CV is left alone; null if it is not. This is not a hold, because course and staffing
 * feeds name people long after they left. Each row would cause a hold indefinitely.
 */
export function whyLeftAlone(entity: Entity, values: Values, people: People): string | null {
  const word = values.user;
  if (!liesOnCv(entity) || typeof word !== 'string') return null;
  const id = people.idOf('users', word);
  if (id !== null) {
    const standing = standingOf(id, people);
    return 'because' in standing ? `${standing.because}: the CV is left unchanged` : null;
  }
  return people.wasDeleted(word) ? `the account of ${word} was deleted for good, and the CV with it` : null;
}

/**
 * The state of an account after the run. `opens` and `closes` depend on a planned change that a guard may hold. If it does, the
 * account stays unchanged.
 */
export type AccountState =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly because: string }
  | { readonly kind: 'opens'; readonly change: Change }
  | { readonly kind: 'closes'; readonly change: Change; readonly because: string };

export function standingOf(userId: string, people: Pick<People, 'observed' | 'plannedByTarget'>): AccountState {
  const user = people.observed('users', userId);
  const change = people.plannedByTarget('users', userId);
  const action = change === null ? 'update' : withoutLink(change).action;
  if (change !== null && action === 'reactivate') return { kind: 'opens', change };
  if (change !== null && action === 'deactivate')
    return { kind: 'closes', change, because: `${user?.label ?? userId} is about to be deactivated` };
  // An account that is about to be deleted has long been inactive, even if a guard holds the deletion.
  return user?.active === false ? { kind: 'closed', because: `${user.label} is deactivated` } : { kind: 'open' };
}
