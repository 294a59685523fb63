import { isJsonObject, itemsOf, type Json } from '../model/json.js';
import type { Filter } from './parse-filter.js';
import { findSent } from './read-resource.js';
import { ScimError } from './scim-error.js';

/** What a PATCH does to the members of a group: by their ids, so that a group of thousands is never read for it. */
export interface MemberEdits {
  add(ids: readonly string[]): void;
  remove(ids: readonly string[]): void;
  removeMatching(filter: Filter): void;
  replace(ids: readonly string[]): void;
}

/** Ids in whatever form they came (`[{ value }]`, one `{ value }`, a text), each once. */
export function readMemberIds(sent: Json): readonly string[] {
  const ids = itemsOf(sent).map((item) => {
    const id = isJsonObject(item) ? findSent(item, 'value') : item;
    if (typeof id === 'string' && id !== '') return id;
    throw new ScimError(400, 'A member is named by its id, as { "value": "…" }.', 'invalidValue');
  });
  return [...new Set(ids)];
}
