import type { Answers, OpenQuestion, Proposal } from './answers.js';
import { columnOf, isOptional, read, readText } from './column-reads.js';
import type { ColumnGuess } from './guess-column.js';
import { isKeyName } from './header-words.js';
import type { Sample } from './read-sample.js';
import type { SampleLanguage } from './sample-languages.js';
import { DELETE_MARK, withNote, writeExpression } from './yaml-text.js';

/** A stream of a CRM source, with the name that `from` uses. */
export interface ProposedStream {
  readonly name: string;
  readonly sample: Sample;
}

interface Chosen {
  readonly customers: ProposedStream | null;
  readonly projects: ProposedStream | null;
  readonly people: Sample | null;
}

export interface ProposedEntities extends Omit<Proposal, 'maps'> {
  /** Name of a stream → the lines that read its rows; empty if the meaning of the stream is unknown. */
  readonly mappings: ReadonlyMap<string, readonly string[]>;
}

/** Proposes `customers:`, `projects:` and `staffing:` as lines of YAML, as far as files and columns allow. */
export function renderStreamEntities(
  streams: readonly ProposedStream[],
  people: Sample | null,
  answers: Answers,
): ProposedEntities {
  const first = chooseStream('customers', streams, answers);
  const second = chooseStream(
    'projects',
    streams.filter((stream) => stream !== first),
    answers,
  );
  const spoken = [first?.sample, second?.sample, people].find((sample) => sample?.language != null)?.language ?? null;
  const [customers, projects] = [speak(first, spoken), speak(second, spoken)];
  const chosen: Chosen = { customers, projects, people };
  const link = projects === null ? null : findLink(projects.sample, customers?.sample ?? null);
  const rendered = [
    ...(customers === null ? [] : [[customers.name, renderCustomers(customers, link?.to ?? null, answers)] as const]),
    ...(projects === null || link === null ? [] : [[projects.name, renderProjects(projects, link, answers)] as const]),
    ...streams.map((stream) => [stream.name, renderStaffing(stream, chosen, answers)] as const),
  ];
  const lines = [
    ...rendered.flatMap(([, own]) => own),
    ...(projects === null || link !== null ? [] : [noteUnlinked(projects)]),
  ];
  const mappings = new Map(
    streams.map(({ name }) => [name, rendered.filter(([of]) => of === name).flatMap(([, own]) => own)]),
  );
  return { lines, mappings, open: people === null && lines.length > 0 ? askLanguage(chosen, answers) : [] };
}

/** Gives a stream the language of the other files if its headers fit several languages. */
function speak(stream: ProposedStream | null, spoken: SampleLanguage | null): ProposedStream | null {
  return stream && { ...stream, sample: { ...stream.sample, language: stream.sample.language ?? spoken } };
}

/** Returns the note for projects without a link, because every project belongs to a customer. */
function noteUnlinked({ name }: ProposedStream): string {
  return `# GUESS: ${name} looks like projects, but no column was found with their customer; if there is one, use \`init --column project_customer=HEADER\``;
}

/** Asks for the language, unless there are people, because their titles show it better. */
function askLanguage({ customers, projects }: Chosen, { language }: Answers): readonly OpenQuestion[] {
  const sample = customers?.sample ?? projects?.sample;
  if (language !== null || sample === undefined) return [];
  const name = columnOf(sample, sample.meanings.customerName ?? sample.meanings.projectName)?.firstValues[0] ?? '';
  const text = `In which language are names such as "${name}"? Two-letter code`;
  return [{ flag: '--language', about: null, text, choices: [], otherwise: sample.language ?? 'en' }];
}

function chooseStream(
  kind: 'customers' | 'projects',
  streams: readonly ProposedStream[],
  { files }: Answers,
): ProposedStream | null {
  const given = files[kind];
  if (given !== undefined) return streams.find(({ sample }) => sample.at === given) ?? null;
  const [best] = streams
    .filter(({ sample }) => sample.kind === kind && sample.keyNote === null)
    .sort((a, b) => b.sample.scores[kind] - a.sample.scores[kind]);
  return best ?? null;
}

/** A column that refers to rows of another file. */
interface RowLink {
  readonly column: ColumnGuess;
  /** The column of the other file that contains the values; null if that file is missing. */
  readonly to: string | null;
  /** True if a cell may contain several values, such as `17;18`. */
  readonly isList: boolean;
}

/** Finds the link by its values if both files exist, otherwise by the name of the column. */
function findLink(projects: Sample, customers: Sample | null): RowLink | null {
  const { projectCustomer, projectName } = projects.meanings;
  if (customers === null) {
    const column = columnOf(projects, projectCustomer);
    return column === undefined ? null : { column, to: null, isList: false };
  }
  for (const to of [customers.key, customers.meanings.customerName]) {
    const keys = columnOf(customers, to)?.unique ?? null;
    if (to === undefined || keys === null) continue;
    const links = projects.columns
      .filter(({ name }) => name !== projects.key && name !== projectName)
      .flatMap((column) => linkTo(column, keys, to))
      .sort((a, b) => b.share - a.share);
    if (links[0] !== undefined) return links[0];
  }
  return null;
}

/** A column links to the keys if most of its cells contain one. In a list, the first item decides. */
function linkTo(column: ColumnGuess, keys: ReadonlySet<string>, to: string): readonly (RowLink & { share: number })[] {
  if (column.column?.type !== 'string') return [];
  const values = column.firstValues;
  const named = values.filter((value) => keys.has(value));
  const listed = values.filter((value) => !keys.has(value) && keys.has(firstOf(value)));
  const share = (named.length + listed.length) / Math.max(1, values.length);
  // A single equal value may be a coincidence, unless the header is that of a key.
  const isLikely = share >= 0.6 && (values.length > 1 || isKeyName(column.name));
  return isLikely ? [{ column, to, isList: listed.length > 0, share }] : [];
}

function firstOf(value: string): string {
  return value.split(';')[0]?.trim() ?? '';
}

function renderCustomers(
  { name, sample }: ProposedStream,
  namedBy: string | null,
  answers: Answers,
): readonly string[] {
  const { customerName, customerUrl, customerText } = sample.meanings;
  if (customerName === undefined) return [];
  const language = answers.language ?? sample.language ?? 'en';
  const key = namedBy ?? sample.key;
  const note =
    key === sample.key ? null : `GUESS: the projects refer to customers by this column, not by their id${DELETE_MARK}`;
  return [
    `customers: # GUESS: made from ${name}; remove it if these are not customers`,
    `  from: [${name}]`,
    '  match: [external_unique_id, customer_name]',
    '  fields:',
    withNote(`    external_unique_id: ${writeExpression(read(sample, key))}`, note),
    withNote(
      `    customer_name: { ${language}: ${writeExpression(read(sample, customerName))} }`,
      answers.language === null ? `GUESS: the language of the texts${DELETE_MARK}` : null,
    ),
    ...(customerUrl === undefined ? [] : [`    customer_url: ${writeExpression(read(sample, customerUrl))}`]),
    ...(customerText === undefined
      ? []
      : [`    customer_description: { ${language}: ${writeExpression(read(sample, customerText))} }`]),
  ];
}

function renderProjects(
  { name, sample }: ProposedStream,
  { column, to, isList }: RowLink,
  answers: Answers,
): readonly string[] {
  const { projectName } = sample.meanings;
  if (projectName === undefined) return [];
  const language = answers.language ?? sample.language ?? 'en';
  const customer = isList ? `${readText(sample, column.name)}.split(";").first()` : read(sample, column.name);
  return [
    `projects: # GUESS: made from ${name}; remove it if these are not projects`,
    `  from: [${name}]`,
    '  match: [external_unique_id]',
    ...(isOptional(sample, column.name)
      ? [
          `  scope: ${writeExpression(`${readText(sample, column.name)} != ""`)} # GUESS: only projects that have a customer${DELETE_MARK}`,
        ]
      : []),
    ...offerStages(sample),
    '  fields:',
    `    external_unique_id: ${writeExpression(read(sample, sample.key))}`,
    withNote(
      `    customer: ${writeExpression(customer)}`,
      to === null || isList
        ? `GUESS: the customer's id in \`customers\`${isList ? '; if there are several, the first' : ''}${DELETE_MARK}`
        : null,
    ),
    withNote(
      `    project_name: { ${language}: ${writeExpression(read(sample, projectName))} }`,
      answers.language === null ? `GUESS: the language of the texts${DELETE_MARK}` : null,
    ),
  ];
}

const MOST_STAGES = 12;

/** Returns a comment only, because people must decide which projects become references. */
function offerStages(sample: Sample): readonly string[] {
  const stage = sample.columns.find(
    ({ name, values, column }) =>
      /stage|phase|fase|status/i.test(name) &&
      column?.type === 'string' &&
      values !== null &&
      values.length > 1 &&
      values.length <= MOST_STAGES,
  );
  if (stage === undefined) return [];
  const won = stage.values?.find((value) => /won|gewonnen|vunnet|vunnit|vundet|gagn/i.test(value)) ?? '…';
  const all = stage.values?.map((value) => JSON.stringify(value)).join(', ');
  const when = `${readText(sample, stage.name)} == ${JSON.stringify(won)}`;
  return [`  # scope: ${writeExpression(when)} # if only these become projects; all are ${all}`];
}

/** Proposes `staffing:` for rows that refer to a project and a person. */
function renderStaffing(
  { name, sample }: ProposedStream,
  { projects, people }: Chosen,
  answers: Answers,
): readonly string[] {
  if (sample.kind !== null || projects === null || people === null) return [];
  const find = (target: Sample, column: string | undefined): RowLink | undefined => {
    const keys = columnOf(target, column)?.unique ?? null;
    return keys === null
      ? undefined
      : sample.columns.flatMap((one) => linkTo(one, keys, column ?? '')).sort((a, b) => b.share - a.share)[0];
  };
  const project = find(projects.sample, projects.sample.key);
  const user = find(people, people.key) ?? find(people, people.meanings.email);
  if (project === undefined || user === undefined || project.column === user.column) return [];
  const { title } = sample.meanings;
  const language = answers.language ?? sample.language ?? 'en';
  return [
    `staffing: # GUESS: made from ${name}; remove it if these are not people on projects`,
    `  from: [${name}]`,
    '  fields:',
    `    project: ${writeExpression(read(sample, project.column.name))}`,
    `    user: ${writeExpression(read(sample, user.column.name))}`,
    '    link: "true"',
    '    include_dates: "false"',
    ...(title === undefined
      ? []
      : [
          `    role: { ${language}: ${writeExpression(read(sample, title))} } # GUESS: the language of the texts${DELETE_MARK}`,
        ]),
  ];
}
