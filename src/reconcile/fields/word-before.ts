import { TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Json } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { ServicePort } from '../ports.js';
import { isEmpty } from './compare.js';
import type { Draft } from './draft.js';

/** The value of a field before a change, in words that an undo can restore. */
export function wordBefore(name: string, { observed, before, ports }: Draft): Json {
  return (observed === null ? undefined : wordShownById(name, observed, ports.service)) ?? before[name] ?? null;
}

/**
 * The service shows the owner of a section, link or proposal by id, and at best by a name that identifies nobody. This
 * returns a word that a source could use: for people the e-mail, as in lists of people. Undefined for all other fields.
 */
export function wordShownById(
  name: string,
  { entity, values }: Pick<Observed, 'entity' | 'values'>,
  service: Pick<ServicePort, 'observed'>,
): Json | undefined {
  const field = FIELDS[entity][name];
  const id = values[`${name}_id`];
  if (field?.shape !== 'reference' || field.to === undefined || typeof id !== 'string') return undefined;
  const { to } = field;
  const named = service.observed(to, id)?.values;
  return (TRAITS[to].words ?? []).map((word) => named?.[word]).findLast((word) => !isEmpty(word));
}
