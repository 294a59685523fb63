import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { closeAfterTest } from '../closing.js';
import { createDynamics } from '../connectors/crm/imitations/dynamics.js';
import { createHubspot } from '../connectors/crm/imitations/hubspot.js';
import { createSalesforce } from '../connectors/crm/imitations/salesforce.js';
import type { Now, VendorRequest, VendorServer } from '../connectors/crm/imitations/vendor-server.js';
import { listenOnLoopback } from '../loopback.js';
import type { Yaml } from './company.js';

/** A deal's cells, by the names of their columns. */
export type DealCells = Readonly<Record<string, string | null>>;

/** A CRM over HTTP, with one customer and the deals that a story gives it. */
export interface Crm {
  /** The configuration of `sources.crm`. */
  readonly source: Yaml;
  readonly secret: string;
  /** The CRM's words for the stage of a deal; two of them mean won. */
  readonly words: Readonly<Record<'bid' | 'won' | 'partlyWon' | 'lost', string>>;
  /** Maximum of records per call. */
  readonly perCall: number;
  addDeal(cells: DealCells): string;
  edit(id: string, cells: DealCells): void;
  deal(id: string): DealCells;
  /** The number of records in each writing call since the last look. */
  takeTold(): readonly number[];
}

export interface Feed extends Crm {
  remove(id: string): void;
  /** Answers every call with that status; null: normally. */
  fail(status: number | null): void;
  failWrites(status: number): void;
}

const OWN = ['talent_id', 'talent_stage', 'people', 'sector', 'talent_link', 'owner_email', 'remark'] as const;
const OPTIONAL_TEXT = { type: 'string', optional: true };

/** Records the calls that write, each with its records. */
function createTeller(server: Pick<VendorServer, 'requests'>, list: string): () => readonly number[] {
  let seen = 0;
  return () => {
    const calls = server.requests.slice(seen).filter(isWrite);
    seen = server.requests.length;
    return calls.map(({ body }) => {
      const records = (JSON.parse(body) as Readonly<Record<string, unknown>>)[list];
      return Array.isArray(records) ? records.length : 1;
    });
  };
}

function isWrite({ method, path }: Pick<VendorRequest, 'method' | 'path'>): boolean {
  return method === 'PATCH' || /batch\/update$/.test(path);
}

/** Maps columns to the vendor's properties, and back. */
function rename(cells: DealCells, names: Readonly<Record<string, string>>): DealCells {
  return Object.fromEntries(Object.entries(cells).map(([name, value]) => [names[name] ?? name, value]));
}

export async function openHubspot(now: Now): Promise<Crm> {
  const names = { name: 'dealname', stage: 'dealstage' };
  const hubspot = await createHubspot({ now, companies: [{ id: '100', properties: { name: 'Fjord Power' } }] });
  closeAfterTest(hubspot);
  const find = (id: string) => hubspot.data.find('deals', id)?.properties ?? {};
  return {
    source: {
      type: 'crm',
      preset: 'hubspot',
      base_url: hubspot.url,
      auth: { bearer: { env: 'IDP_TOKEN' } },
      streams: { deals: { properties: OWN, write_back: true } },
    },
    secret: hubspot.token,
    words: { bid: 'presentationscheduled', won: 'closedwon', partlyWon: 'partlywon', lost: 'closedlost' },
    perCall: 100,
    addDeal(cells) {
      const properties = { hs_primary_associated_company: '100', ...rename(cells, names) };
      return hubspot.data.create('deals', { properties }).id;
    },
    edit: (id, cells) => void hubspot.data.update('deals', id, rename(cells, names)),
    deal: (id) => rename(find(id), { dealname: 'name', dealstage: 'stage' }),
    takeTold: createTeller(hubspot, 'inputs'),
  };
}

export async function openSalesforce(now: Now): Promise<Crm> {
  const own = Object.fromEntries(OWN.map((name) => [name, `${name}__c`]));
  const names = { name: 'Name', stage: 'StageName', ...own };
  const back = Object.fromEntries(Object.entries(names).map(([column, property]) => [property, column]));
  const ACCOUNT = { Phone: null, BillingCity: null, Description: null, NumberOfEmployees: null };
  const salesforce = await createSalesforce({ now, Account: [{ ...ACCOUNT, Name: 'Fjord Power' }] });
  closeAfterTest(salesforce);
  const AccountId = salesforce.data.rows('Account')[0]?.Id ?? '';
  const oauth2 = {
    token_url: `${salesforce.url}/services/oauth2/token`,
    client_id: salesforce.clientId,
    client_secret: { env: 'IDP_TOKEN' },
  };
  const blank = Object.fromEntries(Object.values(own).map((property) => [property, null]));
  return {
    source: {
      type: 'crm',
      preset: 'salesforce',
      base_url: salesforce.url,
      auth: { oauth2 },
      streams: {
        deals: {
          columns: Object.fromEntries(OWN.map((name) => [name, { ...OPTIONAL_TEXT, from: `/${name}__c` }])),
          write_back: true,
        },
      },
    },
    secret: salesforce.clientSecret,
    words: { bid: 'Proposal/Price Quote', won: 'Closed Won', partlyWon: 'Partly Won', lost: 'Closed Lost' },
    perCall: 200,
    addDeal(cells) {
      const fields = { ...blank, Amount: null, CloseDate: null, IsClosed: false, IsWon: false, Description: null };
      return salesforce.data.create('Opportunity', { ...fields, AccountId, ...rename(cells, names) }).Id;
    },
    edit: (id, cells) => void salesforce.data.update('Opportunity', id, rename(cells, names)),
    deal: (id) => rename((salesforce.data.find('Opportunity', id) ?? {}) as DealCells, back),
    takeTold: createTeller(salesforce, 'records'),
  };
}

/** The stage that people see is a column of the customer's own: won and lost are actions of Dynamics. */
export async function openDynamics(now: Now): Promise<Crm> {
  const own = Object.fromEntries(OWN.map((name) => [name, `acme_${name.replace('_', '')}`]));
  const names = { ...own, stage: 'acme_stage' };
  const back = Object.fromEntries(Object.entries(names).map(([column, property]) => [property, column]));
  const ACCOUNT = { address1_city: null, address1_country: null, description: null, numberofemployees: null };
  const dynamics = await createDynamics({ now, accounts: [{ ...ACCOUNT, name: 'Fjord Power' }] });
  closeAfterTest(dynamics);
  const customer = dynamics.data.rows('accounts')[0]?.id ?? '';
  const oauth2 = {
    token_url: dynamics.tokenUrl,
    client_id: dynamics.clientId,
    client_secret: { env: 'IDP_TOKEN' },
    scope: `${dynamics.url}/.default`,
  };
  const blank = Object.fromEntries(Object.values(names).map((property) => [property, null]));
  return {
    source: {
      type: 'crm',
      preset: 'dynamics',
      base_url: dynamics.url,
      auth: { oauth2 },
      streams: {
        deals: {
          columns: Object.fromEntries(
            Object.entries(names).map(([name, property]) => [name, { ...OPTIONAL_TEXT, from: `/${property}` }]),
          ),
          write_back: true,
        },
      },
    },
    secret: dynamics.clientSecret,
    words: { bid: 'Bid', won: 'Won', partlyWon: 'Partly won', lost: 'Lost' },
    perCall: 1,
    addDeal(cells) {
      const columns = { ...blank, _parentaccountid_value: customer, stepname: null, ...rename(cells, names) };
      return dynamics.data.create('opportunities', columns).id;
    },
    edit: (id, cells) => void dynamics.data.update('opportunities', id, rename(cells, names)),
    deal: (id) => rename((dynamics.data.find('opportunities', id)?.columns ?? {}) as DealCells, back),
    takeTold: createTeller(dynamics, ''),
  };
}

/** A home-made JSON interface: `GET /deals`, and `PATCH /deals/<id>` with the changes. */
export async function openFeed(now: Now): Promise<Feed> {
  let failing: { readonly status: number; readonly writes: boolean } | null = null;
  const deals = new Map<string, DealCells>();
  const requests: VendorRequest[] = [];
  const edit = (id: string, cells: DealCells): void => {
    deals.set(id, { ...deals.get(id), ...cells, modified: new Date(now()).toISOString() });
  };
  const server = createServer(async (incoming, response) => {
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '/', 'http://crm');
    const request = {
      method: incoming.method ?? '',
      path,
      query,
      headers: incoming.headers,
      body: await text(incoming),
    };
    if (failing !== null && (isWrite(request) || !failing.writes)) {
      response.writeHead(failing.status).end();
      return;
    }
    requests.push(request);
    const id = path.split('/')[2] ?? '';
    if (isWrite(request)) edit(id, JSON.parse(request.body) as DealCells);
    const rows = path === '/companies' ? [{ id: 'C1', name: 'Fjord Power' }] : [...deals.values()];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isWrite(request) ? deals.get(id) : { rows, total: rows.length }));
  });
  const listing = { rows: '/rows', total: '/total', next: 'none', key: 'id' };
  const columns = [...OWN, 'customer_id', 'stage'].map((name) => [name, OPTIONAL_TEXT] as const);
  return {
    source: {
      type: 'crm',
      base_url: await listenOnLoopback(server),
      auth: { bearer: { env: 'IDP_TOKEN' } },
      streams: {
        companies: { path: '/companies', ...listing, columns: { id: 'string', name: 'string' } },
        deals: {
          path: '/deals',
          ...listing,
          columns: {
            id: 'string',
            name: 'string',
            modified: { type: 'datetime', optional: true },
            ...Object.fromEntries(columns),
          },
          write_back: true,
        },
      },
    },
    secret: 'token',
    words: { bid: 'bid', won: 'won', partlyWon: 'won in part', lost: 'lost' },
    perCall: 1,
    addDeal(cells) {
      const id = `D${deals.size + 1}`;
      edit(id, { id, customer_id: 'C1', ...cells });
      return id;
    },
    edit,
    deal: (id) => deals.get(id) ?? {},
    takeTold: createTeller({ requests }, ''),
    remove: (id) => void deals.delete(id),
    fail: (status) => {
      failing = status === null ? null : { status, writes: false };
    },
    failWrites: (status) => {
      failing = { status, writes: true };
    },
  };
}

export const CRMS: readonly (readonly [string, (now: Now) => Promise<Crm>])[] = [
  ['HubSpot', openHubspot],
  ['Salesforce', openSalesforce],
  ['Dynamics', openDynamics],
  ['a feed', openFeed],
];
