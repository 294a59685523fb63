import { type Entity, isSection } from './entity.js';
import type { IdOf } from './entity-keys.js';
import type { Values } from './json.js';
import type { Observed } from './observed.js';
import type { Change } from './plan.js';

export interface People {
  readonly idOf: IdOf;
  observed(entity: Entity, id: string): Observed | null;
  plannedByTarget(entity: Entity, id: string): Change | null;
  /** Whether the word named somebody whose account was deleted for good. */
  wasDeleted(word: string): boolean;
}

/**
 * Why nothing is done about a record that lies on a person's CV; null where something may be. Feeds of courses and of
 * staffing go on naming people long after they left, so this is no hold: it would be one a row for ever.
 */
export function whyLeftAlone(entity: Entity, values: Values, people: People): string | null {
  const word = values.user;
  if (!liesOnCv(entity) || typeof word !== 'string') return null;
  const id = people.idOf('users', word);
  if (id !== null) return whyCvIsClosed(id, people);
  return people.wasDeleted(word) ? `the account of ${word} was deleted for good, and the CV with it` : null;
}

export function whyCvIsClosed(userId: string, people: Pick<People, 'observed' | 'plannedByTarget'>): string | null {
  const user = people.observed('users', userId);
  if (user?.active === false) return `${user.label} is deactivated: the CV is left as it is`;
  return people.plannedByTarget('users', userId)?.action === 'deactivate'
    ? `${user?.label ?? userId} is about to be deactivated: the CV is left as it is`
    : null;
}

/** Sections, and the experiences that come from projects. */
export function liesOnCv(entity: Entity): boolean {
  return isSection(entity) || entity === 'staffing';
}
