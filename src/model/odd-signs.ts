/**
 * Zero-width characters, and spaces that a parser does not accept. Text copied from web pages or word processors contains them.
 */
const SPACES = '\\u00a0\\u00ad\\u1680\\u2000-\\u200b\\u202f\\u205f\\u2060\\u3000\\ufeff';
const QUOTES = '\\u2018-\\u201f\\u00ab\\u00bb\\u2039\\u203a';

export const ODD_SPACE = new RegExp(`[${SPACES}]`);
export const CURLY_QUOTE = new RegExp(`[${QUOTES}]`);
/** Odd spaces at the beginning, at the end or after a colon, where no one puts them on purpose. */
export const STRAY_SPACE = new RegExp(`^[${SPACES}]|[${SPACES}]$|(?<=:)[${SPACES}]`);
/** A text enclosed in typographic quotes. */
export const IN_CURLY_QUOTES = new RegExp(`^[${QUOTES}]([^${QUOTES}]*)[${QUOTES}]$`);

const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/;

/** Explains a character that only looks like a space, with the remedy. */
export function explainOddSpace(sign: string): readonly [message: string, remedy: string] {
  const code = `U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (INVISIBLE.test(sign)) return [`here is an invisible character (${code})`, 'Remove it.'];
  return [`this only looks like a space (${code})`, 'Write an ordinary space, or remove it.'];
}

/** Makes odd spaces in a line visible. Each keeps the width of one column. */
export function showOddSpaces(line: string): string {
  return line.replaceAll(new RegExp(ODD_SPACE, 'g'), '␣');
}

/** Makes odd spaces in a value visible, and also ordinary spaces that are easily overlooked: at the ends and several in a row. */
export function showSpaces(text: string): string {
  return showOddSpaces(text).replaceAll(/^ +| {2,}| +$/g, (run) => '␣'.repeat(run.length));
}

/** Checks whether two different texts look the same to a reader. */
export function looksLike(one: string, other: string): boolean {
  const seen = (text: string): string => showOddSpaces(text.normalize('NFC')).replaceAll(/[␣ ]+/g, '');
  return one !== other && seen(one) === seen(other);
}
