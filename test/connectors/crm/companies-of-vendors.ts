import { createDynamics } from './imitations/dynamics.js';
import { createHubspot } from './imitations/hubspot.js';
import { createSalesforce } from './imitations/salesforce.js';
import type { VendorServer } from './imitations/vendor-server.js';
import { openPreset, type Preset, startTime, type Time } from './vendor.js';

/** A vendor's system with companies `c0`, `c1`, …, and what a person does there. */
export interface Company {
  readonly server: VendorServer;
  readonly time: Time;
  readonly feed: Preset;
  /** Ids in the order of the names. */
  readonly ids: readonly string[];
  create(name: string): string;
  rename(id: string, name: string): void;
  remove(id: string): void;
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `c${at}`);
const MINUTE = 60_000;

export async function openHubspot(
  count: number,
  stream = 'companies',
  timeout?: string,
): Promise<Company & { readonly hubspot: Awaited<ReturnType<typeof createHubspot>> }> {
  const time = startTime();
  const hubspot = await createHubspot({
    now: () => time.now,
    companies: names(count).map((name, at) => ({ id: String(100 + at), properties: { name } })),
    searchesPerSecond: 5,
  });
  const feed = openPreset(
    hubspot,
    time,
    'preset: hubspot, auth: { bearer: { env: CRM_SECRET } }',
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
  };
}

/** Fields that an account without them still has. */
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
  rest: { readonly apiLimit?: number; readonly streams?: string; readonly timeout?: string } = {},
): Promise<Company & { readonly salesforce: Awaited<ReturnType<typeof createSalesforce>> }> {
  const time = startTime();
  const salesforce = await createSalesforce({
    now: () => time.now,
    batchSize: 200,
    ...(rest.apiLimit === undefined ? {} : { apiLimit: rest.apiLimit }),
    Account: names(count).map((Name) => ({ ...ACCOUNT, Name })),
  });
  const oauth = `token_url: "${salesforce.url}/services/oauth2/token", client_id: ${salesforce.clientId}, client_secret: { env: CRM_SECRET }`;
  const streams = rest.streams === undefined ? '' : `, streams: ${rest.streams}`;
  const feed = openPreset(
    salesforce,
    time,
    `preset: salesforce, auth: { oauth2: { ${oauth} } }${streams}`,
    'companies',
    salesforce.clientSecret,
    rest.timeout,
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
): Promise<Company & { readonly dynamics: Awaited<ReturnType<typeof createDynamics>> }> {
  const time = startTime();
  const dynamics = await createDynamics({
    now: () => time.now,
    accounts: names(count).map((name) => ({ ...COLUMNS, name })),
  });
  const oauth = `token_url: "${dynamics.tokenUrl}", client_id: ${dynamics.clientId}, client_secret: { env: CRM_SECRET }, scope: "${dynamics.url}/.default"`;
  const feed = openPreset(
    dynamics,
    time,
    `preset: dynamics, auth: { oauth2: { ${oauth} } }`,
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
  };
}

/** Each vendor, by default with a bit more than a page of a whole read. */
export const VENDORS: readonly (readonly [string, (count?: number, timeout?: string) => Promise<Company>])[] = [
  ['HubSpot', (count = 110, timeout) => openHubspot(count, 'companies', timeout)],
  ['Salesforce', (count = 210, timeout) => openSalesforce(count, timeout === undefined ? {} : { timeout })],
  ['Dynamics', (count = 1_010, timeout) => openDynamics(count, timeout)],
];

export const passMinutes = (company: Company, minutes: number): void => {
  company.time.now += minutes * MINUTE;
};
