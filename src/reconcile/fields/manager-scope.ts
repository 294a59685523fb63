import type { Candidate } from '../../model/desired.js';
import { FIELDS, type Field, isManager } from '../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { isUnsure } from '../../model/unsure.js';
import { holdRecord } from '../hold-record.js';
import type { HoldPorts } from '../ports.js';
import { isEmpty, isSameValue } from './compare.js';
import type { DiffInput } from './diff.js';

/** A departmentmanager needs a scope of offices, of tags, or of both in the same request (spec, Update rules). */
const SCOPES = Object.entries(FIELDS.users).filter(([, { ofRole }]) => ofRole !== undefined);
const SCOPE_NAMES = SCOPES.map(([name]) => name);

/** Roles that move are sent with all that the record says of their scope. */
export function completeScope(
  { desired, observed, written }: DiffInput,
  before: Record<string, Json>,
  after: Record<string, Json>,
): void {
  if (!isManager(after.roles)) return;
  for (const name of SCOPE_NAMES) {
    const scope = desired[name];
    if (scope === undefined || isEmpty(scope)) continue;
    const known = observed?.[name] ?? written?.[name];
    after[name] = scope;
    before[name] = isJsonObject(scope) ? pickParts(known, scope) : (known ?? null);
  }
}

/** Of tags only the categories that move are told, before as after. */
export function pickParts(have: Json | undefined, moved: Json): Json {
  if (!isJsonObject(have) || !isJsonObject(moved)) return null;
  return Object.fromEntries(
    Object.entries(moved).map(([category, wanted]) => [category, tellBefore(have[category] ?? null, wanted)]),
  );
}

/** Where nobody knows what is there, all of a set that may have to go is told: what is wanted is put on in any case. */
function tellBefore(have: Json, wanted: Json): Json {
  if (!isUnsure(have)) return have;
  if (!Array.isArray(wanted)) return null;
  const stays = wanted as readonly Json[];
  return have.any_of.filter((tag) => !stays.includes(tag));
}

/**
 * The scope that stands in a change because the roles need it, since it has not moved or there was none: it comes and
 * goes with them.
 *
 * @param known what the service shows or, where it shows none, what was written last
 */
export function splitCompanion(
  after: Values,
  known: Values | null,
): { readonly own: Values; readonly companion: Values } {
  if (!('roles' in after)) return { own: after, companion: {} };
  const own: Record<string, Json> = { ...after };
  const companion: Record<string, Json> = {};
  for (const [name, field] of SCOPES) {
    const scope = after[name];
    if (scope === undefined) continue;
    const { still, moved } = splitScope(field, scope, known?.[name]);
    if (still !== undefined) companion[name] = still;
    if (moved === undefined) delete own[name];
    else own[name] = moved;
  }
  return { own, companion };
}

/** Tags category by category. */
function splitScope(
  field: Field,
  scope: Json,
  had: Json | undefined,
): { readonly still?: Json; readonly moved?: Json } {
  if (isEmpty(had)) return { still: scope };
  if (!isJsonObject(scope)) return isSameValue(field, scope, had) ? { still: scope } : { moved: scope };
  const pick = (wanted: boolean): Values =>
    pickFields(scope, (category, tags) => {
      const there = isJsonObject(had) ? had[category] : undefined;
      return isSameValue({ shape: 'names' }, tags, there) === wanted;
    });
  const [still, moved] = [pick(true), pick(false)];
  return { ...(isBlank(still) ? {} : { still }), ...(isBlank(moved) ? {} : { moved }) };
}

export function joinCompanion(after: Values, companion: Values): Values {
  if (!('roles' in after)) return after;
  const joined: Record<string, Json> = { ...after };
  for (const [name, still] of Object.entries(companion)) {
    const moved = after[name];
    joined[name] = isJsonObject(moved) && isJsonObject(still) ? { ...still, ...moved } : still;
  }
  return joined;
}

/** Without any scope to send the roles stay as they are. */
export function dropScopeless(after: Values, candidate: Candidate, ports: HoldPorts): Values {
  if (!isManager(after.roles) || SCOPE_NAMES.some((name) => !isEmpty(after[name]))) return after;
  const fields = SCOPE_NAMES.map((name) => `\`${name}\``).join(' or ');
  holdRecord(
    candidate,
    'SYNC_REFERENCE_UNKNOWN',
    {
      reason: `roles: a departmentmanager needs a scope in the same request, and nothing of ${fields} is known.`,
      remedy: `Deliver an office or tag that the service has, or map ${fields}.`,
    },
    ports,
  );
  return pickFields(after, (name) => name !== 'roles' && !SCOPE_NAMES.includes(name));
}

/** What an undo puts back: roles come with the scope that is there, or was written last, and a scope goes with its role. */
export function withScopeOfRoles(wanted: Values, now: Observed, written: Values | null): Values {
  if (!isManager(wanted.roles ?? now.values.roles)) return pickFields(wanted, (name) => !SCOPE_NAMES.includes(name));
  if (wanted.roles === undefined) return wanted;
  const known = SCOPE_NAMES.flatMap((name): [string, Json][] => {
    const scope = now.values[name] ?? written?.[name];
    return scope === undefined || isEmpty(scope) ? [] : [[name, scope]];
  });
  return { ...Object.fromEntries(known), ...wanted };
}

function isBlank(values: Values): boolean {
  return Object.keys(values).length === 0;
}

function pickFields(values: Values, keep: (name: string, value: Json) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => keep(name, value)));
}
