import { isJsonObject, type Json, type Values } from '../../../model/json.js';
import type { RecordDraft } from '../record-draft.js';

/** The scope that was set aside comes along where the roles still move, and goes with them where they do not. */
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
