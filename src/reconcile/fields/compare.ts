import { officeKey } from '../../model/directory.js';
import type { Field } from '../../model/fields.js';
import { canonicalJson, isJsonObject, itemsOf, type Json, objectOf, type Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';

/** Absent, null, empty text, an empty list and an empty object all mean the same: no value. */
export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every((item) => isEmpty(item));
}

export function pickFields(values: Values, keep: (name: string, value: Json) => boolean): Values {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => keep(name, value)));
}

/** The words of a value that is a single word or a list. */
export function wordsOf(value: Json | undefined): readonly string[] {
  return isEmpty(value) ? [] : itemsOf(value).map(String);
}

function comparedText(value: Json, field: Field): string {
  const text = String(value);
  if (field.comparedAs === 'folded' || field.to !== undefined) return foldKey(text);
  const trimmed = text.normalize('NFC').trim();
  return field.comparedAs === 'number' && trimmed !== '' && Number.isFinite(Number(trimmed))
    ? String(Number(trimmed))
    : trimmed;
}

/** An office in the form that name look-ups use: it ignores case and surrounding white space of both parts. */
function officeText(value: Json | undefined): string {
  const { country, name } = objectOf(value);
  return officeKey(String(country ?? ''), String(name ?? ''));
}

function setOf(value: Json, field: Field): string {
  const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return items
    .map((item) => (isJsonObject(item) ? officeText(item) : comparedText(item, field)))
    .sort()
    .join('\u0000');
}

/**
 * True if two complete values of a field mean the same. Multilingual fields and tags are compared by language and
 * category instead.
 */
export function isSameValue(field: Field, a: Json | undefined, b: Json | undefined): boolean {
  // A flag that was never set is off.
  if (field.shape === 'flag') return (a ?? false) === (b ?? false);
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) && isEmpty(b);
  if (field.shape === 'names' || field.shape === 'offices' || field.shape === 'references')
    return setOf(a as Json, field) === setOf(b as Json, field);
  if (field.shape === 'office') return officeText(a) === officeText(b);
  if (typeof a === 'object' || typeof b === 'object') return canonicalJson(a as Json) === canonicalJson(b as Json);
  return comparedText(a as Json, field) === comparedText(b as Json, field);
}
