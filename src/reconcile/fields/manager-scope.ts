import { FIELDS, isManager } from '../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { isUnsure } from '../../model/unsure.js';
import { isEmpty, pickFields } from './compare.js';

/** A departmentmanager needs a scope of offices, of tags, or of both in the same request (spec, Update rules). */
export const SCOPES = Object.entries(FIELDS.users).filter(([, { ofRole }]) => ofRole !== undefined);
export const SCOPE_NAMES = SCOPES.map(([name]) => name);

/** A record, and what is known of its object. */
interface KnownSides {
  readonly desired: Values;
  readonly observed: Values | null;
  readonly written: Values | null;
}

/** Roles that move are sent with all that the record says of their scope. */
export function completeScope(
  { desired, observed, written }: KnownSides,
  before: Record<string, Json>,
  after: Record<string, Json>,
): void {
  if (!isManager(after.roles)) return;
  for (const name of SCOPE_NAMES) {
    const scope = desired[name] ?? null;
    if (isEmpty(scope)) continue;
    const known = observed?.[name] ?? written?.[name];
    after[name] = scope;
    before[name] = isJsonObject(scope) ? pickParts(known, scope) : (known ?? null);
  }
}

/** Of tags only the categories that move are in the change, before as after. */
export function pickParts(have: Json | undefined, moved: Json): Json {
  if (!isJsonObject(have) || !isJsonObject(moved)) return null;
  return Object.fromEntries(
    Object.entries(moved).map(([category, wanted]) => [category, describeBefore(have[category] ?? null, wanted)]),
  );
}

/** Where nobody knows what is there, all of a set that may have to go is in the change: what is wanted is put on in any case. */
function describeBefore(have: Json, wanted: Json): Json {
  if (!isUnsure(have)) return have;
  if (!Array.isArray(wanted)) return null;
  const stays = wanted as readonly Json[];
  return have.any_of.filter((tag) => !stays.includes(tag));
}

/** What an undo puts back: roles come with the scope that is there, or was written last, and a scope goes with its role. */
export function withScopeOfRoles(wanted: Values, now: Observed, written: Values | null): Values {
  if (!isManager(wanted.roles ?? now.values.roles)) return pickFields(wanted, (name) => !SCOPE_NAMES.includes(name));
  if (wanted.roles === undefined) return wanted;
  const known = SCOPE_NAMES.flatMap((name): [string, Json][] => {
    const scope = now.values[name] ?? written?.[name] ?? null;
    return isEmpty(scope) ? [] : [[name, scope]];
  });
  return { ...Object.fromEntries(known), ...wanted };
}
