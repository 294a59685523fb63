import { naturalKey } from '../../model/directory.js';
import { TRAITS } from '../../model/entity.js';
import { FIELDS, isOneOwners } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { PlanPort } from '../ports.js';

/**
 * Claims the values that a change will take. Other changes that need the same unique value wait or are held
 * (`order.ts`); changes that refer to a value can wait for it. `whole` is the object after the change.
 */
export function claimValues(
  { entity, key, after }: Pick<Change, 'entity' | 'key' | 'after'>,
  whole: Values,
  plan: Pick<PlanPort, 'claim'>,
): void {
  for (const [name, field] of Object.entries(FIELDS[entity])) {
    const value = after[name];
    if (typeof value !== 'string' || value === '') continue;
    if (isOneOwners(field) || TRAITS[entity].words?.includes(name) === true)
      plan.claim(`${entity}.${name}`, foldKey(value), key);
  }
  const natural = naturalKey(entity, whole);
  if (natural !== null) plan.claim(`${entity}.natural`, natural, key);
}
