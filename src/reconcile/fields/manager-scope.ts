import { FIELDS, isManager } from '../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { isUnsure } from '../../model/unsure.js';
import { isEmpty, pickFields } from './compare.js';

/** The scope of a departmentmanager: offices, tags, or both, in the same request as the role (spec, Update rules). */
export const SCOPES = Object.entries(FIELDS.users).filter(([, { ofRole }]) => ofRole !== undefined);
export const SCOPE_NAMES = SCOPES.map(([name]) => name);

/** A record, and the known values of its object. */
interface KnownSides {
  readonly desired: Values;
  readonly observed: Values | null;
  readonly written: Values | null;
}

/** Adds the scope that the record names to a change that sends the manager role. */
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

/** The earlier values of the categories that a change moves. */
export function pickParts(have: Json | undefined, moved: Json): Json {
  if (!isJsonObject(have) || !isJsonObject(moved)) return null;
  return Object.fromEntries(
    Object.entries(moved).map(([category, wanted]) => [category, describeBefore(have[category] ?? null, wanted)]),
  );
}

/** If the current tags are uncertain, lists those that may have to be removed; the desired ones are added in any case. */
function describeBefore(have: Json, wanted: Json): Json {
  if (!isUnsure(have)) return have;
  if (!Array.isArray(wanted)) return null;
  const stays = wanted as readonly Json[];
  return have.any_of.filter((tag) => !stays.includes(tag));
}

/**
 * Completes the values that an undo restores. The manager role is restored with its scope, as shown or last written,
 * and a scope with its role.
 */
export function withScopeOfRoles(wanted: Values, now: Observed, written: Values | null): Values {
  if (!isManager(wanted.roles ?? now.values.roles)) return pickFields(wanted, (name) => !SCOPE_NAMES.includes(name));
  if (wanted.roles === undefined) return wanted;
  const known = SCOPE_NAMES.flatMap((name): [string, Json][] => {
    const scope = now.values[name] ?? written?.[name] ?? null;
    return isEmpty(scope) ? [] : [[name, scope]];
  });
  return { ...Object.fromEntries(known), ...wanted };
}
