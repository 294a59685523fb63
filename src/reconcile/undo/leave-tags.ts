import { isJsonObject, type Values } from '../../model/json.js';
import { isEmpty } from '../fields/compare.js';
import type { RunWork } from './run-work.js';
import type { UndoPorts } from './undo-ports.js';
import { report } from './undo-reports.js';

/**
 * No call on a person removes a tag (spec, Custom tags). If the same run created the tag, deleting the tag undoes the
 * assignment. The assignment of an older tag cannot be undone.
 */
export function leaveTags(work: RunWork, wanted: Values, ports: UndoPorts): Values {
  const { tags, ...others } = wanted;
  if (!isJsonObject(tags)) return wanted;
  const written = work.after.tags;
  const kept = Object.entries(tags).filter(([category, tag]) => {
    if (!isEmpty(tag)) return true;
    const given = isJsonObject(written) ? String(written[category]) : '';
    if (!isTagUndone(category, given, ports)) {
      const because = `tags.${category}: there was no tag of this category before, and no call of the service removes one from a person.`;
      report(work, 'SYNC_UNDO_IMPOSSIBLE', { because, remedy: 'Remove the tag in the service by hand.' }, ports);
    }
    return false;
  });
  return kept.length === 0 ? others : { ...others, tags: Object.fromEntries(kept) };
}

function isTagUndone(category: string, tag: string, ports: UndoPorts): boolean {
  // If the run itself created the tag, deleting the tag removes it from people.
  const isMade = ports.undone.works.some(
    ({ entity, turn, after }) =>
      entity === 'tags' && turn === 'create' && after.category === category && after.external_unique_id === tag,
  );
  return isMade && ports.contents.tagged(category, tag).length === 0;
}
