/*
 * Letters of other scripts and the Latin letters that they look like (Unicode, UTS 39, confusables). Upper and lower case are
 * listed separately: `В` looks like a B, but `в` looks like no Latin letter.
 */
const PAIRS =
  'аa еe оo рp сc уy хx іi јj ѕs һh ԁd ԛq ԝw ӏl ѵv ҽe ԍg ꙇi ' +
  'αa οo ρp νv ιi κk υu γy σo ϲc ϳj ' +
  'АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ҮY ԌG ԚQ ԜW ѴV ӀI ' +
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ' +
  'օo սu ոn հh ցg ѕs ɡg ɑa ıi ʏy ᴏo';

const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  PAIRS.split(' ').map((pair) => {
    const [letter = '', latin = ''] = pair;
    return [letter, latin] as const;
  }),
);

/** Returns the Latin letter that a letter looks like, or the letter itself. */
export function latinise(letter: string): string {
  return LOOK_ALIKES.get(letter) ?? letter;
}

/** Characters that look like dots. */
const DOTS = /[\u00b7\u2022\u2024\u2027\u3002\u30fb\uff0e\uff61\uff65]/g;

/**
 * Returns a form that is equal for all keys that look equal to a reader. It ignores invisible characters, width, the dot of an
 * i, dots at the ends and between letters, and differences between look-alike letters.
 */
export function foldLooks(text: string): string {
  const plain = text
    .replaceAll(/\p{Cf}|\u034f|\p{Variation_Selector}/gu, '')
    .normalize('NFKC')
    .replaceAll(DOTS, '.')
    .replaceAll(/(?<!\d)\.|\.(?!\d)/g, '');
  const letters = [...plain].map(latinise).join('');
  // Lower-casing comes after `latinise`, which has replaced the capitals of other scripts by Latin ones.
  return [...letters.toLowerCase()].map(foldSmall).join('').replaceAll('i\u0307', 'i');
}

/** A lower-case key may have been written in capitals that look like Latin ones. */
const OF_CAPITALS: ReadonlyMap<string, string> = new Map(
  [...LOOK_ALIKES].map(([letter, latin]) => [letter.toLowerCase(), latin.toLowerCase()] as const),
);

function foldSmall(letter: string): string {
  return LOOK_ALIKES.get(letter)?.toLowerCase() ?? OF_CAPITALS.get(letter) ?? letter;
}

const SCRIPTS = [
  ...[
    'Latin',
    'Cyrillic',
    'Greek',
    'Armenian',
    'Hebrew',
    'Arabic',
    'Devanagari',
    'Georgian',
    'Han',
    'Hiragana',
    'Katakana',
  ],
  ...['Hangul', 'Bopomofo', 'Thai', 'Cherokee', 'Bengali', 'Tamil', 'Telugu', 'Ethiopic'],
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const);

/** Returns the script of a letter: '' for marks that occur in any script, `other` for rare scripts. */
export function scriptOf(letter: string): string {
  if (/[a-z]/i.test(letter)) return 'Latin';
  const found = SCRIPTS.find(([, pattern]) => pattern.test(letter));
  if (found !== undefined) return found[0];
  return /[\p{Script=Common}\p{Script=Inherited}]/u.test(letter) ? '' : 'other';
}

const NAMES: Readonly<Record<string, string>> = {
  '\u00a0': 'NO-BREAK SPACE',
  '\u00ad': 'SOFT HYPHEN',
  '\u061c': 'ARABIC LETTER MARK',
  '\u2007': 'FIGURE SPACE',
  '\u2009': 'THIN SPACE',
  '\u200b': 'ZERO WIDTH SPACE',
  '\u200c': 'ZERO WIDTH NON-JOINER',
  '\u200d': 'ZERO WIDTH JOINER',
  '\u200e': 'LEFT-TO-RIGHT MARK',
  '\u200f': 'RIGHT-TO-LEFT MARK',
  '\u2028': 'LINE SEPARATOR',
  '\u2029': 'PARAGRAPH SEPARATOR',
  '\u202a': 'LEFT-TO-RIGHT EMBEDDING',
  '\u202b': 'RIGHT-TO-LEFT EMBEDDING',
  '\u202c': 'POP DIRECTIONAL FORMATTING',
  '\u202d': 'LEFT-TO-RIGHT OVERRIDE',
  '\u202e': 'RIGHT-TO-LEFT OVERRIDE',
  '\u202f': 'NARROW NO-BREAK SPACE',
  '\u2060': 'WORD JOINER',
  '\u2066': 'LEFT-TO-RIGHT ISOLATE',
  '\u2067': 'RIGHT-TO-LEFT ISOLATE',
  '\u2068': 'FIRST STRONG ISOLATE',
  '\u2069': 'POP DIRECTIONAL ISOLATE',
  '\u3000': 'IDEOGRAPHIC SPACE',
  '\u3002': 'IDEOGRAPHIC FULL STOP',
  '\ufeff': 'ZERO WIDTH NO-BREAK SPACE',
  '\uff0e': 'FULLWIDTH FULL STOP',
  '\uff20': 'FULLWIDTH COMMERCIAL AT',
};

/** Names a character by its Unicode name if it is listed here, otherwise by its script and the letter that it looks like. */
export function nameSign(sign: string): string {
  const known = NAMES[sign];
  if (known !== undefined) return known;
  const plain = sign.normalize('NFKC');
  if (plain !== sign) return `${/[\uff01-\uff60]/.test(sign) ? 'FULLWIDTH' : 'COMPATIBILITY'} FORM OF ${plain}`;
  const script = scriptOf(sign);
  if (!/\p{L}/u.test(sign)) return `an invisible character`;
  const looks = latinise(sign);
  const size = sign === sign.toLowerCase() ? 'SMALL' : 'CAPITAL';
  const like = looks === sign ? '' : `, which looks like a Latin ${looks}`;
  return `${script.toUpperCase()} ${size} LETTER ${sign.toUpperCase()}${like}`;
}
