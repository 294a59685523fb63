/** The parts of a person's name, prepared for comparison: without case, accents, titles and particles. */
export interface NameParts {
  /** In the order in which the name is written, including initials. */
  readonly parts: readonly string[];
  /** The given name, if the notation shows it: the first part, or the first part after a comma. Otherwise null. */
  readonly first: string | null;
}

/** Titles before or after a name. They are not part of it. */
const TITLES: ReadonlySet<string> = new Set(
  'dr prof professor mr mrs ms miss herr frau hr fru sr sra srta dott dipl ing mag msc bsc phd mba md jr ii iii iv'.split(
    ' ',
  ),
);
/** Particles between the parts of a name. People often omit them. */
const PARTICLES: ReadonlySet<string> = new Set(
  'von van vom zu zum zur de del della der den des di da das do dos du la le las los el al ul bin ibn bint binti y e af av ter ten te'.split(
    ' ',
  ),
);
/** Letters that do not decompose into a letter and an accent. */
const LETTERS: readonly (readonly [RegExp, string])[] = [
  [/ß/g, 'ss'],
  [/[øö]/g, 'o'],
  [/æ/g, 'ae'],
  [/œ/g, 'oe'],
  [/ł/g, 'l'],
  [/[đð]/g, 'd'],
  [/þ/g, 'th'],
  [/ı/g, 'i'],
  [/ħ/g, 'h'],
];
/** In these scripts each character is a part, because a short family name and given name are written without a space. */
const SYLLABIC = /^[\p{Script=Han}\p{Script=Hangul}]+$/u;
const LONGEST_SYLLABIC = 4;

/** Reads a name. A name in two scripts, or with a nickname in brackets, has the parts of both forms. */
export function readPersonName(text: string): NameParts {
  const [family = '', given] = text.split(/,(.+)/s);
  const parts = splitName(text);
  const first = given === undefined ? parts : splitName(given);
  return { parts, first: (first.length > 0 ? first : splitName(family)).find((part) => !isInitial(part)) ?? null };
}

function splitName(text: string): readonly string[] {
  const words = text
    .normalize('NFC')
    .replaceAll(/['’ʼ`´.]/g, (sign) => (sign === '.' ? ' ' : ''))
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .flatMap((word) => (SYLLABIC.test(word) && word.length <= LONGEST_SYLLABIC ? [...word] : [word.toLowerCase()]));
  const meant = words.filter((word) => !TITLES.has(word) && !PARTICLES.has(word)).map(foldPart);
  return meant.some((word) => !isInitial(word)) ? meant : words.map(foldPart);
}

/** Unifies umlauts and similar letters, which are written as one letter or two: `Müller`, `Mueller`, `Muller`. */
function foldPart(word: string): string {
  const plain = word.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const letters = LETTERS.reduce((text, [letter, by]) => text.replaceAll(letter, by), plain);
  return letters.replaceAll(/([aou])e(?=\p{L})/gu, '$1').replaceAll('aa', 'a');
}

function isInitial(part: string): boolean {
  return /^[a-z\p{Script=Cyrillic}\p{Script=Greek}]$/u.test(part);
}

/**
 * Compares two names, ignoring case, accents, order, titles and particles. Parts may be omitted or shortened to initials: `Dr.
 * Jane M. Doe`, `DOE, Jane` and `J. Doe` are the same name.
 */
export function isSamePersonName(a: NameParts, b: NameParts): boolean {
  return listSpellings(a.parts).some((one) => listSpellings(b.parts).some((other) => covers(one, other)));
}

/** Lists the parts as written, and with any two neighbours joined: `Min Jun` becomes `Minjun`. */
function listSpellings(parts: readonly string[]): readonly (readonly string[])[] {
  const joined = joinNeighbours(parts).map((both, i) => [...parts.slice(0, i), both, ...parts.slice(i + 2)]);
  return [parts, ...joined];
}

/** Checks that the longer name contains all parts of the shorter one, at least one of them spelled out. */
function covers(a: readonly string[], b: readonly string[]): boolean {
  const [short, rest] = a.length <= b.length ? [a, [...b]] : [b, [...a]];
  let isWhole = false;
  for (const part of short) {
    const exact = rest.indexOf(part);
    const at = exact === -1 ? rest.findIndex((other) => abbreviates(part, other) || abbreviates(other, part)) : exact;
    if (at === -1) return false;
    isWhole ||= exact !== -1 && !isInitial(part);
    rest.splice(at, 1);
  }
  return isWhole;
}

function abbreviates(initial: string, part: string): boolean {
  return isInitial(initial) && part.startsWith(initial);
}

/**
 * Lists the parts that both names contain, without initials. A part that one side writes as two words counts too: `Minjun`,
 * `Min Jun`.
 */
export function listSharedParts(a: NameParts, b: NameParts): readonly string[] {
  const there = new Set([...b.parts, ...joinNeighbours(b.parts)]);
  const here = [...a.parts, ...joinNeighbours(a.parts)];
  return [...new Set(here.filter((part) => !isInitial(part) && there.has(part)))];
}

function joinNeighbours(parts: readonly string[]): readonly string[] {
  return parts.slice(1).map((part, i) => `${parts[i]}${part}`);
}

/** Checks whether an address is derived from a name: `jdoe@…`, `berg.anna@…`, `minjunkim@…`. */
export function isNamedInAddress(address: string, { parts }: NameParts): boolean {
  const words = foldPart(address.split('@')[0] ?? '').split(/[^\p{L}]+/u);
  return parts.some((part) => !isInitial(part) && words.some((word) => isMadeOf(word, part)));
}

/** A short part counts only at the start or end of a word, because in the middle it may be a coincidence. */
function isMadeOf(word: string, part: string): boolean {
  if (part.length > 3) return word.includes(part);
  const isAtEdge = word.startsWith(part) || word.endsWith(part);
  return isAtEdge && (part.length === 3 || word.length <= part.length + 1);
}
