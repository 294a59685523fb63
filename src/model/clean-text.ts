/** Scripts in which joiners shape words. Joiners are also allowed in emoji; anywhere else a joiner is a hidden character. */
const JOINING = [
  ...[
    'Arabic',
    'Syriac',
    'Mongolian',
    'Nko',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
    'Tamil',
    'Telugu',
  ],
  ...['Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
].map((script) => `\\p{Script=${script}}`);
const PICTURE = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}';

/**
 * Characters that control a terminal, break a line, change its direction, or are invisible: control characters (C0, DEL, C1),
 * direction marks, line separators, unpaired surrogates, zero-width characters and noncharacters. Joiners and variation
 * selectors are kept where the preceding character allows them.
 */
const HIDDEN = [
  '\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Noncharacter_Code_Point}',
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f',
  '\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}',
].join('');
const MISPLACED = [
  `(?<![${JOINING.join('')}${PICTURE}\\ufe0f])[\\u200c\\u200d]`,
  `(?<![\\p{Script=Han}\\p{Script=Mongolian}${PICTURE}\\p{Emoji}])[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]`,
].join('|');
const TO_ESCAPE = new RegExp(`[${HIDDEN}]|${MISPLACED}`, 'gu');
const PLAIN = /^[\x20-\x7e]*$/;
/**
 * Sequences that need a closer look, each with the character before it: some characters are allowed only after certain others.
 */
const FOREIGN = /[\x20-\x7e]?[^\n\x20-\x7e]+/g;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes a name or value from the data safe to show on one line. Escapes characters that could control a terminal or deceive a
 * reader as in JSON (`\u001b`, `\n`), so the text stays complete and visible.
 */
export function cleanLine(text: string): string {
  return PLAIN.test(text) ? text : text.replace(TO_ESCAPE, escapeUnits);
}

/** Makes a text of several lines safe to show. A JSON document keeps its meaning. */
export function cleanText(text: string): string {
  return text.replace(FOREIGN, (run) => run.replace(TO_ESCAPE, escapeUnits));
}

function escapeUnits(hidden: string): string {
  const units = Array.from({ length: hidden.length }, (_, i) => hidden.charCodeAt(i));
  return SHORT[hidden] ?? units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Cleans every text in a value and puts each on one line, for output that sets its own line breaks. */
export function cleanLines<T>(value: T): T {
  return cleanWithin(value) as T;
}

function cleanWithin(value: unknown): unknown {
  if (typeof value === 'string') return cleanLine(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanWithin);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanLine(key), cleanWithin(item)]));
}
