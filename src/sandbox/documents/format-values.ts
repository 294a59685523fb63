import type { Labels } from './labels.js';

type Strings = Readonly<Record<string, string | null>>;

/**
 * Returns the locale for month names, digits and separators. Digits are always European, because readers copy years and
 * amounts.
 */
function localeOf(language: string): string {
  return `${language}-u-ca-gregory-nu-latn`;
}

/** Formats a year, with its month if there is one. Text that is not a year is returned unchanged. */
export function formatMonth(
  language: string,
  month: string | null | undefined,
  year: string | null | undefined,
): string {
  if (!year) return '';
  const number = Number(month ?? '');
  if (!/^\d{4}$/.test(year) || !Number.isInteger(number) || number < 1 || number > 12) return year;
  const format = new Intl.DateTimeFormat(localeOf(language), { month: 'short', year: 'numeric', timeZone: 'UTC' });
  return format.format(Date.UTC(Number(year), number - 1));
}

/** Formats a period with its start and end. A period without an end continues until now. */
export function formatPeriod(language: string, labels: Labels, strings: Strings): string {
  const from = formatMonth(language, strings.month_from, strings.year_from);
  const to = formatMonth(language, strings.month_to, strings.year_to);
  if (from === '') return to;
  return from === to ? from : `${from} – ${to || labels.now}`;
}

export function formatNumber(language: string, text: string): string {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number)
    ? text
    : new Intl.NumberFormat(localeOf(language)).format(number);
}

/** Formats an amount with its unit or currency code. */
export function formatAmount(
  language: string,
  amount: string | null | undefined,
  unit: string | null | undefined,
): string {
  if (!amount) return '';
  const number = formatNumber(language, amount);
  return unit ? `${number} ${unit}` : number;
}
