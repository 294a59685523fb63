import type { Meaning } from './column-names.js';
import type { Sample } from './read-sample.js';
import { withNote, writeExpression } from './yaml-text.js';

/** Words that are no names in CEL: such columns are read in brackets. */
const RESERVED = new Set(
  `as break const continue else false for function if import in let loop namespace null package return true var void while`.split(
    ' ',
  ),
);

const MAX_VALUES_SHOWN = 8;

interface ProposedLine {
  readonly text: string;
  readonly note: string | null;
}

/** A file of people has addresses; customers and projects have names alone. */
export function hasPeople(sample: Sample): boolean {
  const { email, name, firstName, lastName } = sample.meanings;
  return email !== undefined && [name, firstName, lastName].some((column) => column !== undefined);
}

/** The `users:` section, as lines of YAML. Only what a column's name tells is mapped. */
export function renderUsers(sample: Sample, existence: string): readonly string[] {
  const id = sample.meanings.email === sample.key ? sample.meanings.id : sample.key;
  const fields: readonly (ProposedLine | null)[] = [
    id === undefined ? null : { text: `external_unique_id: ${writeExpression(read(sample, id))}`, note: null },
    field(sample, 'email', 'email', '.lowerAscii()'),
    nameField(sample),
    ...officeField(sample),
    titleField(sample),
    field(sample, 'phone', 'telephone'),
  ];
  return [
    'users:',
    `  existence: ${existence} # this source decides who exists`,
    `  match: [${id === undefined ? '' : 'external_unique_id, '}email] # how rows find accounts that are there already`,
    ...leaverLines(sample),
    '  fields: # only what is named here is ever changed',
    ...fields.flatMap((line) => (line === null ? [] : [`    ${withNote(line.text, line.note)}`])),
  ];
}

function isOptional(sample: Sample, column: string): boolean {
  return sample.columns.find(({ name }) => name === column)?.column?.optional === true;
}

/** `record.x`, `record.?x`, or in brackets where the name is none in an expression. */
export function read(sample: Sample, column: string): string {
  const mark = isOptional(sample, column) ? '?' : '';
  if (/^[A-Za-z_]\w*$/.test(column) && !RESERVED.has(column)) return `record.${mark}${column}`;
  return `record[${mark}${JSON.stringify(column)}]`;
}

function field(sample: Sample, meaning: Meaning, target: string, then = ''): ProposedLine | null {
  const column = sample.meanings[meaning];
  if (column === undefined) return null;
  const value = isOptional(sample, column) ? read(sample, column) : `${read(sample, column)}${then}`;
  return { text: `${target}: ${writeExpression(value)}`, note: null };
}

function nameField(sample: Sample): ProposedLine | null {
  const { name, firstName, lastName } = sample.meanings;
  if (firstName === undefined || lastName === undefined) {
    const column = name ?? firstName ?? lastName;
    return column === undefined ? null : { text: `name: ${writeExpression(read(sample, column))}`, note: null };
  }
  const parts = [firstName, lastName].map((column) =>
    isOptional(sample, column) ? `${read(sample, column)}.orValue("")` : read(sample, column),
  );
  const other = name === undefined ? null : `or ${read(sample, name)}`;
  return { text: `name: ${writeExpression(parts.join(' + " " + '))}`, note: other };
}

function titleField(sample: Sample): ProposedLine | null {
  const { title } = sample.meanings;
  if (title === undefined) return null;
  return { text: `title: { en: ${writeExpression(read(sample, title))} }`, note: 'GUESS: the language of the titles' };
}

/** A person cannot be created without an office, and an office has a country. */
function officeField(sample: Sample): readonly ProposedLine[] {
  const { office, country } = sample.meanings;
  const name = office === undefined ? '"Main office"' : read(sample, office);
  const code = country === undefined ? '"no"' : read(sample, country);
  const values = sample.columns.find((column) => column.name === country)?.values ?? [];
  const isCoded = values.every((value) => /^[A-Za-z]{2}$/.test(value));
  const notes = [
    ...(office === undefined ? ['no column has the office: everybody is in this one'] : []),
    ...(country === undefined ? ['no column has the country: put yours in place of "no"'] : []),
    ...(country !== undefined && !isCoded ? ['the service knows countries by their codes, such as "no"'] : []),
    'with create_missing, offices that the service lacks are created; without it their people are held',
  ];
  return [
    {
      text: `office: { country: ${writeExpression(code)}, name: ${writeExpression(name)}, create_missing: true }`,
      note: `GUESS: ${notes.join('; ')}`,
    },
  ];
}

/** Never more than a comment: a column that means something else would make everybody a leaver. */
function leaverLines(sample: Sample): readonly string[] {
  const { status, endDate } = sample.meanings;
  const end = sample.columns.find(({ name }) => name === endDate);
  const lines: string[] = [];
  if (status !== undefined) {
    const values = sample.columns.find(({ name }) => name === status)?.values ?? [];
    const shown = values.slice(0, MAX_VALUES_SHOWN).map((value) => JSON.stringify(value));
    const more = values.length > MAX_VALUES_SHOWN ? ', …' : '';
    const value = isOptional(sample, status) ? `${read(sample, status)}.orValue("")` : read(sample, status);
    lines.push(
      `  # leaver: { when: '${value} == "…"' } # which of ${shown.join(', ')}${more} means that a person has left?`,
    );
  }
  if (end?.column?.type === 'date') {
    const column = read(sample, end.name).replace('.?', '.').replace('[?', '[');
    const when = end.column.optional ? `has(${column}) && ${column} < today` : `${column} < today`;
    lines.push(`  # leaver: { when: '${when}' } # if that is the day on which a person leaves, not the end of a term`);
  }
  return lines;
}
