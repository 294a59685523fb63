/*
 * Invisible characters without meaning in any script; text copied from web pages or word processors contains them. They are
 * removed wherever a source is read. Letters, digits, dots, joiners (Persian, Hindi, emoji), direction marks and full-width
 * forms stay: correct texts contain them.
 */
const HIDDEN = /[\u00ad\u200b\u2060\ufeff]/;
const ALL_HIDDEN = /[\u00ad\u200b\u2060\ufeff]+/g;

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

export function removeHidden(text: string): string {
  return HIDDEN.test(text) ? text.replace(ALL_HIDDEN, '') : text;
}

/** Removes hidden characters, and white space around the text. */
export function cleanCell(text: string): string {
  return removeHidden(text).trim();
}
