/*
 * Characters that nobody sees and that mean nothing in any script: what is copied from a web page or a word processor has
 * them. They are removed wherever a source is read. Letters, digits, dots, joiners (Persian, Hindi, emoji), direction marks
 * and full-width forms stay: they belong to texts that are right.
 */
const HIDDEN = /[\u00ad\u200b\u2060\ufeff]/;
const ALL_HIDDEN = /[\u00ad\u200b\u2060\ufeff]+/g;

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

export function removeHidden(text: string): string {
  return HIDDEN.test(text) ? text.replace(ALL_HIDDEN, '') : text;
}

/** The text without them, and without white space around it. */
export function cleanCell(text: string): string {
  return removeHidden(text).trim();
}
