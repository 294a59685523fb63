import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';

/** A small account: two countries, a key per role, a tag category, three people and a customer. */
export const ACCOUNT: FixtureInput = {
  account: {
    languages: ['en', 'no', 'sv'],
    whitelisted_domains: ['example.com'],
    imports: {
      default: { missing: 'keep' },
      strict: { missing: 'deactivate', default_country: 'no', tag_columns: { Unit: 'unit' } },
    },
  },
  keys: [
    { key: 'admin-key', name: 'Admin', role: 'internationalmanager' },
    { key: 'reader-key', name: 'Reader', role: 'readonly_internationalmanager' },
    { key: 'no-key', name: 'Norway', role: 'countrymanager', country: 'no' },
    { key: 'ref-key', name: 'References', role: 'referencemanager', country: 'se' },
    { key: 'plain-key', name: 'Plain', role: 'consultant' },
    { key: 'off-key', name: 'Off', role: 'internationalmanager', disabled: true },
  ],
  countries: [
    { code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }, { name: 'Bergen' }] },
    { code: 'se', native_language_code: 'sv', offices: [{ name: 'Stockholm' }] },
  ],
  industries: [{ values: { en: 'Energy' }, external_unique_id: 'energy' }],
  custom_fields: [
    { field_name: 'headcount', field_type: 'numeric' },
    { field_name: 'contract_value', field_type: 'currency_amount' },
    {
      field_name: 'stage',
      field_type: 'single_select',
      options: [{ external_unique_id: 'model-a', name: { en: 'Model A' } }],
    },
    { field_name: 'area', field_type: 'quantity' },
    { field_name: 'period', field_type: 'year_month_range' },
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
    {
      values: { en: 'Hidden' },
      external_unique_id: 'hidden',
      can_be_used_for_references: false,
      can_be_used_for_customers: false,
      custom_tags: [{ values: { en: 'Secret' }, external_unique_id: 'secret' }],
    },
  ],
  users: [
    { email: 'anna@example.com', name: 'Anna Åsen', external_unique_id: 'E1', country: 'no', office: 'Oslo' },
    {
      email: 'bjorn@example.com',
      name: 'Bjørn Berg',
      external_unique_id: 'E2',
      upn: 'bb@example.com',
      country: 'no',
      office: 'Bergen',
      roles: ['consultant', 'referencemanager'],
    },
    {
      email: 'gone@example.com',
      name: 'Gone Girl',
      external_unique_id: 'E3',
      country: 'no',
      office: 'Oslo',
      deactivated: true,
    },
    {
      email: 'ext@partner.test',
      name: 'Ext Ern',
      external_unique_id: 'E4',
      country: 'se',
      office: 'Stockholm',
      roles: ['external'],
    },
  ],
  customers: [
    {
      external_unique_id: 'C1',
      customer_name: { en: 'Fjord Power' },
      industry: 'energy',
      projects: [{ external_unique_id: 'P1', project_name: { en: 'Dam' }, workflow_stage: 'live' }],
    },
  ],
};

export interface Reply {
  readonly status: number;
  // Expectations written by hand check the answers, so their types stay open here.
  readonly body: ReturnType<JSON['parse']>;
  readonly headers: Headers;
  readonly text: string;
}

/** A sandbox that is closed after the test, with plain HTTP calls to it by the administrator or with another key. */
export async function openSandbox(options: SandboxOptions = { fixture: ACCOUNT }) {
  const sandbox = await createSandbox(options);
  closeAfterTest(sandbox);
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const isText = typeof body === 'string';
    const response = await fetch(sandbox.url + path, {
      method,
      headers: {
        authorization: `Bearer ${Object.values(sandbox.keys)[0]}`,
        ...(body === undefined ? {} : { 'content-type': isText ? 'text/csv' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : undefined, headers: response.headers, text };
  }
  return { sandbox, send, as: (key: string) => ({ authorization: `Bearer ${key}` }) };
}

export type Send = Awaited<ReturnType<typeof openSandbox>>['send'];

/** Ids that every test of writes needs, read like a client does. */
export async function readPlaces(send: Send) {
  const { body } = await send('GET', '/api/v1/countries?use_legacy_codes=false');
  const places: Record<string, { country_id: string; office_id: string }> = {};
  for (const country of body) {
    for (const office of country.offices) places[office.name] = { country_id: country._id, office_id: office._id };
  }
  const of = (name: string) => places[name] ?? { country_id: '', office_id: '' };
  return { oslo: of('Oslo'), bergen: of('Bergen'), stockholm: of('Stockholm') };
}

export async function readTags(send: Send) {
  const { body } = await send('GET', '/api/v1/masterdata/custom_tags/custom_tag_category');
  const find = (external: string) =>
    body.find((item: { external_unique_id: string }) => item.external_unique_id === external);
  const tag = (category: string, external: string): string =>
    find(category).custom_tags.find((item: { external_unique_id: string }) => item.external_unique_id === external).id;
  return {
    unit: find('unit').id as string,
    hidden: find('hidden').id as string,
    north: tag('unit', 'north'),
    south: tag('unit', 'south'),
    secret: tag('hidden', 'secret'),
  };
}

export async function findUser(send: Send, external: string) {
  return (await send('GET', `/api/v1/users/find?external_unique_id=${external}`)).body;
}
