import { TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Json } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { ServicePort } from '../ports.js';
import { isEmpty } from './compare.js';
import type { Draft } from './draft.js';

/** What a field held before a change, in words that an undo can put back. */
export function wordBefore(name: string, { observed, before, ports }: Draft): Json {
  return (observed === null ? undefined : wordShownById(name, observed, ports.service)) ?? before[name] ?? null;
}

/**
 * The service shows by id whose a section, a link or a proposal is, and at best by a name that finds nobody: kept is a word
 * that a source could use, of people the e-mail, as in lists of people. Undefined for everything else.
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
