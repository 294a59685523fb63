import type { ScimSourceConfig } from './resolve.js';

const REFUSED: Readonly<Record<string, string>> = {
  id: 'the identity provider assigns it',
  userName: "it is the user's login name, which belongs to the identity provider",
  active: 'accounts at the identity provider are never opened or closed by talent-sync',
  groups: 'memberships belong to the groups, which are not written',
  modified: 'the identity provider sets it',
};

/** Returns the reason why a column of a SCIM source cannot be written to, for messages; null if it can. */
export function whyNotWritable(config: Pick<ScimSourceConfig, 'columns' | 'key'>, column: string): string | null {
  if (config.columns[column] === undefined) return 'there is no such column';
  if (column === config.key) return 'it is the key that identifies the user';
  return REFUSED[column] ?? null;
}
