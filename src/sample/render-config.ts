import { basename, dirname } from 'node:path';
import { cleanLine } from '../model/clean-text.js';
import { proposeName, renderColumns, renderDrop, renderFile } from './propose-source.js';
import { renderStreamEntities } from './propose-streams.js';
import { hasPeople, renderUsers } from './propose-users.js';
import type { Sample } from './read-sample.js';
import { withNote } from './yaml-text.js';

export interface ProposedSource {
  /** As expressions and `from` name it. */
  readonly name: string;
  readonly sample: Sample;
}

export interface ProposedConfig {
  readonly text: string;
  readonly sources: readonly ProposedSource[];
}

/**
 * A configuration to start from. The first table that has people becomes `hr`; all others become streams of one CRM source
 * a folder, of which customers and projects are mapped where their names tell.
 *
 * @param folder where the configuration will lie, to which its paths are relative
 */
export function renderConfig(samples: readonly Sample[], folder: string, serviceUrl: string): ProposedConfig {
  // Users come from one table, which a CRM source is not.
  const people = samples.find((sample) => sample.facts.format === 'csv' && hasPeople(sample)) ?? null;
  const streams = nameStreams(samples.filter((sample) => sample !== people));
  const from = samples.map(({ at, rows }) => `${basename(at)} (${rows} rows)`).join(', ');
  const hr = people === null ? [] : [{ name: 'hr', sample: people }];
  const text = [
    `# Written by \`talent-sync init\`${from === '' ? '' : ` from ${from}`}.`,
    '# Look at every line marked GUESS, then run `talent-sync check`, which sends no write, and `talent-sync plan`, which',
    '# shows what would be done.',
    '# docs/configuration.md has every key. Paths are relative to this file.',
    'service:',
    `  base_url: ${JSON.stringify(serviceUrl)} # the address of your talent service`,
    '  api_key: { env: TALENT_API_KEY } # or { file: /run/secrets/talent-key }; never the key itself',
    'state: ./var # what the worker remembers; one folder for each account',
    'policy: upsert-only # creates and updates; `sync` also deactivates leavers',
    'sources:',
    ...(people === null ? exampleSource() : renderPeople(people, folder)),
    ...renderStreams(streams, folder),
    ...(people === null ? EXAMPLE_USERS : renderUsers(people, 'hr')),
    ...renderStreamEntities(streams),
  ];
  // In quotes an escape means what it stands for; in a comment it ends no line.
  return { text: `${text.map(cleanLine).join('\n')}\n`, sources: [...hr, ...streams] };
}

function renderPeople(sample: Sample, folder: string): readonly string[] {
  const drop = `    ${renderDrop(sample, folder)} # the folder the files are delivered to`;
  return ['  hr:', '    type: csv', drop, ...indent(4, [...renderFile(sample), ...renderColumns(sample)])];
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

function renderStreams(streams: readonly ProposedSource[], folder: string): readonly string[] {
  const sources = [...new Set(streams.map(({ name }) => name.replace(/\..*$/, '')))];
  return sources.flatMap((source) => {
    const own = streams.filter(({ name }) => name.startsWith(`${source}.`));
    return [
      `  ${source}: # \`customers\`, \`projects\` and the like say what becomes of its streams`,
      '    type: crm',
      ...own.slice(0, 1).map(({ sample }) => `    ${renderDrop(sample, folder)}`),
      '    streams:',
      ...own.flatMap(({ name, sample }) => [
        withNote(
          `      ${name.slice(source.length + 1)}:`,
          hasPeople(sample) ? 'these look like people, who are read from CSV files or over SCIM' : null,
        ),
        ...indent(8, [...renderFile(sample), ...renderColumns(sample)]),
      ]),
    ];
  });
}

function indent(count: number, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${' '.repeat(count)}${line}`);
}

/** Where no sample has people: the least that synchronises them, to be adapted. */
function exampleSource(): readonly string[] {
  return [
    '  hr: # GUESS: there was no sample; `talent-sync check --sample FILE` proposes these columns from a file',
    '    type: csv',
    '    drop: ./drop/hr # the folder the files are delivered to',
    '    pattern: "employees-*.csv"',
    '    key: employee_id',
    '    columns:',
    ...['employee_id', 'first_name', 'last_name', 'email', 'country', 'office'].map((name) => `      ${name}: string`),
  ];
}

const EXAMPLE_USERS = [
  'users:',
  '  existence: hr # this source decides who exists',
  '  match: [external_unique_id, email] # how rows find accounts that are there already',
  '  fields: # only what is named here is ever changed',
  '    external_unique_id: record.employee_id',
  '    email: record.email.lowerAscii()',
  `    name: 'record.first_name + " " + record.last_name'`,
  '    office: { country: record.country, name: record.office }',
];
