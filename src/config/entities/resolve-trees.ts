import type { YamlPath } from '../../base/settings/resolving.js';
import type { Want } from '../../mapping/wanted.js';
import type { Field } from '../../model/fields.js';
import { isJsonObject } from '../../model/json.js';
import type { FieldRule, FieldSource } from '../config.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import { checkLanguage } from './languages.js';

/** The rules in `{ value, apply, when_empty, authority, write_back }`. */
export interface LeafRuleInput extends Pick<FieldRule, 'apply' | 'whenEmpty' | 'authority'> {
  /** `write_back` as written, with its path; absent if it is not set. */
  readonly writeBack?: { readonly path: YamlPath; readonly input: unknown };
}

/** The content of a wrapper `{ value, … }`. */
export interface Unwrapped {
  readonly value: unknown;
  readonly path: YamlPath;
  readonly rule: LeafRuleInput;
}

/** The methods of the field reader that are needed to read a tree. */
export interface TreeReader {
  readonly report: ConfigProblems;
  expression(path: YamlPath, value: unknown, want: Want): string | null;
  unwrap(path: YamlPath, input: unknown, outer: LeafRuleInput): Unwrapped | null;
  addRule(leaf: string, path: YamlPath, field: Field, rule: LeafRuleInput): void;
  reportKey(path: YamlPath, key: string, known: readonly string[]): void;
}

/**
 * Reads an expression that returns a list, or a list of entries. Each entry is an expression, `{ en: … }` or `{ label, value
 * }`.
 */
export function readEntries(name: string, { value, path }: Unwrapped, reader: TreeReader): FieldSource | null {
  if (!Array.isArray(value)) return reader.expression(path, value, 'entries');
  if (value.length === 0) {
    const remedy = `Write \`${name}: record.?texts\`, or a list such as \`[{ en: record.?text }]\`.`;
    reader.report.add(path, `\`${name}\` has no entry`, remedy);
    return null;
  }
  return value.flatMap((item: unknown, index) => readEntry([...path, index], item, reader) ?? []);
}

function readEntry(path: YamlPath, item: unknown, reader: TreeReader): FieldSource | null {
  if (!isJsonObject(item) || !('value' in item || 'label' in item)) return readTexts(path, item, reader);
  const known = ['label', 'value'];
  for (const key of Object.keys(item)) if (!known.includes(key)) reader.reportKey([...path, key], key, known);
  if (!('value' in item)) {
    reader.report.add(
      [...path, 'value'],
      '`value` is missing',
      'A label alone is not an entry: add `value: { en: … }`.',
    );
    return null;
  }
  const value = readTexts([...path, 'value'], item.value, reader);
  const label = 'label' in item ? readTexts([...path, 'label'], item.label, reader) : null;
  return value === null ? null : { value, ...(label === null ? {} : { label }) };
}

/** Reads `{ en: …, no: … }`. A single expression counts as English. */
function readTexts(path: YamlPath, input: unknown, reader: TreeReader): FieldSource | null {
  if (!isJsonObject(input)) return reader.expression(path, input, 'text');
  const texts: Record<string, FieldSource> = {};
  for (const [language, value] of Object.entries(input)) {
    const wrong = checkLanguage(language);
    if (wrong !== null) reader.report.add([...path, language], wrong.message, wrong.remedy, 'key');
    const expression = reader.expression([...path, language], value, 'text');
    if (expression !== null) texts[language] = expression;
  }
  return texts;
}

const WANTS: Readonly<Record<string, Want>> = {
  amount: 'scalar',
  currency: 'text',
  unit: 'text',
  from: 'month',
  to: 'month',
};
/** Sets of parts that together form a value (spec, Custom field definition and value). */
const FORMS: readonly (readonly string[])[] = [
  ['amount', 'currency'],
  ['amount', 'unit'],
  ['from', 'to'],
];

/** Reads custom fields: name → value or parts of a value, each with its own rules and sensitivity. */
export function readCustomFields(
  name: string,
  field: Field,
  { value, path, rule }: Unwrapped,
  reader: TreeReader,
): FieldSource | null {
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    reader.report.add(path, `\`${name}\` needs a field`, `Write \`${name}: { headcount: … }\`.`);
    return null;
  }
  const fields: Record<string, FieldSource> = {};
  for (const [key, input] of Object.entries(value)) {
    const source = readCustomField(`${name}.${key}`, field, { path: [...path, key], value: input, rule }, reader);
    if (source !== null) fields[key] = source;
  }
  return fields;
}

function readCustomField(
  leaf: string,
  field: Field,
  { path, value: input, rule: outer }: Unwrapped,
  reader: TreeReader,
): FieldSource | null {
  const { sensitivity, anonymized, ...rest } = isJsonObject(input) && 'value' in input ? input : { value: undefined };
  const found = reader.unwrap(path, isJsonObject(input) && 'value' in input ? rest : input, outer);
  if (found === null) return null;
  reader.addRule(leaf, path, field, found.rule);
  const value = isJsonObject(found.value)
    ? readParts(found.path, found.value, reader)
    : reader.expression(found.path, found.value, 'scalar');
  if (value === null || (sensitivity === undefined && anonymized === undefined)) return value;
  const word = sensitivity === undefined ? null : reader.expression([...path, 'sensitivity'], sensitivity, 'text');
  const texts = anonymized === undefined ? null : readAnonymized([...path, 'anonymized'], anonymized, reader);
  return {
    value,
    ...(word === null ? {} : { sensitivity: word }),
    ...(texts === null ? {} : { anonymized: texts }),
  };
}

function readAnonymized(path: YamlPath, input: unknown, reader: TreeReader): FieldSource | null {
  const texts = readTexts(path, input, reader);
  return typeof texts === 'string' ? { en: texts } : texts;
}

function readParts(
  path: YamlPath,
  input: Readonly<Record<string, unknown>>,
  reader: TreeReader,
): { readonly [key: string]: FieldSource } | null {
  const keys = Object.keys(input);
  const unknown = keys.filter((key) => WANTS[key] === undefined);
  for (const key of unknown) reader.reportKey([...path, key], key, Object.keys(WANTS));
  if (unknown.length > 0) return null;
  if (!isForm(keys)) {
    const remedy = 'Write an expression, or `{ amount, currency }`, `{ amount, unit }` or `{ from, to }`.';
    reader.report.add(path, `${keys.join(' and ') || 'an empty map'} cannot form a value of a custom field`, remedy);
    return null;
  }
  const parts: Record<string, FieldSource> = {};
  for (const [key, value] of Object.entries(input)) {
    const expression = reader.expression([...path, key], value, WANTS[key] ?? 'text');
    if (expression !== null) parts[key] = expression;
  }
  return parts;
}

/** True if the keys are the parts of one value. */
export function isForm(keys: readonly string[]): boolean {
  return keys.length > 0 && FORMS.some((form) => keys.every((key) => form.includes(key)));
}
