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
 * Holds each text that was intact and now looks as if it was read in another encoding, or damaged by a spreadsheet. The
 * record's other fields are still planned. A name in which one part became a word for "nothing" is held too. A person
 * may confirm the text. In a new object only the traces of a spreadsheet can be recognised.
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
    const remedy = `Correct the export, or \`encoding\` of the source. If the text is right, \`talent-sync holds resolve ${shortenDigest(question)} --take source\` approves it.`;
    holdRecord(draft, 'SYNC_TEXT_GARBLED', { reason, remedy, field: path, conflict: question }, ports);
  }
  if (garbled.length > 0) draft.after = withoutLeaves(entity, after, garbled, shown);
}

/** Describes the damage to a name or a telephone number; null if there is none. */
function findPersonal(kind: Personal | undefined, before: Json | undefined, value: Json): string | null {
  if (typeof value !== 'string') return null;
  const was = typeof before === 'string' ? before : '';
  if (kind === 'name') {
    const part = findNothingPart(was, value);
    return part === null ? null : `a name in which "${part}" is a word for nothing`;
  }
  if (kind !== 'number') return null;
  if (isScientific(value)) return 'a number that a spreadsheet has shortened';
  return isCutNumber(was, value) ? 'a number that lost its zeros or its sign in a spreadsheet' : null;
}

/** Compares the texts in a value with those in the same place, and the texts in a list with the entire list. */
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
