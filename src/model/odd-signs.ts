/** Spaces that are none to a parser, and characters without width: what is copied from a page or a word processor has them. */
const SPACES = '\\u00a0\\u00ad\\u1680\\u2000-\\u200b\\u202f\\u205f\\u2060\\u3000\\ufeff';
const QUOTES = '\\u2018-\\u201f\\u00ab\\u00bb\\u2039\\u203a';

export const ODD_SPACE = new RegExp(`[${SPACES}]`);
export const CURLY_QUOTE = new RegExp(`[${QUOTES}]`);
/** At the beginning, at the end or behind a colon, where nobody means it. */
export const STRAY_SPACE = new RegExp(`^[${SPACES}]|[${SPACES}]$|(?<=:)[${SPACES}]`);
/** A whole text in quotes that are none. */
export const IN_CURLY_QUOTES = new RegExp(`^[${QUOTES}]([^${QUOTES}]*)[${QUOTES}]$`);

const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]/;

/** What is at a place where a space seems to be, and what to do about it. */
export function explainOddSpace(sign: string): readonly [message: string, remedy: string] {
  const code = `U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (INVISIBLE.test(sign)) return [`here is an invisible character (${code})`, 'Take it out.'];
  return [`what looks like a space is another character (${code})`, 'Write an ordinary space, or take it out.'];
}

/** One line of text in which each of them is seen, and takes one column. */
export function showOddSpaces(line: string): string {
  return line.replaceAll(new RegExp(ODD_SPACE, 'g'), '␣');
}

/** The same, of a value: ordinary blanks are seen where they are easily overlooked, at the ends and where there are several. */
export function showSpaces(text: string): string {
  return showOddSpaces(text).replaceAll(/^ +| {2,}| +$/g, (run) => '␣'.repeat(run.length));
}

/** Whether people would see no difference between two texts that are not the same. */
export function looksLike(one: string, other: string): boolean {
  const seen = (text: string): string => showOddSpaces(text.normalize('NFC')).replaceAll(/[␣ ]+/g, '');
  return one !== other && seen(one) === seen(other);
}
