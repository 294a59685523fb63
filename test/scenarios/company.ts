import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';

/** A tree of YAML, as in the configuration. */
export type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [key: string]: Yaml };

export const KEY = 'admin-key';
export const HOUR = 3_600_000;

/** Two countries with three offices and one category of two tags; stories add people, customers and projects. */
export const ACCOUNT: FixtureInput = {
  account: { languages: ['en', 'no', 'sv'], whitelisted_domains: ['example.com'] },
  keys: [
    { key: KEY, name: 'Admin', role: 'internationalmanager' },
    { key: 'reader-key', name: 'Reader', role: 'readonly_internationalmanager' },
    { key: 'reference-key', name: 'References', role: 'referencemanager' },
  ],
  countries: [
    { code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }, { name: 'Bergen' }] },
    { code: 'se', native_language_code: 'sv', offices: [{ name: 'Stockholm' }] },
  ],
  tag_categories: [
    {
      values: { en: 'Unit' },
      external_unique_id: 'unit',
      custom_tags: [
        { values: { en: 'North' }, external_unique_id: 'north' },
        { values: { en: 'South' }, external_unique_id: 'south' },
      ],
    },
  ],
};

const OPTIONAL = ['title', 'title_no', 'phone', 'unit', 'role', 'scope', 'status', 'rank'] as const;
const COLUMNS = ['id', 'first', 'last', 'email', 'country', 'office', ...OPTIONAL] as const;
/** The columns of people, whatever their source. */
export const PEOPLE_COLUMNS: Readonly<Record<string, Yaml>> = {
  ...Object.fromEntries(COLUMNS.map((column) => [column, 'string'])),
  ...Object.fromEntries(OPTIONAL.map((column) => [column, { type: 'string', optional: true }])),
};
export type Row = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

/** A row of HR: works in Oslo unless `more` sets another office. */
export function person(id: string, more: Row = {}): Row {
  return {
    id,
    first: 'Person',
    last: id,
    email: `${id.toLowerCase()}@example.com`,
    country: 'no',
    office: 'Oslo',
    ...more,
  };
}

export const HEADER = COLUMNS.join(';');

export function line(row: Row): string {
  return COLUMNS.map((column) => row[column] ?? '').join(';');
}

/** One HR file decides who exists, with five managed fields; `configure` changes parts of it. */
export function buildConfig(url: string): Yaml {
  return {
    service: {
      base_url: url,
      api_key: { env: 'TALENT_API_KEY' },
      rate_limit: { concurrency: 4 },
      timeout: '2s',
    },
    state: './var',
    policy: 'sync',
    sources: {
      hr: {
        type: 'csv',
        drop: './drop/hr',
        pattern: 'employees-*.csv',
        key: 'id',
        settle: '0s',
        columns: PEOPLE_COLUMNS,
      },
    },
    users: {
      existence: 'hr',
      match: ['external_unique_id', 'email'],
      leaver: { when: 'record.?status.orValue("") == "left"', after_missing_reads: 1 },
      fields: {
        external_unique_id: 'record.id',
        email: 'record.email.lowerAscii()',
        name: 'record.first + " " + record.last',
        office: { country: 'record.country', name: 'record.office' },
        title: { en: 'record.?title' },
      },
    },
  };
}

/** Customers and projects of a CRM, however they arrive. */
export const CRM_RECORDS: { readonly [key: string]: Yaml } = {
  sources: {
    crm: {
      type: 'crm',
      streams: {
        companies: {
          key: 'id',
          columns: { id: 'string', name: 'string', url: { type: 'string', optional: true } },
        },
        deals: {
          key: 'id',
          columns: {
            id: 'string',
            customer: 'string',
            name: 'string',
            stage: { type: 'string', optional: true },
            owners: { type: 'list', optional: true },
          },
        },
      },
    },
  },
  customers: {
    from: ['crm.companies'],
    match: ['external_unique_id', 'customer_name'],
    fields: {
      external_unique_id: 'record.id',
      customer_name: { en: 'record.name' },
      customer_url: 'record.?url',
    },
  },
  projects: {
    from: ['crm.deals'],
    match: ['external_unique_id'],
    fields: {
      external_unique_id: 'record.id',
      customer: 'record.customer',
      project_name: { en: 'record.name' },
      workflow_stage: 'record.?stage',
      owners: 'record.?owners',
    },
  },
};

/** Completes a configuration whose customers and projects come from the files of a CRM. */
export const CRM = merge(CRM_RECORDS, {
  sources: {
    crm: {
      drop: './drop/crm',
      streams: {
        companies: { pattern: 'companies-*.json', settle: '0s' },
        deals: { pattern: 'deals-*.json', settle: '0s' },
      },
    },
  },
}) as { readonly [key: string]: Yaml };

function isMap(value: Yaml | undefined): value is { readonly [key: string]: Yaml } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function merge(base: Yaml | undefined, patch: Yaml): Yaml {
  if (!isMap(base) || !isMap(patch)) return patch;
  const merged: Record<string, Yaml> = { ...base };
  for (const [key, value] of Object.entries(patch)) merged[key] = merge(base[key], value);
  return merged;
}
