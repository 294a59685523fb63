import type { Cells, Rows, Tables } from './history.js';
import { text } from './part.js';

/** A row of HR that nothing can be made of: it is held, and whoever it is about is left as they are. */
export function isUnusable(cells: Cells): boolean {
  return text(cells, 'name') === '';
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
