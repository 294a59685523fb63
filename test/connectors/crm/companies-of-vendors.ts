import { createDynamics, type DynamicsOptions } from './imitations/dynamics.js';
import { createHubspot, type HubspotOptions } from './imitations/hubspot.js';
import { createSalesforce, type SalesforceOptions } from './imitations/salesforce.js';
import type { VendorServer } from './imitations/vendor-server.js';
import { openPreset, type Preset, startTime, type Time } from './vendor.js';

/** A vendor’s system with companies `c0`, `c1`, …, and the edits that people make there. */
export interface Company {
  readonly server: VendorServer;
  readonly time: Time;
  readonly feed: Preset;
  /** Ids in the order of the names. */
  readonly ids: readonly string[];
  create(name: string): string;
  rename(id: string, name: string): void;
  remove(id: string): void;
  nameOf(id: string): unknown;
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `c${at}`);
const MINUTE = 60_000;

export async function openHubspot(
  count: number,
  stream = 'companies',
  timeout?: string,
  { streams = '', version, ...rest }: HubspotOptions & { readonly streams?: string; readonly version?: string } = {},
): Promise<Company & { readonly hubspot: Awaited<ReturnType<typeof createHubspot>> }> {
  const time = startTime();
  const hubspot = await createHubspot({
    now: () => time.now,
    companies: names(count).map((name, at) => ({ id: String(100 + at), properties: { name } })),
    searchesPerSecond: 5,
    ...rest,
  });
  const feed = openPreset(
    hubspot,
    time,
    `preset: hubspot, auth: { bearer: { env: CRM_SECRET } }${streams === '' ? '' : `, streams: ${streams}`}${version === undefined ? '' : `, api_version: ${version}`}`,
    stream,
    hubspot.token,
    timeout,
  );
  return {
    hubspot,
    server: hubspot,
    time,
    feed,
    ids: hubspot.data.rows('companies').map(({ id }) => id),
    create: (name) => hubspot.data.create('companies', { properties: { name } }).id,
    rename: (id, name) => void hubspot.data.update('companies', id, { name }),
    remove: (id) => void hubspot.data.archive('companies', id),
    nameOf: (id) => hubspot.data.find('companies', id)?.properties.name,
  };
}

/** Fields that an account shows even when they are empty. */
const ACCOUNT = {
  Website: null,
  Industry: null,
  Phone: null,
  BillingCity: null,
  Description: null,
  NumberOfEmployees: null,
};

export async function openSalesforce(
  count: number,
  {
    streams: more,
    timeout,
    ...rest
  }: SalesforceOptions & { readonly streams?: string; readonly timeout?: string } = {},
): Promise<Company & { readonly salesforce: Awaited<ReturnType<typeof createSalesforce>> }> {
  const time = startTime();
  const salesforce = await createSalesforce({
    now: () => time.now,
    batchSize: 200,
    Account: names(count).map((Name) => ({ ...ACCOUNT, Name })),
    ...rest,
  });
  const oauth = `token_url: "${salesforce.url}/services/oauth2/token", client_id: ${salesforce.clientId}, client_secret: { env: CRM_SECRET }`;
  const streams = more === undefined ? '' : `, streams: ${more}`;
  const feed = openPreset(
    salesforce,
    time,
    `preset: salesforce, auth: { oauth2: { ${oauth} } }${streams}`,
    'companies',
    salesforce.clientSecret,
    timeout,
  );
  return {
    salesforce,
    server: salesforce,
    time,
    feed,
    ids: salesforce.data.rows('Account').map(({ Id }) => Id),
    create: (Name) => salesforce.data.create('Account', { ...ACCOUNT, Name }).Id,
    rename: (id, Name) => void salesforce.data.update('Account', id, { Name }),
    remove: (id) => void salesforce.data.remove('Account', id),
    nameOf: (id) => salesforce.data.find('Account', id)?.Name,
  };
}

const COLUMNS = {
  address1_city: null,
  address1_country: null,
  description: null,
  numberofemployees: null,
  websiteurl: null,
  telephone1: null,
  industrycode: null,
};

export async function openDynamics(
  count: number,
  timeout?: string,
  { streams: more, ...rest }: DynamicsOptions & { readonly streams?: string } = {},
): Promise<Company & { readonly dynamics: Awaited<ReturnType<typeof createDynamics>> }> {
  const time = startTime();
  const dynamics = await createDynamics({
    now: () => time.now,
    accounts: names(count).map((name) => ({ ...COLUMNS, name })),
    ...rest,
  });
  const oauth = `token_url: "${dynamics.tokenUrl}", client_id: ${dynamics.clientId}, client_secret: { env: CRM_SECRET }, scope: "${dynamics.url}/.default"`;
  const feed = openPreset(
    dynamics,
    time,
    `preset: dynamics, auth: { oauth2: { ${oauth} } }${more === undefined ? '' : `, streams: ${more}`}`,
    'companies',
    dynamics.clientSecret,
    timeout,
  );
  return {
    dynamics,
    server: dynamics,
    time,
    feed,
    ids: dynamics.data.rows('accounts').map(({ id }) => id),
    create: (name) => dynamics.data.create('accounts', { ...COLUMNS, name }).id,
    rename: (id, name) => void dynamics.data.update('accounts', id, { name }),
    remove: (id) => void dynamics.data.remove('accounts', id),
    nameOf: (id) => dynamics.data.find('accounts', id)?.columns.name,
  };
}

/** Each vendor, by default with slightly more companies than one page of a complete read holds. */
export const VENDORS: readonly (readonly [string, (count?: number, timeout?: string) => Promise<Company>])[] = [
  ['HubSpot', (count = 110, timeout) => openHubspot(count, 'companies', timeout)],
  ['Salesforce', (count = 210, timeout) => openSalesforce(count, timeout === undefined ? {} : { timeout })],
  ['Dynamics', (count = 1_010, timeout) => openDynamics(count, timeout)],
];

export const passMinutes = (company: Company, minutes: number): void => {
  company.time.now += minutes * MINUTE;
};
