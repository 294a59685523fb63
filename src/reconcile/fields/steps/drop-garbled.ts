import { isGarbled } from '../../../model/garbled.js';
import { canonicalJson, isJsonObject, type Json } from '../../../model/json.js';
import { sha256 } from '../../../model/sha256.js';
import { holdRecord } from '../../hold-record.js';
import { eachMoved, type Leaf, valueAt, withoutLeaves } from '../leaves.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * A text that was clean and now looks as if its bytes had been read in another encoding is held, each by itself; the
 * other fields of the record go on. A person may say that it is right.
 */
export function dropGarbled(draft: RecordDraft): void {
  const { entity, key, observed, after, ports } = draft;
  if (observed === null) return;
  const garbled: Leaf[] = [];
  for (const leaf of eachMoved(entity, after, observed.values)) {
    const { path, value } = leaf;
    const was = valueAt(observed.values, leaf);
    if (!isAnyGarbled(was, value)) continue;
    const question = sha256(canonicalJson([entity, key, path, was ?? null, value])).slice(0, 12);
    if (ports.memory.resolution(question) === 'source') continue;
    garbled.push(leaf);
    const reason = `${path} was ${canonicalJson(was ?? null)} and now is ${canonicalJson(value)}: it looks like text that was read in another encoding.`;
    const remedy = `Correct the export, or \`encoding\` of the source. If the text is right, \`talent-sync holds resolve ${question} --take source\` lets it pass.`;
    holdRecord(draft, 'SYNC_TEXT_GARBLED', { reason, remedy, field: path, conflict: question }, ports);
  }
  if (garbled.length > 0) draft.after = withoutLeaves(entity, after, garbled, observed.values);
}

/** Texts within a value are held against those in the same place; those of a list against the whole list. */
function isAnyGarbled(was: Json | undefined, value: Json): boolean {
  if (typeof value === 'string') return typeof was === 'string' && isGarbled(was, value);
  if (Array.isArray(value)) {
    const before = Array.isArray(was) ? (was as readonly Json[]).join('\n') : '';
    return before !== '' && value.some((item: Json) => typeof item === 'string' && isGarbled(before, item));
  }
  if (!isJsonObject(value) || !isJsonObject(was)) return false;
  return Object.entries(value).some(([name, item]) => isAnyGarbled(was[name], item));
}
