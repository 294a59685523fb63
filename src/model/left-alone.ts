import { type Entity, type IdOf, liesOnCv } from './entity.js';
import type { Values } from './json.js';
import type { Observed } from './observed.js';
import { type Change, withoutLink } from './plan.js';

export interface People {
  readonly idOf: IdOf;
  observed(entity: Entity, id: string): Observed | null;
  plannedByTarget(entity: Entity, id: string): Change | null;
  /** Whether the word named somebody whose account was deleted for good. */
  wasDeleted(word: string): boolean;
}

/**
 * Why nothing is done about a record that is on a person's CV; null where something may be. Feeds of courses and of
 * staffing go on naming people long after they left, so this is no hold: it would be one a row for ever.
 */
export function whyLeftAlone(entity: Entity, values: Values, people: People): string | null {
  const word = values.user;
  if (!liesOnCv(entity) || typeof word !== 'string') return null;
  const id = people.idOf('users', word);
  if (id !== null) {
    const standing = standingOf(id, people);
    return 'because' in standing ? `${standing.because}: the CV is left as it is` : null;
  }
  return people.wasDeleted(word) ? `the account of ${word} was deleted for good, and the CV with it` : null;
}

/**
 * How an account stands once the run is done. `opens` and `closes` rest on a planned change, which a guard may hold: then
 * it stays as it is.
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
  // Who is to be deleted for good has been out of use for long, whatever holds the deletion.
  return user?.active === false ? { kind: 'closed', because: `${user.label} is deactivated` } : { kind: 'open' };
}
