import { type CodeMode, type Texts, toWireTexts } from './languages.js';
import { refuse } from './refusal.js';
import { type Body, isCurrencyCode, readString, readTexts } from './values.js';

/** The text fields of a project, an entry, a section or a part: multilingual texts and plain strings. */
export interface TextFields {
  readonly texts: readonly string[];
  readonly strings: readonly string[];
}

export interface TextValues {
  readonly texts: Readonly<Record<string, Texts>>;
  readonly strings: Readonly<Record<string, string | null>>;
}

/**
 * Returns the values after an update. A text in the body replaces the stored one completely; fields that are missing there
 * stay.
 */
export function mergeTextFields(before: TextValues, fields: TextFields, body: Body, mode: CodeMode): TextValues {
  const texts = { ...before.texts };
  for (const field of fields.texts) {
    const sent = readTexts(body, field, mode);
    if (sent !== undefined) texts[field] = sent;
  }
  const strings = { ...before.strings };
  for (const field of fields.strings) {
    const sent = readString(body, field);
    if (sent === undefined) continue;
    if (sent !== null) checkCode(field, sent);
    strings[field] = sent;
  }
  return { texts, strings };
}

/** Checks a currency or country code, which must be lower case; upper case is 422 (spec, Project rules 5). */
function checkCode(field: string, value: string): void {
  if (field.endsWith('_currency') && !isCurrencyCode(value)) refuse(422, `${field} must be a lower case currency code`);
  if (field === 'location_country_code' && !/^[a-z]{2}$/.test(value)) {
    refuse(422, `${field} must be a lower case country code`);
  }
}

export function pickTextFields(fields: TextFields, values: TextValues): Readonly<Record<string, unknown>> {
  return renderTextFields(fields, values, 'iso');
}

export function renderTextFields(
  fields: TextFields,
  { texts, strings }: TextValues,
  mode: CodeMode,
): Readonly<Record<string, unknown>> {
  const rendered: Record<string, unknown> = {};
  for (const field of fields.texts) rendered[field] = toWireTexts(texts[field] ?? {}, mode);
  for (const field of fields.strings) rendered[field] = strings[field] ?? null;
  return rendered;
}
