import type { Answers, OpenQuestion, Proposal } from './answers.js';
import { columnOf, isOptional, read, readText, readThen } from './column-reads.js';
import { codeOfCountry, languageOfCountry } from './countries.js';
import type { ColumnGuess } from './guess-column.js';
import type { Meaning } from './meanings.js';
import { proposeLeavers } from './propose-leavers.js';
import { proposeOffice } from './propose-office.js';
import type { Sample } from './read-sample.js';
import { saysLastFirst } from './recognise.js';
import type { SampleLanguage } from './sample-languages.js';
import { languageOfTitles } from './title-words.js';
import { withNote, writeExpression } from './yaml-text.js';

/** The `users:` section. Only what a column's name and content tell is mapped. */
export function proposeUsers(sample: Sample, existence: string, answers: Answers): Proposal {
  const { email, id: number, phone } = sample.meanings;
  const id = email === sample.key ? number : sample.key;
  const office = proposeOffice(sample, answers);
  const title = proposeTitle(sample, answers);
  const leavers = proposeLeavers(sample, answers);
  const fields = [
    ...(id === undefined ? [] : [`external_unique_id: ${writeExpression(read(sample, id))}`]),
    ...(email === undefined ? [] : [`email: ${writeExpression(readThen(sample, email, '.lowerAscii()'))}`]),
    ...nameField(sample),
    office.line,
    ...title.lines,
    ...(phone === undefined ? [] : [`telephone: ${writeExpression(read(sample, phone))}`]),
  ];
  return {
    lines: [
      'users:',
      `  existence: ${existence} # this source decides who exists`,
      ...scopeLines(sample, email),
      `  match: [${id === undefined ? '' : 'external_unique_id, '}email] # how rows find accounts that are there already`,
      ...leavers.lines,
      '  fields: # only what is named here is ever changed',
      ...fields.map((field) => `    ${field}`),
    ],
    maps: office.maps,
    open: [...office.open, ...title.open, ...leavers.open],
  };
}

/** Nobody gets an account without an address. */
function scopeLines(sample: Sample, email: string | undefined): readonly string[] {
  if (email === undefined || !isOptional(sample, email)) return [];
  const when = `${readText(sample, email)} != ""`;
  return [`  scope: ${writeExpression(when)} # GUESS: who has no address gets no account`];
}

function nameField(sample: Sample): readonly string[] {
  const { name, firstName, nameParticle, lastName } = sample.meanings;
  if (firstName !== undefined && lastName !== undefined) {
    const [first = '', last = ''] = [firstName, lastName].map((column) => readText(sample, column));
    if (nameParticle === undefined) return [`name: ${writeExpression(`${first} + " " + ${last}`)}`];
    const parts = `[${first}, ${readText(sample, nameParticle)}, ${last}]`;
    return [`name: ${writeExpression(`${parts}.filter(n, n != "").join(" ")`)}`];
  }
  const column = columnOf(sample, name ?? lastName ?? firstName);
  if (column === undefined) return guessName(sample);
  const isTurned = column.looks.turnedName > 0.5;
  return [
    withNote(
      `name: ${writeExpression(isTurned ? readThen(sample, column.name, '.firstNameFirst()') : read(sample, column.name))}`,
      noteOrder(column, isTurned),
    ),
  ];
}

/** Without a comma nobody can tell where the last name ends. */
function noteOrder({ name, firstValues }: ColumnGuess, isTurned: boolean): string | null {
  if (isTurned) return 'as "Berg, Anna" in the file';
  if (!saysLastFirst(name)) return null;
  return `GUESS: as ${JSON.stringify(firstValues[0] ?? '')} in the file, the last name first; docs/expressions.md turns names of two words`;
}

/** The column whose cells look most like names, else the address. */
function guessName(sample: Sample): readonly string[] {
  const meant = new Set(Object.values(sample.meanings));
  const [column] = sample.columns
    .filter(({ name, looks, column: declared }) => !meant.has(name) && declared?.type === 'string' && looks.name > 0.7)
    .sort((a, b) => b.firstValues.length - a.firstValues.length);
  const chosen = column?.name ?? sample.meanings.email ?? sample.key;
  return [`name: ${writeExpression(read(sample, chosen))} # GUESS: no column is called a name`];
}

function proposeTitle(
  sample: Sample,
  { language: given }: Answers,
): { readonly lines: readonly string[]; readonly open: readonly OpenQuestion[] } {
  const column = columnOf(sample, sample.meanings.title);
  if (column === undefined) return { lines: [], open: [] };
  const told = given ?? languageOfTitles(column.firstValues);
  const language = told ?? languageOfPlaces(sample) ?? sample.language ?? 'en';
  const line = `title: { ${language}: ${writeExpression(read(sample, column.name))} }`;
  if (told !== null) return { lines: [line], open: [] };
  const text = `In which language are the titles, such as "${column.firstValues[0] ?? ''}"? Two letters`;
  return {
    lines: [`${line} # GUESS: the language of the titles`],
    open: [{ flag: '--language', about: null, text, choices: [], otherwise: language }],
  };
}

/** The language of the country that all of them are in. */
function languageOfPlaces(sample: Sample): SampleLanguage | null {
  const meaning: Meaning = 'country';
  const codes = new Set((columnOf(sample, sample.meanings[meaning])?.values ?? []).map(codeOfCountry));
  const [only] = codes;
  return codes.size === 1 && only != null ? languageOfCountry(only) : null;
}
