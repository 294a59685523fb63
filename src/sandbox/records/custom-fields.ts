import { isJsonObject } from '../../model/json.js';
import type { CustomField, World } from '../account/world.js';
import { type CodeMode, type Texts, toWireTexts } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import { type Body, isCurrencyCode, readTexts } from '../fields/values.js';
import type { ProjectDocument } from '../store/project-documents.js';

type CustomValue = Readonly<Record<string, unknown>>;

/** Type of the field → the parts of its value. Each part is read separately and stays unchanged if it is not sent. */
export const PARTS_OF_TYPE: Readonly<Record<CustomField['field_type'], Readonly<Record<string, ReadPart>>>> = {
  numeric: { value: readDecimal },
  single_select: { value: readOption },
  currency_amount: { amount: readAmount, currency: readCurrency },
  quantity: { amount: readDecimal, unit: readUnit },
  year_month_range: { from: readMonth, to: readMonth },
};

/** @returns the part as stored; null is handled before */
type ReadPart = (field: CustomField, value: unknown) => unknown;

/** Merges the stored values with those in the body. Only the listed fields change (spec, Custom fields on projects). */
export function readCustomFields(
  world: World,
  body: Body,
  project: ProjectDocument,
  mode: CodeMode,
): ProjectDocument['custom_fields'] {
  const sent = body.custom_fields;
  if (sent === undefined || sent === null) return project.custom_fields;
  if (!world.account.features.custom_fields) refuse(403, 'custom fields are not enabled for the account');
  if (!Array.isArray(sent) || !sent.every((one) => isJsonObject(one)))
    refuse(422, 'custom_fields must be a list of objects');
  // Names are checked first: an unknown one is 404 for the entire request, whatever other errors it has (rule 1).
  const named = sent.map((entry) => {
    const field = world.customFields.find((candidate) => candidate.field_name === entry.name);
    return { entry, field: field ?? refuse(404, `custom field ${String(entry.name)} is not known`) };
  });
  const values: Record<string, CustomValue> = { ...project.custom_fields };
  for (const { entry, field } of named) {
    const read = { ...readValue(field, entry), ...readSensitivity(entry, mode) };
    values[field.field_name] = { ...values[field.field_name], ...read };
  }
  return values;
}

function readSensitivity(entry: Body, mode: CodeMode): CustomValue {
  const { sensitivity } = entry;
  const anonymized = readTexts(entry, 'anonymized', mode);
  if (![undefined, null, 'anonymized', 'confidential'].some((known) => known === sensitivity)) {
    refuse(422, 'sensitivity must be anonymized or confidential');
  }
  return {
    ...(sensitivity === undefined ? {} : { sensitivity }),
    ...(anonymized === undefined ? {} : { anonymized }),
  };
}

function readValue(field: CustomField, entry: Body): CustomValue {
  if (entry.value_id !== undefined) refuse(422, 'value_id is not permitted');
  const sent = Object.entries(PARTS_OF_TYPE[field.field_type]).filter(([part]) => part in entry);
  return Object.fromEntries(sent.map(([part, read]) => [part, entry[part] === null ? null : read(field, entry[part])]));
}

/** Reads a number, which is stored as a decimal string: 42 → `42.0` (spec, Custom field definition and value). */
function readDecimal(field: CustomField, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text)) refuse(422, `${field.field_name} must be a number`);
  return text.includes('.') ? text.replace(/(\.\d+?)0+$/, '$1') : `${text}.0`;
}

function readOption(field: CustomField, value: unknown): string {
  const option = field.options.find((candidate) => candidate.external_unique_id === value);
  if (!option) refuse(422, `${field.field_name} must be the external_unique_id of one of its options`);
  return option.external_unique_id;
}

function readAmount(field: CustomField, amount: unknown): unknown {
  const number = typeof amount === 'string' && /^\d+$/.test(amount) ? Number(amount) : amount;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0) return number;
  return refuse(422, `amount of ${field.field_name} must be a non-negative integer`);
}

function readCurrency(field: CustomField, currency: unknown): unknown {
  if (isCurrencyCode(currency)) return currency;
  return refuse(422, `currency of ${field.field_name} must be a lower case currency code`);
}

function readUnit(field: CustomField, unit: unknown): unknown {
  if (field.units.some((known) => known === unit)) return unit;
  return refuse(422, `unit of ${field.field_name} is not supported`);
}

function readMonth(field: CustomField, month: unknown): unknown {
  if (typeof month === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month;
  return refuse(422, `from and to of ${field.field_name} must be written as YYYY-MM`);
}

/** Renders every defined field. Fields without a value contain nulls (rule 7). */
export function renderCustomFields(world: World, project: ProjectDocument, mode: CodeMode): object[] {
  if (!world.account.features.custom_fields) return [];
  return world.customFields.map((field) => {
    const { anonymized, ...stored } = project.custom_fields[field.field_name] ?? {};
    const empty = Object.keys(PARTS_OF_TYPE[field.field_type]).map((part) => [part, null]);
    const value: Record<string, unknown> = { ...Object.fromEntries(empty), sensitivity: null, ...stored };
    if (field.field_type === 'single_select') value.value = renderOption(field, value.value, mode);
    return {
      name: field.field_name,
      type: field.field_type,
      ...value,
      anonymized: toWireTexts((anonymized ?? {}) as Texts, mode),
    };
  });
}

function renderOption(field: CustomField, externalId: unknown, mode: CodeMode): object | null {
  const option = field.options.find((candidate) => candidate.external_unique_id === externalId);
  if (!option) return null;
  const id = field.option_ids[option.external_unique_id] ?? null;
  return { id, external_unique_id: option.external_unique_id, name: toWireTexts(option.name, mode) };
}
