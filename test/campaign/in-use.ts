import type { Cells, Rows, Settings, Tables } from './history.js';
import { type Facts, text } from './part.js';

/** An invalid year of birth in HR. */
export const NO_YEAR = 'in May';

/** An unreadable row of HR: it is held, and the person stays unchanged. */
export function isUnusable(cells: Cells): boolean {
  return text(cells, 'born') === NO_YEAR;
}

/** The identity provider's account of a person. */
export function accountOf(accounts: Rows, person: string): Cells | undefined {
  return [...accounts.values()].find((cells) => text(cells, 'person') === person);
}

/** True if HR or the identity provider says that the person has left. */
export function hasLeft(cells: Cells, account: Cells | undefined): boolean {
  return text(cells, 'status') === 'left' || text(account ?? {}, 'active') === 'no';
}

/** True if both say, in usable words, that the person is here. */
export function isInUse(key: string, { people, accounts }: Tables): boolean {
  const cells = people.get(key);
  return cells !== undefined && !isUnusable(cells) && !hasLeft(cells, accountOf(accounts, key));
}

/** A history with `users.protect` protects people with this title: no source changes anything about them. */
export const BOARD = 'Board member';

export function isProtected(facts: Facts | undefined, { protects }: Pick<Settings, 'protects'>): boolean {
  return protects && facts?.name === BOARD;
}
