import type { CustomField } from '../account/world.js';
import type { Texts } from '../fields/languages.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { formatAmount, formatMonth, formatNumber } from './format-values.js';
import type { Fact } from './paper.js';
import { joinWords, type Teller } from './teller.js';

type StoredField = Readonly<Record<string, unknown>>;

/**
 * Describes the custom fields that an external reader may see, by `sensitivity`. If it is not set, the value is shown;
 * `anonymized` shows the replacement text, if any; `confidential` shows nothing.
 */
export function describeCustomFields(teller: Teller, project: ProjectDocument): readonly Fact[] {
  const { account, customFields } = teller.world;
  if (!account.features.custom_fields) return [];
  return customFields.map((field) => {
    const stored = project.custom_fields[field.field_name] ?? {};
    return { label: teller.name(field.field_label) || field.field_name, value: tellField(teller, field, stored) };
  });
}

function tellField(teller: Teller, field: CustomField, stored: StoredField): string {
  if (stored.sensitivity === 'anonymized') return teller.name(stored.anonymized as Texts | undefined);
  return stored.sensitivity ? '' : tellValue(teller, field, stored);
}

function tellValue({ language, name }: Teller, field: CustomField, stored: StoredField): string {
  const text = (part: string): string =>
    stored[part] === null || stored[part] === undefined ? '' : String(stored[part]);
  const month = (part: string): string => formatMonth(language, text(part).slice(5), text(part).slice(0, 4));
  switch (field.field_type) {
    case 'single_select':
      return name(field.options.find((option) => option.external_unique_id === stored.value)?.name);
    case 'year_month_range':
      return joinWords([month('from'), month('to')], ' – ');
    case 'currency_amount':
      return formatAmount(language, text('amount'), text('currency').toUpperCase());
    case 'quantity':
      return formatAmount(language, text('amount'), text('unit'));
    default:
      return formatNumber(language, text('value'));
  }
}
