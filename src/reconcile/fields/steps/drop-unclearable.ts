import { isAccount } from '../../../model/entity.js';
import { canonicalJson, isJsonObject } from '../../../model/json.js';
import { holdRecord } from '../../hold-record.js';
import { pickFields } from '../compare.js';
import type { RecordDraft } from '../record-draft.js';

/** The tag of a person can only be removed on the CV. The removal can be made and checked only if the account shows tags there. */
export function dropUnclearable(draft: RecordDraft): void {
  const { entity, candidate, observed, ports } = draft;
  const { tags, ...others } = draft.after;
  if (!isAccount(entity) || !isJsonObject(tags) || ports.service.directory.showsUserTags) return;
  const cleared = Object.keys(tags).filter((category) => tags[category] === null);
  if (cleared.length === 0) return;
  for (const category of cleared) {
    const last = isJsonObject(candidate.written?.tags) ? candidate.written.tags[category] : null;
    const reason = `tags.${category}: ${canonicalJson(last ?? null)} was written last and cannot be cleared: the account does not show the tags of people on their CVs, where tags are removed.`;
    const remedy = `Remove the tag from ${observed?.label ?? 'the person'} in the service and set \`when_empty: keep\`, or deliver another tag of the category.`;
    holdRecord(draft, 'SYNC_CHANGE_BLOCKED', { reason, remedy, field: `tags.${category}` }, ports);
  }
  const kept = pickFields(tags, (category) => !cleared.includes(category));
  draft.after = Object.keys(kept).length === 0 ? others : { ...others, tags: kept };
}
