/*
 * Invisible characters that have no meaning in any script. Text copied from web pages or word processors contains them, so
 * every source reader removes them. Letters, digits, dots, joiners (Persian, Hindi, emoji), direction marks and full-width
 * forms are kept, because correct texts contain them.
 */
const HIDDEN = /[\u00ad\u200b\u2060\ufeff]/;
const ALL_HIDDEN = /[\u00ad\u200b\u2060\ufeff]+/g;

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

export function removeHidden(text: string): string {
  return HIDDEN.test(text) ? text.replace(ALL_HIDDEN, '') : text;
}

/** Removes hidden characters and surrounding white space. */
export function cleanCell(text: string): string {
  return removeHidden(text).trim();
}
