import { TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Json } from '../../model/json.js';
import { isEmpty } from './compare.js';
import type { Draft } from './draft.js';

/**
 * What a field held before a change, in words that an undo can put back. The service shows the owner of a proposal by id, and
 * by a name that finds nobody: kept is a word that a source could use, of people the e-mail, as in lists of people.
 */
export function wordBefore(name: string, { entity, observed, before, ports }: Draft): Json {
  const shown = before[name] ?? null;
  const field = FIELDS[entity][name];
  const id = observed?.values[`${name}_id`];
  if (field?.shape !== 'reference' || field.to === undefined || typeof id !== 'string') return shown;
  const { to } = field;
  const named = ports.service.observed(to, id)?.values;
  return (TRAITS[to].words ?? []).map((word) => named?.[word]).findLast((word) => !isEmpty(word)) ?? shown;
}
