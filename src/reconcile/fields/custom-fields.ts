import { isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.js';
import { nearestName } from '../../model/nearest.js';
import { isEmpty } from './compare.js';

/** The value as an object of parts: `42` becomes `{ value: 42 }`. */
export function partsOf(value: Json | undefined): JsonObject {
  if (value === null || value === undefined) return {};
  return isJsonObject(value) ? value : { value };
}

/**
 * True if a custom field holds the desired value. Only the parts that the record names count. The service returns
 * numbers as decimal text (`42` becomes `42.0`; spec, Custom field definition and value), so they are compared as
 * numbers. The spec does not say what happens to unit and sensitivity when the value is cleared (Custom fields 2), so
 * they are ignored without a value.
 */
export function isSameCustomField(want: Json, have: Json | undefined): boolean {
  const held = partsOf(have);
  if (isToClear(want)) return VALUE_PARTS.every((part) => isEmpty(held[part]));
  return Object.entries(partsOf(want)).every(([part, value]) => isSamePart(value, held[part]));
}

/** The parts that carry a value; the other parts describe the value. */
const VALUE_PARTS = ['value', 'amount', 'from', 'to'] as const;

function isToClear(want: Json): boolean {
  const parts = partsOf(want);
  const named = VALUE_PARTS.filter((part) => part in parts);
  return want === null || (named.length > 0 && named.every((part) => isEmpty(parts[part])));
}

function isSamePart(want: Json, have: Json | undefined): boolean {
  if (isJsonObject(want)) {
    const held = objectOf(have);
    return Object.entries(want).every(([language, text]) => isSamePart(text, held[language]));
  }
  if (isEmpty(want) || isEmpty(have)) return isEmpty(want) && isEmpty(have);
  const [a, b] = [String(want).normalize('NFC').trim(), String(have).normalize('NFC').trim()];
  return a === b || (isNumber(a) && isNumber(b) && Number(a) === Number(b));
}

function isNumber(text: string): boolean {
  return text !== '' && Number.isFinite(Number(text));
}

export interface FieldFault {
  readonly reason: string;
  readonly remedy: string;
}

/** The parts that each type accepts (spec, Custom fields on projects). */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  numeric: ['value'],
  single_select: ['value'],
  currency_amount: ['amount', 'currency'],
  quantity: ['amount', 'unit'],
  year_month_range: ['from', 'to'],
};

/**
 * Finds the fault in a value, as far as the definitions are known. The service would reject the entire request: an
 * unknown name with 404, a value of another type with 422 (spec, Custom fields on projects 1–5).
 */
export function findFieldFault(
  name: string,
  value: Json,
  defined: Readonly<Record<string, string>> | null,
): FieldFault | null {
  if (defined === null) return null;
  if (!Object.hasOwn(defined, name)) return unknownField(name, Object.keys(defined));
  const type = defined[name] ?? '';
  const accepted = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (value === null || accepted === undefined) return null;
  const parts = partsOf(value);
  return findStrangePart(name, parts, type, accepted) ?? findNumberFault(name, parts, type);
}

function findStrangePart(
  name: string,
  parts: JsonObject,
  type: string,
  accepted: readonly string[],
): FieldFault | null {
  const strange = Object.keys(parts).filter(
    (part) => part !== 'sensitivity' && part !== 'anonymized' && !accepted.includes(part),
  );
  if (strange.length === 0) return null;
  const parted = `{ ${accepted.map((part) => `${part}: record.${part}`).join(', ')} }`;
  return {
    reason: `The custom field "${name}" is a ${type}, which takes ${accepted.join(' and ')}, not ${strange.join(' and ')}.`,
    remedy: `Map it as \`${name}: ${accepted[0] === 'value' ? 'record.x' : parted}\`.`,
  };
}

function findNumberFault(name: string, parts: JsonObject, type: string): FieldFault | null {
  const number = type === 'numeric' ? parts.value : parts.amount;
  if (type === 'single_select' || type === 'year_month_range' || number === undefined || number === null) return null;
  const isWhole = type !== 'currency_amount' || (Number.isInteger(Number(number)) && Number(number) >= 0);
  if (isNumber(String(number)) && isWhole) return null;
  const expected = type === 'currency_amount' ? 'a whole number that is not negative' : 'a number';
  return {
    reason: `The custom field "${name}" is a ${type}, and ${JSON.stringify(number)} is not ${expected}.`,
    remedy: 'Correct the value in the source, or round it in the expression.',
  };
}

function unknownField(name: string, known: readonly string[]): FieldFault {
  const near = nearestName(name, known);
  const others = known.length === 0 ? 'it has none' : `it has ${known.slice(0, 10).join(', ')}`;
  return {
    reason: `The service has no custom field "${name}"; ${near === null ? others : `the nearest name is "${near}"`}.`,
    remedy: 'Correct the name in the mapping, or define the field in the service.',
  };
}
