import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Connector } from '../../src/connectors/connector.js';
import { createConnectors } from '../../src/connectors/create-connectors.js';
import { VENDORS } from '../../src/connectors/crm/vendors/vendors.js';
import { PEOPLE_VENDOR_NAMES, PEOPLE_VENDORS } from '../../src/connectors/hris/vendors.js';
import type { HttpAuth } from '../../src/connectors/http/resolve-http.js';
import type { SourceConfig } from '../../src/connectors/kinds.js';
import type { NextPage } from '../../src/connectors/listed/listed-stream.js';
import { closeAfterTest } from '../closing.js';
import { loadSample, SAMPLE } from '../config/sample.js';
import { buildContext, NOTHING_PUSHED } from '../connectors/fixtures.js';
import { listenOnLoopback } from '../loopback.js';

export const TOKEN = 'a-token-nobody-else-may-see';
const ENV = { TALENT_API_KEY: 'key', IDP_TOKEN: 'token', SOURCE_TOKEN: TOKEN };

type Build = (at: string) => string;

/** Ways to the next page of a feed. A new way does not compile without a line here. */
const NEXT: Readonly<Record<NextPage['kind'], string>> = {
  none: 'none',
  link: '{ link: /next }',
  token: '{ token: /next, parameter: after }',
  offset: '{ offset: skip }',
  page: '{ page: page, first: 0 }',
  header: '{ header: link }',
};

const feedOf = (next: string): Build => {
  const columns = '{ id: string, name: { type: string, optional: true } }';
  return (at) =>
    `type: crm, ${at}, streams: { rows: { path: /rows, rows: /results, next: ${next}, key: id, columns: ${columns} } }`;
};

const CRMS: readonly (readonly [string, Build])[] = [
  ...Object.entries(NEXT).map(([kind, next]) => [`crm, next by ${kind}`, feedOf(next)] as const),
  ...Object.entries(VENDORS).map(
    ([
      preset,
      {
        preset: { streams },
      },
    ]): readonly [string, Build] => [
      `crm, preset ${preset}`,
      (at) => `type: crm, ${at}, preset: ${preset}, streams: { ${Object.keys(streams)[0]}: {} }`,
    ],
  ),
];

/** Every kind of source. A new kind does not compile without a line here. */
const KINDS: Readonly<Record<SourceConfig['type'], readonly (readonly [string, Build])[]>> = {
  crm: CRMS,
  scim: ['index', 'cursor'].flatMap((paging) =>
    ['user', 'groups'].map((from): readonly [string, Build] => [
      `scim by ${paging}, memberships of the ${from}`,
      (at) => `type: scim, ${at}, paging: ${paging}, memberships: ${from}`,
    ]),
  ),
  hris: PEOPLE_VENDOR_NAMES.map((preset) => [`hris, preset ${preset}`, (at) => `type: hris, ${at}, preset: ${preset}`]),
  // Files, and pushed data: nothing is read over HTTP.
  csv: [],
  json: [],
  'scim-push': [],
};

export const SOURCES = Object.values(KINDS).flat();

/** Sources that prove nobody's absence, however complete their lists are. */
export const PROVES_NO_ABSENCE: ReadonlySet<string> = new Set(
  PEOPLE_VENDOR_NAMES.filter((preset) => PEOPLE_VENDORS[preset].absence !== null).map(
    (preset) => `hris, preset ${preset}`,
  ),
);

type AuthKind = HttpAuth extends infer A ? (A extends unknown ? keyof A : never) : never;
const SECRET = '{ env: SOURCE_TOKEN }';
/** Every kind of login, with the address of the server that issues tokens. */
export const LOGINS: Readonly<Record<AuthKind, (tokenUrl: string) => string>> = {
  bearer: () => `{ bearer: ${SECRET} }`,
  basic: () => `{ basic: { username: sync, password: ${SECRET} } }`,
  header: () => `{ header: { name: X-Api-Key, value: ${SECRET} } }`,
  oauth2: (url) => `{ oauth2: { token_url: "${url}/token", client_id: sync, client_secret: ${SECRET} } }`,
};

/** All streams of a source, built from a configuration. */
export async function openSource(
  build: Build,
  url: string,
  login: keyof typeof LOGINS = 'bearer',
  timeout = '5s',
): Promise<readonly Connector[]> {
  const at = `base_url: "${url}", timeout: ${timeout}, auth: ${LOGINS[login](url)}`;
  const text = SAMPLE.replace('\nusers:', `\n  tried: { ${build(at)} }\nusers:`);
  const config = loadSample(text, ENV);
  const { tried } = config.sources;
  if (tried === undefined) throw new Error('the source is not in the configuration');
  const connectors = [
    ...(await createConnectors({ ...config, sources: { tried } }, buildContext(), NOTHING_PUSHED)).values(),
  ];
  for (const connector of connectors) closeAfterTest(connector);
  return connectors;
}

export const IDS: readonly string[] = ['k1', 'k2', 'k3', 'k4'];
const STAMPS = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z', meta: { x: [1, { y: null }] } };
/** A person of each HR system. */
const personOf = (id: string) => ({
  ...{ attributes: { id: { value: id }, status: { value: 'active' } } },
  ...{ employeeId: id, status: 'Active' },
  ...{ [['', 'root', 'id'].join('/')]: id, '/internal/lifecycleStatus': 'employed' },
});
const ROWS = IDS.map((id) => ({
  ...personOf(id),
  ...{
    id,
    Id: id,
    accountid: id,
    userId: id,
    name: id,
    Name: id,
    userName: id,
    properties: { name: id },
    members: [{ value: 'k1' }],
  },
  ...STAMPS,
}));
const LISTS = {
  results: ROWS,
  data: ROWS,
  employees: ROWS,
  total: 4,
  metadata: { total_elements: 4 },
  records: ROWS,
  value: ROWS,
  Report_Entry: ROWS,
  d: { results: ROWS },
  Resources: ROWS,
  totalResults: 4,
  totalSize: 4,
};
const WHOLE = JSON.stringify({ ...LISTS, next: null, nextRecordsUrl: null, done: true, paging: null });

/**
 * The answer that every kind of source reads as a complete list of `IDS`; null for a request that is not for the list.
 */
export function answerHonestly({ url = '' }: IncomingMessage): string | null {
  if (/ServiceProviderConfig|\/Users\/k/.test(url)) return null;
  if (/archived=true|skip=4|page=1/.test(url))
    return WHOLE.replaceAll(/"(results)":\[.*?\],"records"/g, '"$1":[],"records"');
  return WHOLE;
}

export interface Listener {
  readonly url: string;
  readonly port: string;
  readonly requests: IncomingMessage[];
}

export async function listen(respond: (request: IncomingMessage, response: ServerResponse) => void): Promise<Listener> {
  const requests: IncomingMessage[] = [];
  const url = await listenOnLoopback(
    createServer((request, response) => {
      requests.push(request);
      request.resume();
      respond(request, response);
    }),
  );
  return { url, port: new URL(url).port, requests };
}

/** A page that every kind of source can read, with the same link wherever a source looks for the next page. */
export function sendPage(response: ServerResponse, link: string, id: string): void {
  const row = { id, Id: id, accountid: id, name: 'x', Name: 'x', userName: id, properties: { name: 'x' } };
  const page = { results: [row], records: [row], value: [row], Resources: [row], totalResults: 9, totalSize: 9 };
  const next = {
    next: link,
    nextRecordsUrl: link,
    '@odata.nextLink': link,
    '@odata.deltaLink': link,
    nextCursor: link,
  };
  const header = /^[\x21-\x7e]+$/.test(link) ? { link: `<${link}>; rel="next"` } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...header });
  response.end(JSON.stringify({ ...page, ...next, done: false, paging: { next: { after: link, link } } }));
}
