import type { Field } from '../../../model/fields.js';
import { isJsonObject, type Json, type Values } from '../../../model/json.js';
import { isEmpty, isSameValue } from '../compare.js';
import { SCOPES } from '../manager-scope.js';
import { pickFields } from '../pick-fields.js';
import type { RecordDraft } from '../record-draft.js';

/** Sets aside the scope that is in the change for the sake of the roles alone: no rule about fields is asked about it. */
export function splitScope(draft: RecordDraft): void {
  const { own, companion } = splitCompanion(draft.after, { ...draft.written, ...draft.observed?.values });
  draft.after = own;
  draft.companion = companion;
}

/**
 * The scope that is in a change because the roles need it, since it has not moved or there was none: it comes and
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
    const { still, moved } = splitField(field, scope, known?.[name]);
    if (still !== undefined) companion[name] = still;
    if (moved === undefined) delete own[name];
    else own[name] = moved;
  }
  return { own, companion };
}

/** Tags category by category. */
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
