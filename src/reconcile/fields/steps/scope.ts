import { type Field, isManager } from '../../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../../model/json.js';
import { holdRecord } from '../../hold-record.js';
import { isEmpty, isSameValue, pickFields } from '../compare.js';
import { SCOPE_NAMES, SCOPES } from '../manager-scope.js';
import type { RecordDraft } from '../record-draft.js';

/** Sets aside the scope that is in the change only because of the roles, so that no rule about fields applies to it. */
export function splitScope(draft: RecordDraft): void {
  const { own, companion } = splitCompanion(draft.after, { ...draft.written, ...draft.observed?.values });
  draft.after = own;
  draft.companion = companion;
}

/**
 * Separates the scope that is in a change only because the roles need it. Such a scope has not changed, or there was no
 * scope before. It is sent or dropped together with the roles.
 *
 * @param known the values that the service shows, or else the last written ones
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
    const { still, moved } = splitField(field, scope, known?.[name]);
    if (still !== undefined) companion[name] = still;
    if (moved === undefined) delete own[name];
    else own[name] = moved;
  }
  return { own, companion };
}

/** Splits tags by category. */
function splitField(
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

function isBlank(values: Values): boolean {
  return Object.keys(values).length === 0;
}

/** Adds the scope that was set aside if the roles still move. */
export function joinScope(draft: RecordDraft): void {
  draft.after = joinCompanion(draft.after, draft.companion);
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

/** Without a scope to send, the roles stay unchanged, because the service would reject them (spec, Update rules). */
export function dropScopeless(draft: RecordDraft): void {
  const { after } = draft;
  if (!isManager(after.roles) || SCOPE_NAMES.some((name) => !isEmpty(after[name]))) return;
  const fields = SCOPE_NAMES.map((name) => `\`${name}\``).join(' or ');
  const reason = `roles: a departmentmanager needs a scope in the same request, but no value of ${fields} is known.`;
  const remedy = `Deliver an office or tag that the service has, or map ${fields}.`;
  holdRecord(draft, 'SYNC_REFERENCE_UNKNOWN', { reason, remedy, field: 'roles' }, draft.ports);
  draft.after = pickFields(after, (name) => name !== 'roles' && !SCOPE_NAMES.includes(name));
}
