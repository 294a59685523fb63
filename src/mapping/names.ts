import type { Environment } from '@marcbachmann/cel-js';
import { lowerAll } from './ascii-case.js';

/**
 * Names as people write them: `"Berg, Anna".firstNameFirst()` → `Anna Berg`, `"ANNA O'NEIL".nameCase()` → `Anna O'Neil`,
 * `"Anna Berg (On Leave)".withoutStatus()` → `Anna Berg`.
 */
export function registerNames(environment: Environment): void {
  environment.registerFunction('string.firstNameFirst(): string', turnName);
  environment.registerFunction('string.nameCase(): string', writeName);
  environment.registerFunction('string.withoutStatus(): string', dropStatus);
}

/** A name without a comma is as it should be. */
function turnName(name: string): string {
  const comma = name.indexOf(',');
  return comma < 0 ? name.trim() : `${name.slice(comma + 1).trim()} ${name.slice(0, comma).trim()}`.trim();
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Small within a name. */
const PARTICLES = wordSet(
  "von vom zu zum zur van 't den der de del della dello degli dei di da das do dos du af av ter ten y",
);
/** Small after one of them: `de la Cruz`, but `Jean Le Pen`. */
const ARTICLES = wordSet('la le las los');
/** At the end of a name; single letters are initials, and VI is a name. */
const NUMERALS = wordSet('ii iii iv vii viii');

/** Capitals at the beginning of each part, where a name has capitals alone or none. A name in both is left unchanged. */
function writeName(name: string): string {
  // These small letters are among capitals too: `WEIß`, `McKAY`.
  const isMixed = /\p{Lu}/u.test(name) && /\p{Ll}/u.test(name.replaceAll(/ß|(?<=\bM)c(?=\p{Lu}{2})/gu, ''));
  if (isMixed) return name;
  const tokens = lowerAll(name).split(/(\s+)/);
  const words = tokens.filter((token) => /\p{L}/u.test(token)).length;
  let isAfterParticle = false;
  let index = 0;
  return tokens
    .map((token) => {
      if (!/\p{L}/u.test(token)) return token;
      const word = token.replace(/,$/, '');
      const [isFirst, isLast] = [index === 0, index === words - 1];
      index += 1;
      if (isLast && !isFirst && NUMERALS.has(word.replace(/\.$/, ''))) return token.toUpperCase();
      const isSmall = PARTICLES.has(word) || (isAfterParticle && ARTICLES.has(word));
      isAfterParticle = isSmall;
      // `Kim Van` and `Van Morrison` are called so; `Berg, Jan van der` is in another order.
      return isSmall && !isFirst && (!isLast || name.includes(',')) ? token : writeParts(token);
    })
    .join('');
}

/** Parts of a word between hyphens, dots and brackets. */
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

/** Words that source systems write next to names, and no nicknames. */
const STATUS = [
  'on leave|(?:maternity|paternity|parental|medical|sick|family|unpaid) leave|leave(?: of absence)?|loa',
  'inactive|terminated|termed|resigned|retired|deceased|left|departed|suspended|disabled|deactivated|blocked|archived',
  'do not use|duplicate|contractor|contract|contingent(?: worker)?|external|ext|extern|externe|ekstern|temp|temporary',
  'vendor|guest|freelancer?|pending|pre-?hire|future hire|new hire|on notice|unassigned|read only',
  'beurlaubt|elternzeit|mutterschutz|ausgeschieden|gekündigt|inaktiv|gesperrt|deaktiviert',
  'permisjon|i permisjon|sluttet|tjänstledig|föräldraledig|slutat|orlov|fratrådt|vapaalla|äitiysvapaalla',
  'en congé|inactif|inactive|parti|de baja|inactivo|en excedencia|uit dienst|met verlof|inactief|inattivo|in aspettativa',
].join('|');
/** With since when, or until when. */
const SINCE = '(?:[\\s,:;/-]+(?:since|until|from|to|seit|bis|ab|fra|til|[\\d.,/-]+))*';
const IN_BRACKETS = new RegExp(`^\\s*(?:[ceitx]|(?:${STATUS})(?:[\\s,:;/-]+(?:${STATUS}))*${SINCE})\\s*$`, 'iu');
const AT_END = new RegExp(`\\s[-–—|]\\s*(?:${STATUS})${SINCE}$`, 'iu');

/** `(On Leave)`, `[C]`, ` - Contractor`, `zz_` before a name, `*` after it: what is left of it is the name. */
function dropStatus(name: string): string {
  let rest = name
    .replaceAll(/[([{]([^()[\]{}]{1,80})[)\]}]/g, (all, inside: string) => (IN_BRACKETS.test(inside) ? ' ' : all))
    .trim()
    .replace(/^z{2,3}[\s_.-]+/i, '');
  while (rest.endsWith('*')) rest = rest.slice(0, -1).trimEnd();
  rest = rest.replace(AT_END, '').trim();
  return rest === '' ? name.trim() : rest.replaceAll(/\s{2,}/g, ' ');
}
