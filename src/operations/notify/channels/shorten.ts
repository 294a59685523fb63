/** Shortens a text to a number of UTF-16 units, as the products count them, without splitting a character. */
export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
