/** Shortens a text to a number of UTF-16 units, without splitting a character. Slack and Teams count in these units. */
export function shorten(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
