// An identity provider that pushes people into a daemon, pages through its lists and searches for people, over real HTTP.
// The same requests go to a server that answers an empty object. Only the server's own processor time is measured.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPerson, ENTERPRISE, toScimUser } from './company.mjs';
import { main, startLeanService, startMeasured } from './measure.mjs';

const TOKEN = 'bench-token-of-an-identity-provider';
const CLIENTS = 8;
const PAGE = 100;
const MEMBERS_A_GROUP = 500;
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const empty = new URL('empty-server.mjs', import.meta.url).pathname;

const buildDaemonConfig = (url) => `service:
  base_url: ${url}
  api_key: { env: API_KEY }
state: ./state
policy: sync
schedule: { every: "0 3 1 1 *" }
sources:
  idp:
    type: scim-push
    tokens: [{ env: IDP_TOKEN }]
    key: externalId
users:
  existence: idp
  match: [external_unique_id]
  leaver: { when: record.active == false, after_missing_reads: 0 }
  fields:
    external_unique_id: record.?externalId
    email: record.?email
    name: record.?displayName
    office: { country: record.?country, name: record.?department }
`;

/** A person in the form that Entra ID sends. */
function buildPushed(index) {
  const row = buildPerson(index, 0);
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
    ...toScimUser(row),
  };
}

function createClient(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' };
  const call = ([method, path, body]) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const length = sent === undefined ? {} : { 'content-length': sent.length };
      request(`${url}${path}`, { method, agent, headers: { ...headers, ...length } }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode < 400) resolve(text === '' ? {} : JSON.parse(text));
          else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`));
        });
      })
        .on('error', reject)
        .end(sent);
    });
  return {
    /** Sends the requests, several at a time, and returns the answers in their order. */
    async send(requests) {
      const answers = [];
      const left = requests.entries();
      const work = async () => {
        for (const [index, one] of left) answers[index] = await call(one);
      };
      await Promise.all(Array.from({ length: CLIENTS }, work));
      return answers;
    },
    close: () => agent.destroy(),
  };
}

const filter = (endpoint, text) => ['GET', `/${endpoint}?filter=${encodeURIComponent(text)}`];
const indexes = (count, from = 0) => Array.from({ length: count }, (_, index) => from + index);

/** The phases in order, each with its requests, which may use results of earlier phases. `expect` checks an answer. */
const PHASES = [
  { name: 'warm', requests: () => indexes(500).map(() => ['GET', '/ServiceProviderConfig']) },
  {
    name: 'post',
    requests: ({ users }) => indexes(users).map((index) => ['POST', '/Users', buildPushed(index)]),
    keep: (answers) => ({ ids: answers.map(({ id }) => id) }),
  },
  {
    name: 'groups',
    requests: ({ users, ids }) =>
      indexes(Math.ceil(users / MEMBERS_A_GROUP)).map((at) => {
        const members = ids.slice(at * MEMBERS_A_GROUP, (at + 1) * MEMBERS_A_GROUP).map((value) => ({ value }));
        return ['POST', '/Groups', { displayName: `Group ${at}`, members }];
      }),
  },
  {
    name: 'patch',
    requests: ({ asked, idAt }) =>
      indexes(asked).map((at) => [
        'PATCH',
        `/Users/${idAt(at)}`,
        { schemas: [PATCH], Operations: [{ op: 'replace', path: 'title', value: `Manager ${at % 9}` }] },
      ]),
  },
  { name: 'first pages', ...walk(() => 0) },
  { name: 'last pages', ...walk(({ users, pages }) => users - pages * PAGE) },
  ...[
    ['userName', 'Users', ({ indexAt }, at) => `userName eq "${buildPerson(indexAt(at), 0).upn}"`],
    ['externalId', 'Users', ({ indexAt }, at) => `externalId eq "${buildPerson(indexAt(at), 0).employee_id}"`],
    ['members', 'Groups', ({ idAt }, at) => `members eq "${idAt(at)}"`, '&excludedAttributes=members'],
  ].map(([name, endpoint, write, more = '']) => ({
    name,
    requests: (made) =>
      indexes(made.asked).map((at) => {
        const [method, path] = filter(endpoint, write(made, at));
        return [method, path + more];
      }),
    expect: ({ totalResults }) => totalResults === 1,
  })),
];

/** Requests consecutive pages from a position, repeatedly. */
function walk(from) {
  return {
    requests: (made) =>
      indexes(200).map((at) => {
        const start = from(made) + (at % made.pages) * PAGE + 1;
        return ['GET', `/Users?startIndex=${start}&count=${PAGE}`];
      }),
    expect: ({ itemsPerPage }) => itemsPerPage === PAGE,
  };
}

/** Milliseconds of the server's processor time per request, for each phase. */
async function measurePhases(server, url, users, isReal) {
  const client = createClient(url);
  const asked = 2_000;
  // Spread over all people, in no particular order.
  const indexAt = (at) => (at * 7_919) % users;
  const made = { users, asked, pages: Math.max(1, Math.min(10, Math.floor(users / PAGE))), indexAt, ids: [] };
  made.idAt = (at) => made.ids[indexAt(at)] ?? 'nobody';
  const costs = {};
  let before = (await server.readUsage()).cpu;
  try {
    for (const { name, requests, keep, expect = () => true } of PHASES) {
      const all = requests(made);
      const answers = await client.send(all);
      const { cpu } = await server.readUsage();
      costs[name] = ((cpu - before) / all.length) * 1_000;
      before = cpu;
      if (!isReal) continue;
      if (keep !== undefined) Object.assign(made, keep(answers));
      const wrong = answers.find((answer) => !expect(answer));
      if (wrong !== undefined) throw new Error(`${name}: ${JSON.stringify(wrong)}`);
    }
  } finally {
    client.close();
  }
  return costs;
}

/** The cost of each phase in milliseconds, for the daemon and for a server that answers an empty object. */
export async function measurePushes(users) {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-push-'));
  const service = await startLeanService(0);
  const config = join(folder, 'push.yaml');
  mkdirSync(join(folder, 'state'));
  writeFileSync(config, buildDaemonConfig(service.url));
  const daemon = startMeasured([main, 'daemon', '--config', config, '--port', '0'], { IDP_TOKEN: TOKEN });
  const nothing = startMeasured([empty]);
  try {
    let url;
    await daemon.until((line) => {
      url ??= line.url;
      return line.msg === 'tenant ready';
    });
    url ??= (await daemon.until((line) => line.url !== undefined)).url;
    const ours = await measurePhases(daemon, `${url}/scim/v2/idp`, users, true);
    const { mib, longest } = await daemon.readUsage();
    const base = await nothing.until((line) => line.url !== undefined);
    const theirs = await measurePhases(nothing, base.url, users, false);
    return { ours, theirs, mib, longest };
  } finally {
    await daemon.close();
    await nothing.close();
    service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
