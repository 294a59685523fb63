import type { Labels } from './labels.js';

type Strings = Readonly<Record<string, string | null>>;

/** Month names, digits and separators of a language. Digits are the European ones: years and sums are copied on. */
function localeOf(language: string): string {
  return `${language}-u-ca-gregory-nu-latn`;
}

/** A year, with its month where there is one; what is no year is shown as it is. */
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

/** From and to; what began and has no end goes on. */
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

/** An amount with its unit or, as lower case code, its currency. */
export function formatAmount(
  language: string,
  amount: string | null | undefined,
  unit: string | null | undefined,
): string {
  if (!amount) return '';
  const number = formatNumber(language, amount);
  return unit ? `${number} ${unit}` : number;
}
