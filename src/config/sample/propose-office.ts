import { nearestName } from '../../model/nearest.js';
import { foldKey } from '../../model/observed.js';
import type { Answers, KnownService, OpenQuestion, ProposedWord } from './answers.js';
import { columnOf, read, readText } from './column-reads.js';
import { codeOfCountry, countryOfLanguage, languageOfCountry } from './countries.js';
import type { ColumnGuess } from './guess-column.js';
import { foldText } from './header-words.js';
import type { Sample } from './read-sample.js';
import { withNote, writeExpression } from './yaml-text.js';

interface OfficePart {
  readonly expression: string;
  readonly notes: readonly string[];
  readonly words: readonly ProposedWord[];
  readonly open: readonly OpenQuestion[];
}

export interface ProposedOffice extends Omit<OfficePart, 'expression' | 'notes' | 'words'> {
  readonly line: string;
  readonly maps: Readonly<Record<string, readonly ProposedWord[]>>;
}

/** A person cannot be created without an office, and an office has a country. */
export function proposeOffice(sample: Sample, answers: Answers): ProposedOffice {
  const country = proposeCountry(sample, answers);
  const name = proposeName(sample, answers);
  const notes = [...country.notes, ...name.notes];
  const parts = [
    `country: ${writeExpression(country.expression)}`,
    `name: ${writeExpression(name.expression)}`,
    'create_missing: true',
  ];
  return {
    line: withNote(
      `office: { ${parts.join(', ')} }`,
      `${notes.length === 0 ? '' : `GUESS: ${notes.join('; ')}; `}offices that the service lacks are created`,
    ),
    maps: { countries: country.words, offices: name.words },
    open: [...country.open, ...name.open],
  };
}

function proposeCountry(sample: Sample, answers: Answers): OfficePart {
  const column = columnOf(sample, sample.meanings.country);
  if (column === undefined) return assumeCountry(sample, answers);
  const values = column.values ?? column.firstValues;
  const otherwise = answers.country ?? mostFrequent(values.flatMap((value) => codeOfCountry(value) ?? [])) ?? '';
  const isOptional = column.column?.optional === true;
  const notes = isOptional ? [`whose row has no country is in "${otherwise}"`] : [];
  const unknown = values.filter((value) => codeFor(value, answers) === null);
  // `UK` has two letters, and is no code.
  if (values.every((value) => codeFor(value, answers) === value.toLowerCase())) {
    return { expression: readText(sample, column.name, otherwise), notes, words: [], open: [] };
  }
  const words = values.map((word) => {
    const code = codeFor(word, answers);
    return { word, meaning: code ?? '', note: code === null ? 'GUESS: which country? two letters' : null };
  });
  return {
    expression: `lookup(maps.countries, ${read(sample, column.name)}, ${JSON.stringify(isOptional ? otherwise : '')})`,
    notes,
    words,
    open: unknown.map((word) => ({
      flag: '--country NAME=' as const,
      about: word,
      text: `Which country is "${word}"? Its two letters`,
      choices: [],
      otherwise: '',
    })),
  };
}

function codeFor(name: string, { countries }: Answers): string | null {
  return countries[name] ?? codeOfCountry(name);
}

/** By what the service says of the offices, else one country for all. */
function assumeCountry(sample: Sample, answers: Answers): OfficePart {
  const { service } = answers;
  const column = placeOf(sample);
  const spoken = sample.language === null ? null : countryOfLanguage(sample.language);
  const code = answers.country ?? countryOfAddresses(sample) ?? spoken ?? 'no';
  const known = (column?.values ?? []).flatMap((word) => {
    const found = service?.offices.find(({ name }) => isTwin(name, word));
    return found === undefined ? [] : [{ word, meaning: found.country, note: null }];
  });
  const rest = (column?.values?.length ?? 0) - known.length;
  const expression =
    column === undefined || known.length === 0
      ? JSON.stringify(code)
      : `lookup(maps.countries, ${read(sample, column.name)}, ${JSON.stringify(code)})`;
  const isKnown = answers.country !== null || (known.length > 0 && rest === 0);
  return {
    expression,
    notes: isKnown ? [] : [`no column has the country: put yours in place of "${code}"`],
    words: known,
    open: isKnown
      ? []
      : [
          {
            flag: '--country',
            about: null,
            text: 'In which country are they? Two letters',
            choices: [],
            otherwise: code,
          },
        ],
  };
}

/** `.at` and `.co.uk` tell where a company is; `.io` does not. */
function countryOfAddresses(sample: Sample): string | null {
  const addresses = columnOf(sample, sample.meanings.email)?.firstValues ?? [];
  const codes = addresses.map((address) => codeOfCountry(/\.([a-z]{2})$/i.exec(address)?.[1] ?? ''));
  const best = mostFrequent(codes.filter((code) => code !== null));
  const isMost = codes.filter((code) => code === best).length * 2 > codes.length;
  return isMost && best !== null && languageOfCountry(best) !== null ? best : null;
}

function proposeName(sample: Sample, { service }: Answers): OfficePart {
  const { office } = sample.meanings;
  const column = placeOf(sample);
  if (column === undefined) {
    const notes = ['no column has the office: everybody is in this one'];
    return { expression: '"Main office"', notes, words: [], open: [] };
  }
  const notes = office === undefined ? ['no column has the office: the department stands for it'] : [];
  const isOptional = column.column?.optional === true;
  if (isOptional) notes.push('whose row has none is in "Main office"');
  const plain = readText(sample, column.name, 'Main office');
  const missing = service === null ? [] : (column.values ?? []).filter((name) => !isOffice(name, service.offices));
  if (service === null || service.offices.length === 0 || missing.length === 0) {
    return { expression: plain, notes, words: [], open: [] };
  }
  const words = missing.map((word) => guessOffice(word, service.offices));
  return { expression: `lookup(maps.offices, ${plain}, ${plain})`, notes, words, open: [] };
}

/** Where there is no office, the department stands for it. */
function placeOf(sample: Sample): ColumnGuess | undefined {
  return columnOf(sample, sample.meanings.office ?? sample.meanings.department);
}

type Offices = KnownService['offices'];

/** As a plan finds it. */
function isOffice(name: string, offices: Offices): boolean {
  return offices.some((office) => foldKey(office.name) === foldKey(name));
}

/** `Köln`, `Koeln` and `Koln`. */
function isTwin(name: string, other: string): boolean {
  return foldText(name) === foldText(other) || foldText(spellOut(name)) === foldText(spellOut(other));
}

function spellOut(name: string): string {
  return name.toLowerCase().replaceAll(/[äöü]/g, (letter) => `${letter}e`);
}

/** So many offices are named; an account may have hundreds. */
const MOST_SHOWN = 6;

function guessOffice(word: string, offices: Offices): ProposedWord {
  const twin = offices.find(({ name }) => isTwin(name, word));
  if (twin !== undefined) return { word, meaning: twin.name, note: 'GUESS: as the service has it' };
  const names = [...new Set(offices.map(({ name }) => name))];
  const nearest = nearestName(word, names);
  const shown = [...new Set([...(nearest === null ? [] : [nearest]), ...names])].slice(0, MOST_SHOWN);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} others` : '';
  return { word, meaning: word, note: `GUESS: a new office, or one of ${shown.join(', ')}${more}` };
}

function mostFrequent(values: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
}
