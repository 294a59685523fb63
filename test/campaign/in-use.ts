import type { Cells, Rows, Tables } from './history.js';
import { text } from './part.js';

/** What HR has as a year of birth that is none. */
export const NO_YEAR = 'in May';

/** A row of HR that cannot be read: it is held, and the person is left as they are. */
export function isUnusable(cells: Cells): boolean {
  return text(cells, 'born') === NO_YEAR;
}

/** What the identity provider has of somebody. */
export function accountOf(accounts: Rows, person: string): Cells | undefined {
  return [...accounts.values()].find((cells) => text(cells, 'person') === person);
}

/** HR says so, or the identity provider. */
export function hasLeft(cells: Cells, account: Cells | undefined): boolean {
  return text(cells, 'status') === 'left' || text(account ?? {}, 'active') === 'no';
}

/** Whether both say that somebody is there, in words that can be used. */
export function isInUse(key: string, { people, accounts }: Tables): boolean {
  const cells = people.get(key);
  return cells !== undefined && !isUnusable(cells) && !hasLeft(cells, accountOf(accounts, key));
}
