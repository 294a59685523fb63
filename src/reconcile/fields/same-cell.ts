import { canonicalJson, isJsonObject, type Json } from '../../model/json.js';
import { isEmpty } from './compare.js';

/**
 * True if a source shows the value that was written to it, in any of these forms: `42` and `"42"`, a day and its
 * midnight, a list in any order.
 */
export function isSameCell(shown: Json | undefined, told: Json | undefined): boolean {
  if (isEmpty(shown) || isEmpty(told)) return isEmpty(shown) && isEmpty(told);
  return plainOf(shown ?? null) === plainOf(told ?? null);
}

/**
 * True if a source shows the value that was written to it in a form of its own, with other case, blanks or punctuation.
 * For example, a source may keep `+47 22 33` as `+472233` or `00472233`. Sending the value again would change nothing,
 * and would repeat in every run.
 */
export function isNearCell(shown: Json | undefined, told: Json | undefined): boolean {
  if (isEmpty(shown) || isEmpty(told)) return false;
  const [a, b] = [foldCell(shown), foldCell(told)];
  const isNear = (one: string, other: string): boolean => one !== '' && one === other;
  return isNear(keepSigns(a), keepSigns(b)) || isNear(keepSigns(dialOut(a)), keepSigns(dialOut(b)));
}

function foldCell(value: Json | undefined): string {
  return plainOf(value ?? null)
    .normalize('NFKC')
    .toLowerCase();
}

function keepSigns(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

/** The form that is dialled: `0047 22 33` for `+47 22 33`. */
function dialOut(text: string): string {
  return text.replace(/^\+(?=[\d ()./-]+$)/, '00');
}

function plainOf(value: Json): string {
  if (Array.isArray(value)) return (value as readonly Json[]).map(plainOf).sort().join('\u0000');
  if (isJsonObject(value))
    return canonicalJson(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainOf(item)])));
  const text = String(value).normalize('NFC').trim();
  const number = Number(text);
  // A leading zero or plus matters, so `007` is not a number. A long id is not a number either, because a number would
  // round it.
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && Math.abs(number) <= Number.MAX_SAFE_INTEGER) return String(number);
  const day = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(day) ? text : new Date(day).toISOString();
}
