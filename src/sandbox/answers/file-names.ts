import { cleanFileWord } from '../../model/file-word.js';
import { PLAIN_LETTERS } from '../../model/plain-letters.js';

/** Pairs of a letter and its ASCII equivalent. A dash omits the letter. Accents are removed first. */
const OTHERS = `
ħ h ŧ t ŋ ng ə e ĸ k
а a б b в v г g ґ g д d ђ dj е e є ye ж zh з z и i і i ј j к k л l љ lj м m н n њ nj о o п p р r с s т t ћ c у u ф f х kh
ц ts ч ch џ dz ш sh щ shch ъ - ы y ь - э e ю yu я ya
α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o`;

const LETTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(PLAIN_LETTERS),
  ...[...OTHERS.matchAll(/(\S+) (\S+)/g)].map(([, letter = '', ascii = '']): [string, string] => [
    letter,
    ascii === '-' ? '' : ascii,
  ]),
]);

/** Letters that consist of two letters. Both become capitals: `Æ` becomes `AE`, but `Þ` becomes `Th`. */
const LIGATURES: readonly string[] = ['æ', 'œ', 'ß'];

/**
 * Converts a name to ASCII for use in a file name: `Åshild Lang-Østensen` becomes `Ashild_Lang-Ostensen`. Latin, Cyrillic and
 * Greek letters have equivalents. undefined if the name contains any other letter, or no letters.
 */
export function toAsciiName(name: string): string | undefined {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’ʼʻ‘`´]/gu, '')
    .replaceAll(/(?<=ο)υ/giu, 'u')
    .replaceAll(/(?<=[αε])υ/giu, 'v')
    .replaceAll(/γ(?=[γξχ])/gu, 'n')
    .replaceAll(/\p{L}/gu, toAsciiLetter);
  if (/(?![ -~])[\p{L}\p{N}]/u.test(plain)) return undefined;
  const ascii = plain.replaceAll(/\p{Pd}/gu, '-').replaceAll(/[^\w.-]+/g, '_');
  return ascii.replace(/^[_.]+/, '').replace(/[_.]+$/, '') || undefined;
}

function toAsciiLetter(letter: string): string {
  const small = letter.toLowerCase();
  const ascii = LETTERS.get(small);
  if (ascii === undefined || letter === small) return ascii ?? letter;
  return LIGATURES.includes(small) ? ascii.toUpperCase() : ascii.charAt(0).toUpperCase() + ascii.slice(1);
}

/**
 * Returns the Content-Disposition header of a file: its name in ASCII and, if that differs, in its own letters (RFC 6266).
 *
 * @param standIn the ASCII name to use, without extension, if letters of the name have no equivalent
 */
export function writeDisposition(name: string, standIn: string): string {
  const [ending = ''] = /\.\w+$/.exec(name) ?? [];
  const plain = `${toAsciiName(name.slice(0, name.length - ending.length)) ?? standIn}${ending}`;
  if (plain === name) return `attachment; filename="${plain}"`;
  // RFC 6266 gives these characters a meaning, although a URL does not require escaping them.
  const encoded = encodeURIComponent(cleanFileWord(name)).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
