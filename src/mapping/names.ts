import type { Environment } from '@marcbachmann/cel-js';
import { readStanding } from '../model/standings.js';
import { lowerAll } from './ascii-case.js';

/**
 * Registers functions for personal names: `"Berg, Anna".firstNameFirst()` → `Anna Berg`, `"ANNA O'NEIL".nameCase()` →
 * `Anna O'Neil`, `"Anna Berg (On Leave)".withoutStatus()` → `Anna Berg`.
 */
export function registerNames(environment: Environment): void {
  environment.registerFunction('string.firstNameFirst(): string', turnName);
  environment.registerFunction('string.nameCase(): string', writeName);
  environment.registerFunction('string.withoutStatus(): string', dropStatus);
}

/** Turns `Berg, Anna` into `Anna Berg`. A name without a comma is already in order. */
function turnName(name: string): string {
  const comma = name.indexOf(',');
  return comma < 0 ? name.trim() : `${name.slice(comma + 1).trim()} ${name.slice(0, comma).trim()}`.trim();
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Words in lower case within a name. */
const PARTICLES = wordSet(
  "von vom zu zum zur van 't den der de del della dello degli dei di da das do dos du af av ter ten y",
);
/** Words in lower case after a particle: `de la Cruz`, but `Jean Le Pen`. */
const ARTICLES = wordSet('la le las los');
/** Words in capitals at the end of a name. Single letters are initials, and VI is also a name. */
const NUMERALS = wordSet('ii iii iv vii viii');

/** Capitalises each part of a name in all capitals or all lower case. A name in mixed case is left unchanged. */
export function writeName(name: string): string {
  // These lower-case letters also occur in names in capitals: `WEIß`, `McKAY`.
  const isMixed = /\p{Lu}/u.test(name) && /\p{Ll}/u.test(name.replaceAll(/ß|(?<=\bM)c(?=\p{Lu}{2})/gu, ''));
  if (isMixed) return name;
  const tokens = lowerAll(name).split(/(\s+)/);
  const words = tokens.filter((token) => /\p{L}/u.test(token)).length + (/^\s/.test(name) ? 1 : 0);
  let isAfterParticle = false;
  // A leading space, as in `" VAN DER BERG"`, marks the rest of a name, which may begin in lower case.
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
      // `Kim Van` and `Van Morrison` are real names. `Berg, Jan van der` has the family name first.
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

/** Kinds of contracts and records that source systems add to names. */
const KINDS = new Set(
  `c, e, i, t, x, do not use, duplicate, contractor, contract, contingent, contingent worker, external, ext, extern, externe, ekstern,
  temp, temporary, vendor, guest, freelance, freelancer, pending, unassigned, read only, termed, departed, blocked`
    .split(',')
    .map((word) => word.trim()),
);
/** A date, with words such as `since` or `until`, that limits the status. */
const SINCE = /(?:[\s,:;/-]+(?:since|until|from|to|seit|bis|ab|fra|til|[\d.,/-]+))+$/i;
const AT_END = /\s[-–—|]\s*([^-–—|]+)$/;

/** Standings with words that may also be names, such as `Fast` and `Present`. */
const NAMES_TOO: ReadonlySet<string> = new Set(['here', 'kind']);

/** True if the text is a status. False for nicknames and for words that may be names, such as `present`. */
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

/** Removes `(On Leave)`, `[C]` or ` - Contractor` from a name, as well as a leading `zz_` and a trailing `*`. */
export function dropStatus(name: string): string {
  let rest = name
    .replaceAll(/[([{]([^()[\]{}]{1,80})[)\]}]/g, (all, inside: string) => (isStatus(inside) ? ' ' : all))
    .trim()
    .replace(/^z{2,3}[\s_.-]+/i, '');
  while (rest.endsWith('*')) rest = rest.slice(0, -1).trimEnd();
  rest = rest.replace(AT_END, (all, end: string) => (isStatus(end) ? '' : all)).trim();
  return rest === '' ? name.trim() : rest.replaceAll(/\s{2,}/g, ' ');
}
