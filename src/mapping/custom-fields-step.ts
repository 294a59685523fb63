import type { FieldSource } from '../config/config.js';
import { createDateFormatter } from '../model/date-in-zone.js';
import type { Json } from '../model/json.js';
import type { MappingLeaf } from './mapping-leaf.js';
import { compileBranches, type FieldStep, type Leaves, readTexts, type StepKit, treeOf } from './step-kit.js';
import { type Convert, choosing, convertCurrency, convertText, fault, type ValuePlace } from './values.js';
import type { Want } from './wanted.js';

interface CustomFieldPart {
  readonly want: Want;
  readonly convert: (timezone: string) => Convert;
}

/** The parts of the five kinds of custom field (spec, Custom field definition and value). */
const PARTS: Readonly<Record<string, CustomFieldPart>> = {
  value: { want: 'scalar', convert: () => convertScalar },
  amount: { want: 'scalar', convert: () => convertAmount },
  currency: { want: 'text', convert: () => convertCurrency },
  unit: { want: 'text', convert: () => convertText },
  from: { want: 'month', convert: createMonthConvert },
  to: { want: 'month', convert: createMonthConvert },
};
const SENSITIVITY = ['anonymized', 'confidential'];

interface MappedCustomField {
  readonly name: string;
  readonly path: string;
  readonly parts: Readonly<Record<string, { readonly leaf: MappingLeaf; readonly convert: Convert }>>;
  readonly anonymized: Leaves;
}

/**
 * Reads `{ headcount: 42, contract: { amount: 10, currency: 'nok' } }`: a plain value or its parts. A field is empty if
 * its value, its amount or both ends of its period are empty. A currency alone does not count.
 */
export function buildCustomFieldsStep(name: string, source: FieldSource, kit: StepKit): FieldStep {
  const fields = Object.entries(treeOf(source)).map(([field, tree]) => compileField(name, field, tree, kit));
  return {
    name,
    leaves: fields.flatMap(({ parts, anonymized }) => [
      ...Object.values(parts).map(({ leaf }) => leaf),
      ...Object.values(anonymized),
    ]),
    read() {
      const values: Record<string, Json> = {};
      for (const field of fields) {
        const value = readField(field, kit);
        if (value !== undefined) values[field.name] = value;
      }
      return Object.keys(values).length === 0 ? undefined : values;
    },
  };
}

function compileField(root: string, name: string, source: FieldSource, kit: StepKit): MappedCustomField {
  const path = `${root}.${name}`;
  const { value = source, sensitivity, anonymized } = treeOf(source);
  const sources = typeof value === 'string' ? { value } : treeOf(value);
  const parts: Record<string, MappedCustomField['parts'][string]> = {};
  for (const [part, { want, convert }] of Object.entries(PARTS)) {
    const text = sources[part];
    if (typeof text !== 'string') continue;
    const leaf = kit.compile(part === 'value' ? path : `${path}.${part}`, text, want);
    parts[part] = { leaf, convert: convert(kit.timezone) };
  }
  if (typeof sensitivity === 'string') {
    const leaf = kit.compile(`${path}.sensitivity`, sensitivity, 'text');
    parts.sensitivity = { leaf, convert: choosing(SENSITIVITY) };
  }
  return { name, path, parts, anonymized: compileBranches(kit, `${path}.anonymized`, anonymized, 'text') };
}

/** Parts that a field needs in order not to be empty. */
const MAIN: ReadonlySet<string> = new Set(['value', 'amount']);

function readField({ path, parts, anonymized }: MappedCustomField, kit: StepKit): Json | undefined {
  const found = readParts(parts, kit);
  if (found === null) return undefined;
  const empty = kit.emptyValue(path);
  if (found === undefined) return empty;
  const texts = readTexts(kit, anonymized);
  if (texts === null) return undefined;
  // An empty part is omitted if the field keeps its old value, and null if the field clears it.
  const shown = Object.entries(found).filter(([, value]) => value !== undefined || empty !== undefined);
  const read: Readonly<Record<string, Json>> = {
    ...Object.fromEntries(shown.map(([name, value]) => [name, value ?? null])),
    ...(Object.keys(texts).length === 0 ? {} : { anonymized: texts }),
  };
  return Object.keys(read).length === 1 && read.value !== undefined ? read.value : read;
}

/** Reads the parts of a field; null if one of them is unknown, undefined if the field is empty. */
function readParts(
  parts: MappedCustomField['parts'],
  kit: StepKit,
): Readonly<Record<string, Json | undefined>> | undefined | null {
  const read: Record<string, Json | undefined> = {};
  for (const [name, { leaf, convert }] of Object.entries(parts)) {
    const value = kit.read(leaf, convert);
    if (value === null) return null;
    if (value === undefined && MAIN.has(name)) return undefined;
    read[name] = value;
  }
  const isFilled = Object.entries(read).some(([name, value]) => value !== undefined && name !== 'sensitivity');
  return isFilled ? read : undefined;
}

function convertScalar(value: unknown, at: ValuePlace): string | number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : convertText(value, at);
}

function convertAmount(value: unknown, at: ValuePlace): number | undefined {
  const found = convertScalar(value, at);
  const amount = typeof found === 'string' ? Number(found) : found;
  if (amount === undefined || Number.isFinite(amount)) return amount;
  throw fault(value, at, 'a number such as 42 or 4.2', 'Correct it in the source.');
}

/** Converts a date to its month in the configured zone, and removes the day from a text such as 2026-11-20. */
function createMonthConvert(timezone: string): Convert {
  const dateIn = createDateFormatter(timezone);
  return (value, at) => {
    if (value instanceof Date) return dateIn(value).slice(0, -3);
    const text = convertText(value, at);
    if (text === undefined) return undefined;
    const month = /^(\d{4})-(\d{1,2})(-\d{1,2}(T.*)?)?$/.exec(text);
    const number = Number(month?.[2]);
    if (month !== null && number >= 1 && number <= 12) return `${month[1]}-${String(number).padStart(2, '0')}`;
    throw fault(text, at, 'a month such as 2026-11', 'Correct it in the source.');
  };
}
