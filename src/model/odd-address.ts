import { cleanCell } from './hidden-signs.js';
import { latinise, nameSign, scriptOf } from './look-alikes.js';

/** A character that does not belong in an address or user name. */
export interface OddSign {
  /** `an invisible character (U+200B) after \`berg\`, ZERO WIDTH SPACE` */
  readonly text: string;
  /** The address that the author most likely meant. */
  readonly meant: string;
}

/** Characters that are invisible or change text direction: format and control characters, fillers, variation selectors. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|\u17b4|\u17b5|\p{Variation_Selector}/u;
/** Scripts whose words need joiners, in addresses as well (RFC 5892). */
const JOINED =
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])/gu;
const SPACE = /\s/u;
const PLAIN = /^[ -~]*$/;
/** Characters that look like dots: dots of other widths, and the full stop of Chinese and Japanese. */
const OTHER_DOT = /[\u2024\u3002\ufe52\uff0e\uff61]/u;

/**
 * Finds the first character that makes an address or user name look like another one:
 *
 * | | odd |
 * |---|---|
 * | invisible and formatting characters, odd spaces | yes, except joiners between letters of a script that uses them |
 * | full-width and other compatibility forms | yes |
 * | letters of two scripts in one word | if one of them is Latin; Latin goes with Chinese, Japanese and Korean |
 * | a word of look-alike letters only, as `сор` | if other words on its side of the @ are Latin, or the other side is |
 * | a dot at an end of either side of the @ | yes |
 *
 * Addresses entirely in Cyrillic, Greek or Arabic, domains in another script, and accents are fine.
 */
export function findOddSign(address: string): OddSign | null {
  // Most addresses: of these signs, only a dot can be odd.
  if (PLAIN.test(address)) return findDotAtEnd(address);
  const text = address.normalize('NFC');
  return findInvisible(text) ?? findCompatible(text) ?? findMixed(text) ?? findLooking(text) ?? findDotAtEnd(text);
}

/** Describes the first invisible character of a text; reading removes such characters. */
export function describeHidden(text: string): string {
  return findInvisible(text)?.text ?? 'an invisible character';
}

function findInvisible(text: string): OddSign | null {
  const shown = text.replace(JOINED, (joiner) => joiner.replace(/./gu, 'x'));
  const at = [...shown].findIndex((sign) => INVISIBLE.test(sign));
  if (at !== -1) return oddSignAt('an invisible character', text, at);
  const space = [...shown].findIndex((sign) => SPACE.test(sign) && sign !== ' ');
  return space === -1 ? null : oddSignAt('an odd space', text, space);
}

function findCompatible(text: string): OddSign | null {
  const at = [...text].findIndex((sign) => OTHER_DOT.test(sign) || sign.normalize('NFKC') !== sign.normalize('NFC'));
  if (at === -1) return null;
  const sign = [...text][at] ?? '';
  if (OTHER_DOT.test(sign)) return oddSignAt('another character in place of a dot', text, at);
  const isWide = /[\uff01-\uff60]/u.test(sign);
  return oddSignAt(isWide ? 'a full-width character' : `another form of \`${sign.normalize('NFKC')}\``, text, at);
}

const WORD = /[\p{L}\p{M}]+/gu;
/** Scripts that are mixed with Latin in ordinary text (UTS 39, highly restrictive). */
const WITH_LATIN: ReadonlySet<string> = new Set(['Latin', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo', '']);

function findMixed(text: string): OddSign | null {
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const scripts = [...word].map(scriptOf);
    const latin = scripts.filter((script) => script === 'Latin').length;
    const strange = scripts.filter((script) => !WITH_LATIN.has(script)).length;
    if (latin === 0 || strange === 0) continue;
    const odd = scripts.findIndex((script) => (latin >= strange ? !WITH_LATIN.has(script) : script === 'Latin'));
    return oddSignAt('a letter of another script', text, [...text.slice(0, index)].length + odd);
  }
  return null;
}

/** Finds a word that could be read as Latin, unless its side of the @ has another word in the same script. */
function findLooking(text: string): OddSign | null {
  if (!/\p{Script=Latin}/u.test(text)) return null;
  let from = 0;
  for (const side of text.split('@')) {
    const words = [...side.matchAll(WORD)].filter(({ 0: word }) => scriptOf([...word][0] ?? '') !== 'Latin');
    const looks = (word: string): boolean => [...word].every((letter) => /^[a-z]$/.test(latinise(letter)));
    const [first] = words;
    if (first !== undefined && words.every(({ 0: word }) => looks(word)))
      return oddSignAt('a letter of another script', text, [...text.slice(0, from + first.index)].length);
    from += side.length + 1;
  }
  return null;
}

function findDotAtEnd(text: string): OddSign | null {
  const [local = '', domain] = text.split('@');
  const sides =
    domain === undefined
      ? [[local, 'the user name', 0] as const]
      : ([
          [local, 'the part before the @', 0],
          [domain, 'the domain', local.length + 1],
        ] as const);
  for (const [side, name] of sides) {
    const end = side.startsWith('.') ? 'beginning' : 'end';
    if (side.startsWith('.') || side.endsWith('.'))
      return { text: `a dot (U+002E) at the ${end} of ${name}, FULL STOP`, meant: mean(text) };
  }
  return null;
}

/** @param at index of the character */
function oddSignAt(what: string, text: string, at: number): OddSign {
  const signs = [...text];
  const sign = signs[at] ?? '';
  const before = /(?:[\p{L}\p{M}\p{N}]+[^\p{L}\p{M}\p{N}]?|.)$/u.exec(signs.slice(0, at).join(''))?.[0];
  const place = before === undefined ? 'at the beginning' : `after \`${before}\``;
  const code = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return { text: `${what} (${code}) ${place}, ${nameSign(sign)}`, meant: mean(text) };
}

/** Returns the address that was meant, as people see it. */
function mean(text: string): string {
  const plain = cleanCell(text)
    .replaceAll(new RegExp(INVISIBLE, 'gu'), '')
    .normalize('NFKC')
    .replaceAll(/[\u2024\u3002]/g, '.');
  const hasLatin = /\p{Script=Latin}/u.test(plain);
  const letters = hasLatin ? plain.replaceAll(WORD, latiniseWord) : plain;
  return letters
    .replaceAll(/\s/g, '')
    .split('@')
    .map((side) => side.replaceAll(/^\.+|\.+$/g, ''))
    .join('@');
}

/** Replaces look-alike letters in a word, if only Latin letters are left afterwards. */
function latiniseWord(word: string): string {
  const letters = [...word].map(latinise);
  return letters.every((letter) => /^[\p{Script=Latin}\p{M}]+$/u.test(letter)) ? letters.join('') : word;
}
