import type { ScimSourceConfig } from './resolve.js';

const REFUSED: Readonly<Record<string, string>> = {
  id: 'the identity provider gives it',
  userName: "it is what the user signs in with, which is the identity provider's own",
  active: 'accounts at the identity provider are never opened or closed from here',
  groups: 'memberships are those of the groups, which are not written',
  modified: 'the identity provider sets it',
};

/** Why a column of a SCIM source cannot be written to, for people; null if it can. */
export function whyNotWritable(config: Pick<ScimSourceConfig, 'columns' | 'key'>, column: string): string | null {
  if (config.columns[column] === undefined) return 'there is no such column';
  if (column === config.key) return 'it is the key that the user is found by';
  return REFUSED[column] ?? null;
}
