import { lookDamaged } from '../../../model/garbled.js';
import { canonicalJson, isJsonObject, type Json } from '../../../model/json.js';
import { sha256, shortenDigest } from '../../../model/sha256.js';
import { holdRecord } from '../../hold-record.js';
import { eachMoved, type Leaf, valueAt, withoutLeaves } from '../leaves.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * A text that was clean and now looks as if its bytes had been read in another encoding, or as what a spreadsheet makes of
 * values, is held, each by itself; the other fields of the record go on. A person may say that it is right.
 */
export function dropGarbled(draft: RecordDraft): void {
  const { entity, key, observed, after, ports } = draft;
  if (observed === null) return;
  const garbled: Leaf[] = [];
  for (const leaf of eachMoved(entity, after, observed.values)) {
    const { path, value } = leaf;
    const was = valueAt(observed.values, leaf);
    const looks = findDamage(was, value);
    if (looks === null) continue;
    const question = sha256(canonicalJson([entity, key, path, was ?? null, value]));
    if (ports.memory.resolution(question) === 'source') continue;
    garbled.push(leaf);
    const reason = `${path} was ${canonicalJson(was ?? null)} and now is ${canonicalJson(value)}: it looks like ${looks}.`;
    const remedy = `Correct the export, or \`encoding\` of the source. If the text is right, \`talent-sync holds resolve ${shortenDigest(question)} --take source\` lets it pass.`;
    holdRecord(draft, 'SYNC_TEXT_GARBLED', { reason, remedy, field: path, conflict: question }, ports);
  }
  if (garbled.length > 0) draft.after = withoutLeaves(entity, after, garbled, observed.values);
}

/** Texts within a value are held against those in the same place; those of a list against the whole list. */
function findDamage(was: Json | undefined, value: Json): string | null {
  if (typeof value === 'string') return lookDamaged(typeof was === 'string' ? was : '', value);
  if (Array.isArray(value)) {
    const before = Array.isArray(was) ? (was as readonly Json[]).join('\n') : '';
    return firstOf(value.map((item: Json) => (typeof item === 'string' ? lookDamaged(before, item) : null)));
  }
  if (!isJsonObject(value)) return null;
  const parts = isJsonObject(was) ? was : {};
  return firstOf(Object.entries(value).map(([name, item]) => findDamage(parts[name], item)));
}

function firstOf(found: readonly (string | null)[]): string | null {
  return found.find((one) => one !== null) ?? null;
}
