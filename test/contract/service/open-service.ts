import { basename } from 'node:path';
import { expect } from 'vitest';
import { createSandbox, type SandboxOptions } from '../../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../../closing.js';
import { expectDescribed } from './described.js';
import { noteCalls } from './held-endpoints.js';

/** An account with a person per role, a record of each kind, and a key per role. */
export const ACCOUNT: NonNullable<SandboxOptions['fixture']> = {
  account: {
    subdomain: 'acme',
    languages: ['en', 'no', 'sv'],
    whitelisted_domains: ['example.com'],
    reports: { delay_ms: 40 },
    imports: {
      default: { missing: 'keep' },
      strict: { missing: 'deactivate', default_country: 'no', tag_columns: { Unit: 'unit' } },
      clean: { missing: 'remove', default_country: 'no', default_office: 'Oslo' },
    },
  },
  keys: [
    { key: 'admin', name: 'Admin', role: 'internationalmanager' },
    { key: 'reader', name: 'Reader', role: 'readonly_internationalmanager' },
    { key: 'norway', name: 'Norway', role: 'countrymanager', country: 'no' },
    { key: 'references', name: 'References', role: 'referencemanager' },
    { key: 'oslo', name: 'Oslo', role: 'departmentmanager', offices: [{ country: 'no', name: 'Oslo' }] },
    { key: 'plain', name: 'Plain', role: 'consultant' },
    { key: 'proposals', name: 'Proposals', role: 'readonly_proposal' },
    { key: 'anna', name: 'Anna', role: 'consultant', user: 'anna@example.com' },
    { key: 'limited', name: 'Limited', role: 'limited_access', user: 'bjorn@example.com' },
    { key: 'external', name: 'External', role: 'external', user: 'ext@partner.test' },
    { key: 'off', name: 'Off', role: 'internationalmanager', disabled: true },
  ],
  countries: [
    { code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }, { name: 'Bergen' }] },
    { code: 'se', native_language_code: 'sv', offices: [{ name: 'Stockholm' }] },
  ],
  industries: [{ values: { en: 'Energy', no: 'Energi' }, external_unique_id: 'energy' }],
  custom_fields: [
    { field_name: 'headcount', field_type: 'numeric', field_label: { en: 'Headcount' } },
    { field_name: 'value', field_type: 'currency_amount' },
    {
      field_name: 'stage',
      field_type: 'single_select',
      options: [
        { external_unique_id: 's1', name: { en: 'One' } },
        { external_unique_id: 's2', name: { en: 'Two' } },
      ],
    },
    { field_name: 'volume', field_type: 'quantity', units: ['m2', 'kg'] },
    { field_name: 'period', field_type: 'year_month_range' },
  ],
  tag_categories: [
    {
      values: { en: 'Unit', no: 'Enhet' },
      external_unique_id: 'unit',
      custom_tags: [
        { values: { en: 'North', no: 'Nord' }, external_unique_id: 'north' },
        { values: { en: 'South', no: 'Sør' }, external_unique_id: 'south' },
      ],
    },
    {
      values: { en: 'Hidden' },
      external_unique_id: 'hidden',
      can_be_used_for_cvs: false,
      can_be_used_for_references: false,
      can_be_used_for_customers: false,
      lock_for_integrations: true,
      custom_tags: [{ values: { en: 'Secret' }, external_unique_id: 'secret' }],
    },
  ],
  users: [
    {
      email: 'anna@example.com',
      name: 'Anna Åsen',
      external_unique_id: 'E1',
      upn: 'anna@example.com',
      title: { en: 'Engineer', no: 'Ingeniør' },
      country: 'no',
      office: 'Oslo',
      cv: {
        sections: {
          technologies: [{ category: { en: 'Languages' }, technology_skills: [{ tags: { en: 'TypeScript' } }] }],
          educations: [{ school: { en: 'NTNU' }, degree: { en: 'MSc' }, year_from: '2001', year_to: '2006' }],
        },
      },
    },
    {
      email: 'bjorn@example.com',
      name: 'Bjørn Berg',
      external_unique_id: 'E2',
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
    { email: 'sven@example.com', name: 'Sven Svensson', external_unique_id: 'E5', country: 'se', office: 'Stockholm' },
  ],
  customers: [
    {
      external_unique_id: 'C1',
      customer_name: { en: 'Fjord Power', no: 'Fjordkraft' },
      customer_description: { en: 'A utility' },
      industry: 'energy',
      projects: [
        {
          external_unique_id: 'P1',
          project_name: { en: 'Dam' },
          project_description: { en: 'A big dam' },
          project_introduction: { en: 'Water' },
          type: { en: 'Design' },
          contract_type: { en: 'Fixed' },
          project_address: 'Riverside 1',
          location_country_code: 'no',
          extent_amt: '1000',
          extent_currency: 'nok',
          extent_hours_new: '12.5',
          total_extent_amt: '5000',
          total_extent_currency: 'eur',
          total_extent_hours: '400',
          area_amt: '70',
          area_unit: 'm2',
          month_from: '3',
          year_from: '2020',
          month_to: '9',
          year_to: '2022',
          workflow_stage: 'live',
          customer_value_propositions: [{ value: { en: 'Off' }, disabled: true }, { value: { en: 'Clean power' } }],
          customer_contacts: [{ name: 'Kari Kunde' }, { name: 'Hidden', disabled: true }],
        },
        {
          external_unique_id: 'P2',
          project_name: { en: 'Tunnel' },
          owners: ['anna@example.com'],
          offices: [{ country: 'no', name: 'Oslo' }],
        },
      ],
    },
  ],
};

export interface Reply {
  readonly status: number;
  // Expectations are written by hand, so the types of answers stay open here.
  readonly body: ReturnType<JSON['parse']>;
  readonly headers: Headers;
  readonly text: string;
}

export interface Extra {
  /** The key for the call; `null` sends no Authorization header. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged with this Content-Type. */
  readonly raw?: { readonly text: string; readonly type: string };
}

/** Plain HTTP with a method, a path, a body and a key. */
export async function request(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  extra: Extra = {},
): Promise<Reply> {
  const { key = 'admin', raw } = extra;
  const type = raw?.type ?? (body === undefined ? undefined : 'application/json');
  const content = raw?.text ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(base + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...extra.headers,
    },
    ...(content === undefined ? {} : { body: content }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, body: isJson ? JSON.parse(text) : undefined, headers: response.headers, text };
}

/** The service of that account, closed after the test. */
export async function openService(options: SandboxOptions = {}) {
  const sandbox = await createSandbox({ fixture: ACCOUNT, ...options });
  const testFile = basename(expect.getState().testPath ?? '');
  closeAfterTest({
    close() {
      noteCalls(testFile, sandbox.calls());
      return sandbox.close();
    },
  });
  const base = sandbox.url;
  async function send(method: string, path: string, body?: unknown, extra?: Extra): Promise<Reply> {
    const reply = await request(base, method, path, body, extra);
    const call = sandbox.calls().findLast(({ requestId }) => requestId === reply.headers.get('x-request-id'));
    // An answer with an injected fault says nothing about the service.
    if (call !== undefined && reply.body !== undefined && reply.body.error !== 'injected fault') {
      expectDescribed({ method, route: call.route, status: reply.status, body: reply.body });
    }
    return reply;
  }
  const control = (method: string, path: string, body?: unknown): Promise<Reply> =>
    request(base, method, `/__sandbox/${path}`, body, { key: null, headers: { 'x-control-key': sandbox.controlKey } });
  return { base, send, control, controlKey: sandbox.controlKey, close: () => sandbox.close() };
}

export type Service = Awaited<ReturnType<typeof openService>>;

export async function findUser({ send }: Service, external: string) {
  const { body } = await send('GET', `/api/v1/users/find?external_unique_id=${external}`);
  return { ...body, cv: `/api/v3/cvs/${body.user_id}/${body.default_cv_id}` };
}

export async function findCustomer({ send }: Service, external = 'C1') {
  const { body } = await send('GET', `/api/v2/company/cv/customers/find?external_unique_id=${external}`);
  return { ...body, path: `/api/v2/company/cv/customers/${body.id}` };
}

export async function findProject(service: Service, external: string) {
  const { body } = await service.send('GET', `/api/v2/company/cv/projects/find?external_unique_id=${external}`);
  return { ...body, path: `/api/v2/company/cv/customers/${body.company_customer_id}/projects/${body.id}` };
}

export async function findPlaces({ send }: Service) {
  const { body } = await send('GET', '/api/v1/countries?use_legacy_codes=false');
  const places: Record<string, { country_id: string; office_id: string }> = {};
  for (const country of body) {
    for (const office of country.offices) places[office.name] = { country_id: country._id, office_id: office._id };
  }
  const of = (name: string) => places[name] ?? { country_id: '', office_id: '' };
  return { oslo: of('Oslo'), bergen: of('Bergen'), stockholm: of('Stockholm') };
}

export async function findTags({ send }: Service) {
  const { body } = await send('GET', '/api/v1/masterdata/custom_tags/custom_tag_category');
  const category = (external: string) =>
    body.find((one: { external_unique_id: string }) => one.external_unique_id === external);
  const tag = (of: string, external: string): string =>
    category(of).custom_tags.find((one: { external_unique_id: string }) => one.external_unique_id === external).id;
  return {
    unit: category('unit').id as string,
    hidden: category('hidden').id as string,
    north: tag('unit', 'north'),
    south: tag('unit', 'south'),
    secret: tag('hidden', 'secret'),
  };
}
