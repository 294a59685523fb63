import { FIELDS, type Personal } from '../../../model/fields.js';
import { lookDamaged } from '../../../model/garbled.js';
import { canonicalJson, isJsonObject, type Json } from '../../../model/json.js';
import { findNothingPart } from '../../../model/nothing.js';
import { sha256, shortenDigest } from '../../../model/sha256.js';
import { isCutNumber, isScientific } from '../../../model/sheet-number.js';
import { holdRecord } from '../../hold-record.js';
import { eachMoved, type Leaf, valueAt, withoutLeaves } from '../leaves.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * A text that was clean and now looks as if its bytes had been read in another encoding, or as what a spreadsheet makes of
 * values, is held, each by itself; the other fields of the record go on. So is a name of which a part has become a word for
 * nothing. A person may say that it is right. Of a new object only what a spreadsheet has made can be told.
 */
export function dropGarbled(draft: RecordDraft): void {
  const { entity, key, observed, after, ports } = draft;
  const shown = observed?.values ?? {};
  const garbled: Leaf[] = [];
  for (const leaf of eachMoved(entity, after, shown)) {
    const { path, value } = leaf;
    const was = valueAt(shown, leaf);
    const looks = findDamage(was, value) ?? findPersonal(FIELDS[entity][leaf.field]?.personal, was, value);
    if (looks === null) continue;
    const question = sha256(canonicalJson([entity, key, path, was ?? null, value]));
    if (ports.memory.resolution(question) === 'source') continue;
    garbled.push(leaf);
    const reason = `${path} was ${canonicalJson(was ?? null)} and now is ${canonicalJson(value)}: it looks like ${looks}.`;
    const remedy = `Correct the export, or \`encoding\` of the source. If the text is right, \`talent-sync holds resolve ${shortenDigest(question)} --take source\` lets it pass.`;
    holdRecord(draft, 'SYNC_TEXT_GARBLED', { reason, remedy, field: path, conflict: question }, ports);
  }
  if (garbled.length > 0) draft.after = withoutLeaves(entity, after, garbled, shown);
}

/** What has become of a name, or of a telephone number. */
function findPersonal(kind: Personal | undefined, before: Json | undefined, value: Json): string | null {
  if (typeof value !== 'string') return null;
  const was = typeof before === 'string' ? before : '';
  if (kind === 'name') {
    const part = findNothingPart(was, value);
    return part === null ? null : `a name in which "${part}" is a word for nothing`;
  }
  if (kind !== 'number') return null;
  if (isScientific(value)) return 'a number that a spreadsheet has cut short';
  return isCutNumber(was, value) ? 'a number from which a spreadsheet has cut the zeros or the sign' : null;
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
