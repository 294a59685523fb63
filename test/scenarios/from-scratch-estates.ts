import { CRM, HEADER, line, merge, person, type Yaml } from './company.js';
import { CERTIFICATIONS, STAFFING, STREAMS } from './cvs.js';

/** The systems of a history, and the possible contents of their tables. */

export type TableRow = Readonly<Record<string, Yaml>>;

/** A table of a source, delivered as one file. */
export interface Table {
  readonly folder: string;
  readonly stem: string;
  readonly ending: 'csv' | 'json';
  readonly ids: readonly string[];
  /** The possible values of each column. */
  readonly words: Readonly<Record<string, readonly Yaml[]>>;
  fresh(id: string): TableRow;
  /** Writes the text of the file. */
  write(rows: readonly TableRow[]): string;
  /** An unusable row. */
  readonly badRow: TableRow;
}

const json = {
  ending: 'json',
  write: (rows: readonly TableRow[]) => JSON.stringify(rows),
  badRow: { name: 7 },
} as const;

export const TABLES = {
  people: {
    folder: 'hr',
    stem: 'employees',
    ending: 'csv',
    ids: ['E1', 'E2', 'E3', 'E4', 'E5'],
    words: {
      title: ['Engineer', 'Lead', ''],
      phone: ['1', '2', ''],
      office: ['Oslo', 'Bergen', 'Nowhere'],
      unit: ['north', 'south', 'east', ''],
      status: ['', 'left', 'external'],
      last: ['One', 'Two'],
      email: ['e1@example.com', 'e2@example.com', 'New@example.com', ''],
      rank: ['2020-01-01', '2099-01-01', ''],
    },
    fresh: (id) => person(id),
    write: (rows) => `${[HEADER, ...rows.map((row) => line(row as Record<string, string>))].join('\n')}\n`,
    badRow: { id: 'E9', first: 'too', last: 'short', email: 'not;an;address' },
  },
  book: {
    folder: 'book',
    stem: 'book',
    ending: 'csv',
    ids: ['E1', 'E2', 'E3', 'E4'],
    words: { number: ['E1', 'E2', 'E3', ''], job: ['Partner', 'Owner', ''], phone: ['7', '8', ''] },
    fresh: (id) => ({ row: id, number: id, job: 'Partner', phone: '7' }),
    write: (rows) =>
      `${['row;number;job;phone', ...rows.map(({ row, number, job, phone }) => [row, number, job, phone].join(';'))].join('\n')}\n`,
    badRow: { row: 'E9', number: 'E1', job: 'too;many;cells', phone: '' },
  },
  companies: {
    ...json,
    folder: 'crm',
    stem: 'companies',
    ids: ['C1', 'C2', 'C3'],
    words: { name: ['Fjord Power', 'Dam', 'Bridge'], url: ['https://a.example.com', null] },
    fresh: (id) => ({ id, name: `Company ${id}` }),
  },
  partners: {
    ...json,
    folder: 'crm',
    stem: 'partners',
    ids: ['C1', 'C2', 'C3', 'C4'],
    words: { name: ['Fjord Power', 'Partner'], url: ['https://b.example.com', null] },
    fresh: (id) => ({ id, name: `Partner ${id}` }),
  },
  deals: {
    ...json,
    folder: 'crm',
    stem: 'deals',
    ids: ['P1', 'P2', 'P3'],
    words: {
      customer: ['C1', 'C2', 'C4', 'C9'],
      name: ['Dam', 'Bridge'],
      stage: ['won', null],
      owners: [['e1@example.com'], ['e2@example.com', 'e9@example.com'], null],
    },
    fresh: (id) => ({ id, customer: 'C1', name: `Deal ${id}` }),
  },
  staffing: {
    ...json,
    folder: 'lms',
    stem: 'staffing',
    ids: ['s1', 's2', 's3', 's4'],
    words: {
      project: ['P1', 'P2', 'P9'],
      person: ['E1', 'E2', 'e1@example.com', 'E9'],
      role: ['Lead', 'Coder', null],
      copy: [true, false],
    },
    fresh: (id) => ({ id, project: 'P1', person: 'E1', role: 'Lead' }),
  },
  certificates: {
    ...json,
    folder: 'lms',
    stem: 'certificates',
    ids: ['k1', 'k2', 'k3'],
    words: { person: ['E1', 'E2', 'E9'], name: ['Scrum', 'Cloud'], year: ['2020', null] },
    fresh: (id) => ({ id, person: 'E1', name: 'Scrum' }),
  },
} as const satisfies Readonly<Record<string, Table>>;
export type TableName = keyof typeof TABLES;

type Patch = Readonly<Record<string, Yaml>>;

/** Parts of the configuration that are switched on and off. */
const PEOPLE_PATCHES: readonly Patch[] = [
  { users: { fields: { title: { en: 'record.?title' } } } },
  { users: { fields: { title: { en: 'record.?title.orValue("none") + " " + string(today).substring(0, 10)' } } } },
  { users: { fields: { telephone: 'record.?phone' } } },
  { users: { fields: { telephone: { value: 'record.?phone', when_empty: 'clear' } } } },
  { users: { fields: { tags: { unit: 'record.?unit' } } } },
  { users: { fields: { office: { country: 'record.country', name: 'record.office', create_missing: true } } } },
  { users: { scope: 'record.?status.orValue("") != "external"' } },
  { users: { scope: 'true' } },
  { users: { out_of_scope: 'deactivate' } },
  { users: { unowned: 'report' } },
  { users: { joiner: { start: 'record.?rank', lead: '1d' } } },
  { users: { leaver: { when: 'record.?rank.orValue("") == string(today).substring(0, 10)' } } },
  { users: { leaver: { when: 'record.?rank.orValue("9") < string(today)' } } },
  {
    users: {
      fields: { telephone: '"2026-12-01" > string(today + duration("48h")) ? "soon" : record.?rank.orValue("none")' },
    },
  },
  { users: { leaver: { when: 'record.?status.orValue("") == "left"', after_missing_reads: 2, grace: '1d' } } },
  { sources: { hr: { prefer: 'record.?rank.orValue("")' } } },
  {
    sources: { hr: { write_back: { drop: './drop/to-hr' } } },
    users: { fields: { telephone: { value: 'record.?phone', authority: 'service', write_back: true } } },
  },
  { drift: 'report' },
  { drift: 'correct' },
  { conflicts: 'source' },
  { policy: 'upsert-only' },
  { policy: 'create-only' },
  { policy: 'sync' },
];

const OPTIONAL: Yaml = { type: 'string', optional: true };
const BOOK: Patch = {
  sources: {
    book: {
      type: 'csv',
      drop: './drop/book',
      pattern: 'book-*.csv',
      key: 'row',
      settle: '0s',
      columns: { row: 'string', number: 'string', job: 'string', phone: OPTIONAL },
    },
  },
  users: {
    enrich: { book: { join: 'book.number == hr.id' } },
    fields: { title: { en: 'book.?job' }, telephone: { value: 'record.?phone', when_empty: 'clear' } },
  },
};
/** Two systems have companies: the first one with a record wins. */
const TWO_STREAMS: Patch = {
  sources: {
    crm: {
      streams: {
        partners: {
          pattern: 'partners-*.json',
          key: 'id',
          settle: '0s',
          columns: { id: 'string', name: 'string', url: OPTIONAL },
        },
      },
    },
  },
  customers: { from: ['crm.companies', 'crm.partners'] },
};
const CRM_PATCHES: readonly Patch[] = [
  { customers: { from: ['crm.partners', 'crm.companies'] } },
  { customers: { from: ['crm.companies'] } },
  { customers: { scope: 'record.?url.orValue("") != ""' } },
  { projects: { fields: { project_name: { en: 'record.name + " " + string(today).substring(0, 10)' } } } },
];

interface Estate {
  readonly config: Patch;
  readonly tables: readonly TableName[];
  readonly patches: readonly Patch[];
}

const mergeAll = (...parts: readonly Yaml[]): Patch => parts.reduce((sum, part) => merge(sum, part)) as Patch;

export const ESTATES = {
  people: { config: {}, tables: ['people'], patches: PEOPLE_PATCHES },
  asked: {
    config: { users: { existence: 'asked.people' } },
    tables: ['people'],
    patches: PEOPLE_PATCHES.filter((patch) => !('sources' in patch)),
  },
  joined: { config: BOOK, tables: ['people', 'book'], patches: PEOPLE_PATCHES },
  deals: {
    config: mergeAll(CRM, TWO_STREAMS),
    tables: ['people', 'companies', 'partners', 'deals'],
    patches: [...PEOPLE_PATCHES, ...CRM_PATCHES],
  },
  staffing: {
    config: mergeAll(STREAMS, CRM, STAFFING, CERTIFICATIONS),
    tables: ['people', 'companies', 'deals', 'staffing', 'certificates'],
    patches: PEOPLE_PATCHES,
  },
} as const satisfies Readonly<Record<string, Estate>>;
export type EstateName = keyof typeof ESTATES;
