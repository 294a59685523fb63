import type { Environment } from '@marcbachmann/cel-js';
import { readStanding } from '../model/standings.js';
import { lowerAll } from './ascii-case.js';

/**
 * Functions for names as people write them: `"Berg, Anna".firstNameFirst()` → `Anna Berg`, `"ANNA O'NEIL".nameCase()` → `Anna O'Neil`,
 * `"Anna Berg (On Leave)".withoutStatus()` → `Anna Berg`.
 */
export function registerNames(environment: Environment): void {
  environment.registerFunction('string.firstNameFirst(): string', turnName);
  environment.registerFunction('string.nameCase(): string', writeName);
  environment.registerFunction('string.withoutStatus(): string', dropStatus);
}

/** A name without a comma is already in order. */
function turnName(name: string): string {
  const comma = name.indexOf(',');
  return comma < 0 ? name.trim() : `${name.slice(comma + 1).trim()} ${name.slice(0, comma).trim()}`.trim();
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** In small letters within a name. */
const PARTICLES = wordSet(
  "von vom zu zum zur van 't den der de del della dello degli dei di da das do dos du af av ter ten y",
);
/** In small letters after one of them: `de la Cruz`, but `Jean Le Pen`. */
const ARTICLES = wordSet('la le las los');
/** In capitals at the end of a name. Single letters are initials, and VI is a name. */
const NUMERALS = wordSet('ii iii iv vii viii');

/** Capitalises each part of a name that has only capitals or none. A name in mixed case is left unchanged. */
export function writeName(name: string): string {
  // These small letters occur among capitals too: `WEIß`, `McKAY`.
  const isMixed = /\p{Lu}/u.test(name) && /\p{Ll}/u.test(name.replaceAll(/ß|(?<=\bM)c(?=\p{Lu}{2})/gu, ''));
  if (isMixed) return name;
  const tokens = lowerAll(name).split(/(\s+)/);
  const words = tokens.filter((token) => /\p{L}/u.test(token)).length + (/^\s/.test(name) ? 1 : 0);
  let isAfterParticle = false;
  // `" VAN DER BERG"` is the rest of a name, which may begin with a small letter.
  let index = /^\s/.test(name) ? 1 : 0;
  return tokens
    .map((token) => {
      if (!/\p{L}/u.test(token)) return token;
      const word = token.replace(/,$/, '');
      const [isFirst, isLast] = [index === 0, index === words - 1];
      index += 1;
      if (isLast && !isFirst && NUMERALS.has(word.replace(/\.$/, ''))) return token.toUpperCase();
      const isSmall = PARTICLES.has(word) || (isAfterParticle && ARTICLES.has(word));
      isAfterParticle = isSmall;
      // `Kim Van` and `Van Morrison` are real names; `Berg, Jan van der` is in another order.
      return isSmall && !isFirst && (!isLast || name.includes(',')) ? token : writeParts(token);
    })
    .join('');
}

/** Capitalises the parts of a word between hyphens, dots and brackets. */
function writeParts(word: string): string {
  return word.replaceAll(/[\p{L}\p{M}'’]+/gu, (part) =>
    part
      .replace(/^(['’]?)(\p{L})/u, (_, sign: string, letter: string) => sign + letter.toUpperCase())
      .replace(/^ij(?=[^\P{L}aeiouy])/iu, 'IJ')
      .replace(/^(Mc|Mac(?=[dfglmnpqt]\p{L}{2}|arthur|aulay|intyre|innes))(\p{L})(?=\p{L})/u, raiseSecond)
      .replace(/^(\p{L}['’]|(?:Dell|Dall|Sant)['’])(\p{L})(?=\p{L})/u, raiseSecond),
  );
}

function raiseSecond(_: string, before: string, letter: string): string {
  return before + letter.toUpperCase();
}

/** Kinds of contracts and rows that source systems also write next to names. */
const KINDS = new Set(
  `c, e, i, t, x, do not use, duplicate, contractor, contract, contingent, contingent worker, external, ext, extern, externe, ekstern,
  temp, temporary, vendor, guest, freelance, freelancer, pending, unassigned, read only, termed, departed, blocked`
    .split(',')
    .map((word) => word.trim()),
);
/** A date since which or until which the status applies. */
const SINCE = /(?:[\s,:;/-]+(?:since|until|from|to|seit|bis|ab|fra|til|[\d.,/-]+))+$/i;
const AT_END = /\s[-–—|]\s*([^-–—|]+)$/;

/** Standings with words that may be names: `Fast`, `Present`. */
const NAMES_TOO: ReadonlySet<string> = new Set(['here', 'kind']);

/** False for nicknames, and for words such as `present`, which may be names. */
function isStatus(text: string): boolean {
  const parts = text
    .trim()
    .replace(SINCE, '')
    .split(/\s*[,:;/-]\s*/);
  return parts.every((part) => {
    const standing = readStanding(part);
    return (
      KINDS.has(part.toLowerCase()) || (standing !== null && (!NAMES_TOO.has(standing) || /^acti|^akti/i.test(part)))
    );
  });
}

/** The name without `(On Leave)`, `[C]` or ` - Contractor`, without `zz_` before it and `*` after it. */
export function dropStatus(name: string): string {
  let rest = name
    .replaceAll(/[([{]([^()[\]{}]{1,80})[)\]}]/g, (all, inside: string) => (isStatus(inside) ? ' ' : all))
    .trim()
    .replace(/^z{2,3}[\s_.-]+/i, '');
  while (rest.endsWith('*')) rest = rest.slice(0, -1).trimEnd();
  rest = rest.replace(AT_END, (all, end: string) => (isStatus(end) ? '' : all)).trim();
  return rest === '' ? name.trim() : rest.replaceAll(/\s{2,}/g, ' ');
}
