import { type CodeMode, type Texts, toWireTexts } from './languages.js';
import type { ProjectDocument } from './project-documents.js';
import { type CustomField, Refusal, type World } from './route.js';
import { type Body, isBody, isCurrencyCode, readTexts } from './values.js';

type CustomValue = Readonly<Record<string, unknown>>;

const EMPTY: Readonly<Record<CustomField['field_type'], CustomValue>> = {
  numeric: { value: null },
  single_select: { value: null },
  currency_amount: { amount: null, currency: null },
  quantity: { amount: null, unit: null },
  year_month_range: { from: null, to: null },
};

/** The stored values with those of the body over them; only listed fields change (spec, Custom fields on projects). */
export function readCustomFields(
  world: World,
  body: Body,
  project: ProjectDocument,
  mode: CodeMode,
): ProjectDocument['custom_fields'] {
  const sent = body.custom_fields;
  if (sent === undefined || sent === null) return project.custom_fields;
  if (!world.account.features.custom_fields) throw new Refusal(403, 'custom fields are not enabled for the account');
  if (!Array.isArray(sent) || !sent.every(isBody)) throw new Refusal(422, 'custom_fields must be a list of objects');
  const values: Record<string, CustomValue> = { ...project.custom_fields };
  // Names first: an unknown one is 404 for the whole request, whatever else is wrong (rule 1).
  const named = sent.map((entry) => ({
    entry,
    field: world.customFields.find((field) => field.field_name === entry.name),
  }));
  for (const { entry, field } of named) {
    if (!field) throw new Refusal(404, `custom field ${String(entry.name)} is not known`);
  }
  for (const { entry, field } of named) {
    if (field)
      values[field.field_name] = {
        ...values[field.field_name],
        ...readValue(field, entry),
        ...readSensitivity(entry, mode),
      };
  }
  return values;
}

function readSensitivity(entry: Body, mode: CodeMode): CustomValue {
  const { sensitivity } = entry;
  const anonymized = readTexts(entry, 'anonymized', mode);
  if (
    sensitivity !== undefined &&
    sensitivity !== null &&
    sensitivity !== 'anonymized' &&
    sensitivity !== 'confidential'
  ) {
    throw new Refusal(422, 'sensitivity must be anonymized or confidential');
  }
  return {
    ...(sensitivity === undefined ? {} : { sensitivity }),
    ...(anonymized === undefined ? {} : { anonymized }),
  };
}

function readValue(field: CustomField, entry: Body): CustomValue {
  if (entry.value_id !== undefined) throw new Refusal(422, 'value_id is not permitted');
  switch (field.field_type) {
    case 'numeric':
      return 'value' in entry ? { value: readDecimal(field, entry.value) } : {};
    case 'single_select':
      return 'value' in entry ? { value: readOption(field, entry.value) } : {};
    case 'currency_amount':
      return readCurrencyAmount(field, entry);
    case 'quantity':
      return {
        ...('amount' in entry ? { amount: readDecimal(field, entry.amount) } : {}),
        ...('unit' in entry ? { unit: readUnit(field, entry.unit) } : {}),
      };
    case 'year_month_range':
      return {
        ...('from' in entry ? { from: readMonth(field, entry.from) } : {}),
        ...('to' in entry ? { to: readMonth(field, entry.to) } : {}),
      };
  }
}

/** Numbers come back as decimal strings: 42 → `42.0` (spec, Custom field definition and value). */
function readDecimal(field: CustomField, value: unknown): string | null {
  if (value === null) return null;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^-?\d+(\.\d+)?$/.test(text))
    throw new Refusal(422, `${field.field_name} must be a number`);
  return text.includes('.') ? text.replace(/(\.\d+?)0+$/, '$1') : `${text}.0`;
}

function readOption(field: CustomField, value: unknown): string | null {
  if (value === null) return null;
  const option = field.options.find((candidate) => candidate.external_unique_id === value);
  if (!option) throw new Refusal(422, `${field.field_name} takes the external_unique_id of one of its options`);
  return option.external_unique_id;
}

function readCurrencyAmount(field: CustomField, entry: Body): CustomValue {
  const { amount, currency } = entry;
  const number = typeof amount === 'string' && /^\d+$/.test(amount) ? Number(amount) : amount;
  if (
    number !== undefined &&
    number !== null &&
    !(typeof number === 'number' && Number.isInteger(number) && number >= 0)
  ) {
    throw new Refusal(422, `amount of ${field.field_name} must be a non-negative integer`);
  }
  if (currency !== undefined && currency !== null && !isCurrencyCode(currency)) {
    throw new Refusal(422, `currency of ${field.field_name} must be a lower case currency code`);
  }
  return { ...(number === undefined ? {} : { amount: number }), ...(currency === undefined ? {} : { currency }) };
}

function readUnit(field: CustomField, unit: unknown): string | null {
  if (unit === null) return null;
  if (typeof unit !== 'string' || !field.units.includes(unit))
    throw new Refusal(422, `unit of ${field.field_name} is not supported`);
  return unit;
}

function readMonth(field: CustomField, month: unknown): string | null {
  if (month === null) return null;
  if (typeof month !== 'string' || !/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new Refusal(422, `from and to of ${field.field_name} are written YYYY-MM`);
  }
  return month;
}

/** Every defined field, unset ones with nulls (rule 7). */
export function renderCustomFields(world: World, project: ProjectDocument, mode: CodeMode): object[] {
  if (!world.account.features.custom_fields) return [];
  return world.customFields.map((field) => {
    const { anonymized, ...stored } = project.custom_fields[field.field_name] ?? {};
    const value: Record<string, unknown> = { ...EMPTY[field.field_type], sensitivity: null, ...stored };
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
