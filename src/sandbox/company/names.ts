import { replacePlainLetters } from '../../model/plain-letters.js';
import { readCompanyData } from './company-data.js';
import { at, type Random } from './random.js';

/** A name in its own script, in Latin letters, and in ASCII for e-mail addresses. */
export interface PersonName {
  readonly given: string;
  readonly family: string;
  /** The given and the family name, in their usual order. */
  readonly name: string;
  /** The name in Latin letters; equal to `name` if that is already in Latin letters. */
  readonly latin: string;
  readonly ascii: string;
}

interface NamePart {
  readonly written: string;
  /** The form for e-mail addresses. */
  readonly ascii: string;
  readonly latin: string;
}

/** A naming convention. The order applies to the written name, but not to the address. */
interface Naming {
  readonly order: 'given first' | 'family first' | 'family first, together';
  readonly given: readonly NamePart[];
  readonly family: readonly NamePart[];
}

/** Percentage of people in any country whose names come from elsewhere. */
const FROM_ELSEWHERE = 18;
/** Percentage of people with names from elsewhere who write their names in Latin letters. */
const IN_LATIN = 40;
/** Percentage of people with two family names. */
const WITH_TWO = 12;

export type NamePicker = (naming: string, random: Random) => PersonName;

/** Returns a generator of names for the keys of `config/company/names.json`. */
export function createNamePicker(): NamePicker {
  const written = readCompanyData<Readonly<Record<string, Readonly<Record<keyof Naming, string>>>>>('names.json');
  const namings = new Map(
    Object.entries(written).map(([key, { order, given, family }]) => [
      key,
      { order: order as Naming['order'], given: splitParts(given), family: splitParts(family) },
    ]),
  );
  const all = [...namings.values()];
  return (key, random) => {
    const own = namings.get(key);
    const isForeign = own === undefined || random.chance(FROM_ELSEWHERE);
    const naming = isForeign ? random.pick(all) : own;
    return writeName(naming, isForeign && random.chance(IN_LATIN), random);
  };
}

function writeName({ order, given, family }: Naming, inLatin: boolean, random: Random): PersonName {
  const [first, last] = [random.pick(given), random.pick(family)];
  const ascii = `${first.ascii}.${last.ascii}`;
  if (order === 'given first' && last.latin === last.written && random.chance(WITH_TWO)) {
    const second = at(family, family.indexOf(last) + 1 + random.below(family.length - 1));
    const latin = `${first.latin} ${second.latin} ${last.latin}`;
    return { given: first.written, family: `${second.written} ${last.written}`, name: latin, latin, ascii };
  }
  const latin = `${first.latin} ${last.latin}`;
  if (inLatin) return { given: first.latin, family: last.latin, name: latin, latin, ascii };
  const together = order === 'family first' ? `${last.written} ${first.written}` : `${last.written}${first.written}`;
  const name = order === 'given first' ? `${first.written} ${last.written}` : together;
  return { given: first.written, family: last.written, name, latin, ascii };
}

/**
 * Splits a list of words. `Åse` becomes `ase` in addresses; a word that the rules do not cover states its form: `Νίκος=nikos`.
 */
function splitParts(words: string): readonly NamePart[] {
  return words.split(' ').map((word) => {
    const [written = '', ascii] = word.split('=');
    if (ascii === undefined) return { written, ascii: toAscii(written), latin: written };
    return { written, ascii, latin: `${ascii.charAt(0).toUpperCase()}${ascii.slice(1)}` };
  });
}

export function toAscii(word: string): string {
  return replacePlainLetters(word.toLowerCase())
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’]/g, '');
}
