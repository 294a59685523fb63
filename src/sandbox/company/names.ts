import { replacePlainLetters } from '../../model/plain-letters.js';
import { readCompanyData } from './company-data.js';
import { at, type Random } from './random.js';

/** A name as its owner writes it, and the same in Latin letters and in those of an e-mail address. */
export interface PersonName {
  readonly given: string;
  readonly family: string;
  /** Both, in their order. */
  readonly name: string;
  /** Equal to `name` where that is Latin. */
  readonly latin: string;
  readonly ascii: string;
}

interface NamePart {
  readonly written: string;
  /** As in an address. */
  readonly ascii: string;
  readonly latin: string;
}

/** One way of naming people; where the family name comes first, the written name says so and the address does not. */
interface Naming {
  readonly order: 'given first' | 'family first' | 'family first, together';
  readonly given: readonly NamePart[];
  readonly family: readonly NamePart[];
}

/** Of a hundred people in any country, those whose names come from elsewhere … */
const FROM_ELSEWHERE = 18;
/** … and of a hundred of them, those who write them in Latin letters, whatever they are. */
const IN_LATIN = 40;
/** Of a hundred, those with two family names. */
const WITH_TWO = 12;

export type NamePicker = (naming: string, random: Random) => PersonName;

/** Makes up names, by the keys of `config/company/names.json`. */
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

/** `Åse` is Åse, in addresses ase; anything the rules don't cover is written out as `Νίκος=nikos`. */
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
