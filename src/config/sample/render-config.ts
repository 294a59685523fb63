import { basename, dirname } from 'node:path';
import { SyncError } from '../../base/errors.js';
import { cleanLine } from '../../model/clean-text.js';
import { plural } from '../../model/plural.js';
import { type Answers, NO_ANSWERS, type OpenQuestion, type Proposal } from './answers.js';
import { checkAnswers, checkCountry } from './check-answers.js';
import { choosePeople, listHeaders } from './choose-people.js';
import { settleDates } from './day-order.js';
import { proposeName, renderColumns, renderDrop, renderFile } from './propose-source.js';
import { renderStreamEntities } from './propose-streams.js';
import { proposeUsers } from './propose-users.js';
import type { Sample } from './read-sample.js';
import { withNote, writeExpression } from './yaml-text.js';

export interface ProposedSource {
  /** The name for expressions and `from`. */
  readonly name: string;
  readonly sample: Sample;
}

export interface ProposedConfig {
  readonly text: string;
  readonly sources: readonly ProposedSource[];
  /** Questions that only a person can answer. The text contains a guess for each. */
  readonly open: readonly OpenQuestion[];
}

/**
 * Writes an initial configuration. The sample with the people becomes `hr`; all others become streams of one CRM source per
 * folder. Customers, projects and staffing are mapped as far as content and names show them.
 *
 * @param folder folder of the configuration, to which its paths are relative
 * @throws SyncError if no column has e-mail addresses and nothing else could be synchronised
 */
export function renderConfig(
  given: readonly Sample[],
  folder: string,
  serviceUrl: string,
  answers: Answers = NO_ANSWERS,
): ProposedConfig {
  const samples = given.map((sample) => settleDates(sample, answers.dates));
  const found = choosePeople(samples, answers);
  checkAnswers(samples, found, answers);
  const streams = nameStreams(samples.filter((sample) => sample !== found));
  const from = samples.map(({ at, rows }) => `${basename(at)} (${plural(rows, 'row')})`).join(', ');
  const users = found === null ? null : proposeUsers(found, 'hr', answers);
  const people = users?.sample ?? null;
  const others = renderStreamEntities(streams, people, answers);
  const lines = [...(users?.lines ?? []), ...(samples.length === 0 ? EXAMPLE_USERS : []), ...others.lines];
  if (lines.every((line) => line.startsWith('#'))) throw unwritableError(samples);
  const text = [
    `# Written by \`talent-sync init\`${from === '' ? '' : ` from ${from}`}.`,
    '# Look at every line marked GUESS or "To answer". Then run `talent-sync check`, which shows how the files are understood,',
    '# and `talent-sync plan`, which shows the changes that a run would make. Neither writes to the service.',
    '# docs/reference/configuration.md lists every key, and docs/reference/expressions.md shows how to change values. Paths are relative to this file.',
    'service:',
    `  base_url: ${JSON.stringify(serviceUrl)} # the address of your talent service`,
    '  api_key: { env: TALENT_API_KEY } # or { file: /run/secrets/talent-key }; never the key itself',
    'state: ./var # what talent-sync remembers; one folder per account',
    'policy: upsert-only # creates and updates; `sync` also deactivates leavers',
    'sources:',
    ...(people === null ? [] : renderPeople(people, folder, users?.lines ?? [], users?.prefer ?? null)),
    ...(samples.length === 0 ? EXAMPLE_SOURCE : []),
    ...renderStreams(streams, folder, others.mappings),
    ...lines,
    ...renderMaps(users?.maps ?? {}),
    people?.interface === undefined ? scheduleFor('a file has arrived') : scheduleFor('a change is signalled'),
  ];
  const hr = people === null ? [] : [{ name: 'hr', sample: people }];
  if (users !== null) checkCountry(users.lines.join('\n'), answers);
  // Control characters are escaped, so that they keep their meaning in quotes and cannot end a comment.
  return {
    text: `${text.map(cleanLine).join('\n')}\n`,
    sources: [...hr, ...streams],
    open: [...(users?.open ?? []), ...others.open],
  };
}

/** Returns the schedule for `talent-sync daemon`. Other commands do not use it. */
function scheduleFor(signal: string): string {
  return `schedule: { every: "*/15 * * * *", on_change: true } # for the daemon: every 15 minutes, and when ${signal}`;
}

/** Returns the error for samples that contain nothing to synchronise. */
function unwritableError(samples: readonly Sample[]): SyncError {
  const names = samples.map(({ at }) => basename(at)).join(', ');
  const [{ at, columns } = { at: '', columns: [] }] = samples;
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `Nothing in ${names} was recognised as people, customers with a name, or projects with a customer.`,
    place: at,
    remedy: `Say what the files are: --people FILE, --customers FILE, --projects FILE. Name their columns: --column customer_name=HEADER, ${listHeaders(columns)}.`,
  });
}

/** For the source that decides who exists: people missing from a truncated file must not look like leavers. */
const SHRINK = 'shrink: { percent: 20 } # a file with over 20 % fewer rows than the last good one needs an approval';

function renderPeople(
  sample: Sample,
  folder: string,
  mapping: readonly string[],
  prefer: string | null,
): readonly string[] {
  if (sample.interface !== undefined) return ['  hr:', ...indent(4, sample.interface.lines)];
  const drop = `    ${renderDrop(sample, folder)} # the folder the files are delivered to`;
  const type = sample.facts.format === 'csv' ? 'csv' : 'json';
  const ranked =
    prefer === null ? [] : [`prefer: ${writeExpression(prefer)} # decides between several rows of one person`];
  const lines = [...renderFile(sample), SHRINK, ...ranked, ...renderColumns(sample, [...mapping, ...ranked])];
  return ['  hr:', `    type: ${type}`, drop, ...indent(4, lines)];
}

function nameStreams(samples: readonly Sample[]): readonly ProposedSource[] {
  const folders = [...new Set(samples.map(({ at }) => dirname(at)))];
  const taken = new Set<string>();
  return samples.map((sample) => {
    const number = folders.indexOf(dirname(sample.at));
    const stream = proposeName(sample.at, taken);
    taken.add(stream);
    return { name: `crm${number === 0 ? '' : number + 1}.${stream}`, sample };
  });
}

function renderStreams(
  streams: readonly ProposedSource[],
  folder: string,
  mappings: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const sources = [...new Set(streams.map(({ name }) => name.replace(/\..*$/, '')))];
  return sources.flatMap((source) => {
    const own = streams.filter(({ name }) => name.startsWith(`${source}.`));
    return [
      `  ${source}: # sections such as \`customers\` and \`projects\` use its streams`,
      '    type: crm',
      ...own.slice(0, 1).map(({ sample }) => `    ${renderDrop(sample, folder)}`),
      '    streams:',
      ...own.flatMap(({ name, sample }) => [
        withNote(
          `      ${name.slice(source.length + 1)}:`,
          sample.kind === 'people' ? 'these rows look like people too, but people come from one source' : null,
        ),
        ...indent(8, [...renderFile(sample), ...renderColumns(sample, mappings.get(name) ?? [])]),
      ]),
    ];
  });
}

/** Returns `maps:` with the meanings of words in the sources. */
function renderMaps(maps: Proposal['maps']): readonly string[] {
  const named = Object.entries(maps).filter(([, words]) => words.length > 0);
  if (named.length === 0) return [];
  return [
    'maps: # words of the file, and their meanings',
    ...named.flatMap(([name, words]) => [
      `  ${name}:`,
      ...words.map(({ word, meaning, note }) =>
        withNote(`    ${JSON.stringify(word)}: ${JSON.stringify(meaning)}`, note),
      ),
    ]),
  ];
}

function indent(count: number, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${' '.repeat(count)}${line}`);
}

/** If there is no sample: the smallest configuration that synchronises people, to be adapted by the user. */
const EXAMPLE_SOURCE = [
  '  hr: # GUESS: there was no sample; `talent-sync check --sample FILE` proposes these columns from a file',
  '    type: csv',
  '    drop: ./drop/hr # the folder the files are delivered to',
  '    pattern: "employees-*.csv"',
  `    ${SHRINK}`,
  '    key: employee_id',
  '    columns:',
  ...['employee_id', 'first_name', 'last_name', 'email', 'country', 'office'].map((name) => `      ${name}: string`),
];

const EXAMPLE_USERS = [
  'users:',
  '  existence: hr # this source decides who exists',
  '  match: [external_unique_id, email] # how rows are matched with existing accounts',
  '  fields: # only these fields are ever changed',
  '    external_unique_id: record.employee_id',
  '    email: record.email.lowerAscii()',
  `    name: 'record.first_name + " " + record.last_name'`,
  '    office: { country: record.country, name: record.office }',
];
