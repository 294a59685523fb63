import type { Cells, Rows, Settings, Tables } from './history.js';
import { type Facts, text } from './part.js';

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

/** Whom an administrator calls so is protected where a history has it (`users.protect`): no source changes anything of them. */
export const BOARD = 'Board member';

export function isProtected(facts: Facts | undefined, { protects }: Pick<Settings, 'protects'>): boolean {
  return protects && facts?.name === BOARD;
}
