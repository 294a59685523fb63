import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { createPushSources } from '../../src/daemon/tenants/push-sources.js';
import { openHealthServer } from '../../src/daemon/web/health-server.js';
import { createMetrics } from '../../src/daemon/web/metrics.js';
import { closeAfterTest } from '../closing.js';
import { oneIn } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';
import { CRM, CRM_RECORDS, merge, person, type Yaml } from './company.js';
import { openStory, type Story, summarise } from './kit.js';

/** A person, with the attribute names of SCIM; `leaves` is an attribute of an extension. */
interface Person {
  readonly externalId: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly email: string;
  readonly title: string;
  readonly phone: string;
  readonly leaves: string;
}
const NAMES = ['externalId', 'givenName', 'familyName', 'email', 'title', 'phone', 'leaves'] as const;

const HR = 'urn:acme:params:hr:1.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const text = { type: 'string', optional: true };
const COLUMNS: Yaml = {
  externalId: 'string',
  ...Object.fromEntries(['givenName', 'familyName', 'email', 'title', 'phone'].map((name) => [name, text])),
  leaves: { type: 'date', optional: true },
};

/** A kind of source: its configuration, and a way to fill it. */
interface Kind {
  readonly source: { readonly [key: string]: Yaml };
  /** A polled SCIM source has no columns of its own. */
  readonly hasLeaving: boolean;
  /** @returns why it is rejected; '' if it is accepted or only a run checks it */
  show(people: readonly Person[], rewrite?: Rewrite): Promise<string> | string;
}

type Rewrite = (text: string) => string;
const asIs: Rewrite = (text) => text;

function asScim(person: Person, at: number) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', HR],
    id: `u${at}`,
    externalId: person.externalId,
    userName: `user${at}`,
    active: true,
    name: { givenName: person.givenName, familyName: person.familyName },
    emails: [{ primary: true, type: 'work', value: person.email }],
    title: person.title,
    phoneNumbers: [{ type: 'mobile', value: person.phone }],
    ...(person.leaves === '' ? {} : { [ENTERPRISE]: { division: person.leaves }, [HR]: { leaves: person.leaves } }),
  };
}

/** Serves a page of five for any request. */
async function serve(write: (query: URLSearchParams, path: string) => string): Promise<string> {
  return await listenOnLoopback(
    createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://source');
      const isList = /(Users|companies|deals)$/.test(url.pathname);
      response.writeHead(isList ? 200 : 403, { 'content-type': 'application/json' });
      response.end(isList ? write(url.searchParams, url.pathname) : '{}');
    }),
  );
}

const openCsv = (story: Story): Kind => ({
  hasLeaving: true,
  source: {
    type: 'csv',
    drop: './drop/hr',
    pattern: 'employees-*.csv',
    key: 'externalId',
    settle: '0s',
    columns: COLUMNS,
  },
  show(people, rewrite = asIs) {
    const rows = people.map((person) => NAMES.map((one) => person[one]).join(';'));
    story.deliverText(rewrite(`${[NAMES.join(';'), ...rows].join('\n')}\n`));
    return '';
  },
});

const openJson = (story: Story): Kind => ({
  hasLeaving: true,
  source: {
    type: 'json',
    drop: './drop/crm',
    pattern: 'companies-*.json',
    key: 'externalId',
    settle: '0s',
    columns: COLUMNS,
  },
  show(people, rewrite = asIs) {
    const rows = people.map((person) => Object.fromEntries(NAMES.map((name) => [name, person[name] || null])));
    story.deliverCompanies(JSON.parse(rewrite(JSON.stringify(rows))) as readonly Yaml[]);
    return '';
  },
});

async function openScim(): Promise<Kind> {
  let [users, rewrite]: [readonly object[], Rewrite] = [[], asIs];
  const url = await serve((query) => {
    const from = Number(query.get('startIndex')) - 1;
    return rewrite(JSON.stringify({ totalResults: users.length, Resources: users.slice(from, from + 5) }));
  });
  return {
    hasLeaving: false,
    source: { type: 'scim', base_url: url, auth: { bearer: { env: 'IDP_TOKEN' } }, key: 'externalId' },
    show(people, change = asIs) {
      users = people.map(asScim);
      rewrite = change;
      return '';
    },
  };
}

/** An identity provider that pushes to a daemon's receiver. */
async function openPush(story: Story, by: 'PUT' | 'PATCH'): Promise<Kind> {
  let url = '';
  const ids: string[] = [];
  async function open(): Promise<string> {
    // The state must exist.
    await story.plan();
    const config = loadConfig(story.configFile, story.env);
    const status = { facts: {} } as never;
    const sources = createPushSources(() => [{ name: 'acme', problem: null, config, text: null, status }]);
    const metrics = createMetrics({ clock: story.clock, version: '0', list: async () => [] });
    const receiver = { find: sources.find, proxies: sources.proxies, clock: story.clock, onRequest: () => {} };
    const health = { whyDead: () => null, whyNotReady: () => [] };
    const server = await openHealthServer({ host: '127.0.0.1', port: 0, token: null, health, metrics, receiver });
    closeAfterTest({
      async close() {
        await server.close();
        sources.close();
      },
    });
    return `${server.url}/scim/v2/people/Users`;
  }
  async function send(method: string, path: string, body: string): Promise<{ readonly id: string; detail?: string }> {
    const headers = { authorization: 'Bearer idp-token', 'content-type': 'application/scim+json' };
    return (await (await fetch(url + path, { method, headers, body })).json()) as { readonly id: string };
  }
  return {
    hasLeaving: true,
    source: {
      type: 'scim-push',
      tokens: [{ env: 'IDP_TOKEN' }],
      key: 'externalId',
      columns: { leaves: { type: 'date', optional: true, from: `/${HR}/leaves` } },
    },
    async show(people, rewrite = asIs) {
      if (url === '') url = await open();
      for (const [at, person] of people.entries()) {
        const { id: _id, schemas, ...sent } = asScim(person, at);
        const known = ids[at];
        const body = { PUT: { schemas, ...sent }, PATCH: { Operations: [{ op: 'replace', value: sent }] } };
        const method = known === undefined ? 'POST' : by;
        const text = rewrite(JSON.stringify(body[method === 'POST' ? 'PUT' : by]));
        const said = await send(method, known === undefined ? '' : `/${known}`, text);
        ids[at] = said.id;
        if (said.detail !== undefined) return said.detail;
      }
      return '';
    },
  };
}

const KINDS: Readonly<Record<string, (story: Story) => Kind | Promise<Kind>>> = {
  csv: openCsv,
  json: openJson,
  'SCIM, asked': openScim,
  'SCIM, pushed by PUT': (story) => openPush(story, 'PUT'),
  'SCIM, pushed by PATCH': (story) => openPush(story, 'PATCH'),
};

const SIGN = 'SYNC_ADDRESS_SIGN';
const WORD = 'SYNC_MAP_NOTHING';
const NOTED = 'SYNC_CELL_NOTED';

/** A change to the row of one person, and the messages of the run. */
const ROWS: readonly (readonly [change: Partial<Person>, said: readonly string[]])[] = [
  [{ email: 'e0\u200b@example.com' }, [`E0 ${SIGN}`, `people.email ${NOTED}`]],
  [{ email: 'e\u0430nk1@example.com' }, [`E1 ${SIGN}`]],
  [{ email: 'e2@ex\uff41mple.com' }, [`E2 ${SIGN}`]],
  [{ email: 'e3@example.com.' }, [`E3 ${SIGN}`]],
  [{ givenName: 'Per\u00adson', phone: '+47\u206022334455' }, [`people.givenName ${NOTED}`, `people.phone ${NOTED}`]],
  [{ title: 'N/A' }, [`people.title ${NOTED}`]],
  [{ givenName: 'NULL', familyName: 'null' }, [`E6 ${WORD}`]],
  [{ familyName: 'None' }, ['E7 SYNC_TEXT_GARBLED']],
  [{ email: 'n/a' }, [`E8 ${WORD}`]],
  [{ email: 'None' }, [`E9 ${WORD}`]],
  [{ phone: '4.72E+09' }, ['E10 SYNC_TEXT_GARBLED']],
  [{ externalId: 'E\u200b11' }, [`people.externalId ${NOTED}`]],
  [{ externalId: 'N/A' }, ['? SYNC_ROW_KEY']],
  [{ title: 'k. A.', phone: '(leer)' }, [`people.phone ${NOTED}`]],
  [{ leaves: '1970-01-01' }, ['E14 SYNC_DATE_PLACEHOLDER']],
  [{ leaves: '1900-01-01' }, ['E15 SYNC_DATE_PLACEHOLDER']],
  [{ leaves: '1899-12-30' }, ['E16 SYNC_DATE_PLACEHOLDER']],
  [{ leaves: 'keine' }, [`people.leaves ${NOTED}`]],
];

/** Changes that hold the entire source. */
const SOURCES: readonly (readonly [key: (key: string, at: number) => string, said: string])[] = [
  [(key) => (key === 'E2' ? '\u04152' : key), '"E2" is "\u04152" (U+0415) now'],
  [(key) => (key === 'E2' ? 'E\uff12' : key), '"E2" is "E\uff12" (U+FF12) now'],
  [(_, at) => `1.${10 + at}E+05`, 'a spreadsheet has shortened the keys'],
];

const PEOPLE: readonly Person[] = Array.from({ length: 20 }, (_, at) => ({
  externalId: `E${at}`,
  givenName: 'Person',
  familyName: `Of ${at}`,
  email: `e${at}@example.com`,
  title: 'Consultant',
  phone: '+4722334455',
  leaves: '',
}));

async function open(kindOf: (story: Story) => Kind | Promise<Kind>) {
  const story = await openStory();
  const kind = await kindOf(story);
  story.configure({
    sources: { people: kind.source },
    users: {
      existence: 'people',
      leaver: { when: kind.hasLeaving ? 'has(record.leaves) && record.leaves < today' : 'false' },
      fields: {
        external_unique_id: 'record.?externalId',
        email: 'record.?email',
        name: 'record.?givenName.orValue("") + " " + record.?familyName.orValue("")',
        office: { country: '"no"', name: '"Oslo"' },
        title: { en: 'record.?title' },
        telephone: 'record.?phone',
      },
    },
  });
  return { story, kind };
}

/** The message, by the receiver or a run, about an attribute whose name differs invisibly. */
async function sayRenamed(story: Story, kind: Kind, name: string): Promise<string> {
  const refused = await kind.show(PEOPLE, (text) => text.replaceAll(name, `${name.slice(0, 2)}\u200b${name.slice(2)}`));
  if (refused !== '') return refused;
  const { json } = await story.sync();
  expect(json.counts).toEqual({});
  return [...(json.errors ?? []).map(({ error }) => error.message), ...json.held.map(({ reason }) => reason)]
    .join(' ')
    .replaceAll('\\"', '"');
}

describe.each(oneIn(1, Object.entries(KINDS)))('a source of kind %s', (_, kindOf) => {
  test('judges each odd text as in a file', async () => {
    const { story, kind } = await open(kindOf);
    expect(await kind.show(PEOPLE)).toBe('');
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: PEOPLE.length } });
    story.takeWrites();
    const odd = ROWS.filter(([{ leaves }]) => kind.hasLeaving || leaves === undefined);
    expect(await kind.show(PEOPLE.map((person, at) => ({ ...person, ...odd[at]?.[0] })))).toBe('');
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 4, json: { counts: {}, guards: [] } });
    expect([...new Set(summarise(ran.json.held))]).toEqual([...new Set(odd.flatMap(([, said]) => said))].sort());
    for (const [rewrite, said] of SOURCES) {
      await kind.show(PEOPLE.map((person, at) => ({ ...person, externalId: rewrite(person.externalId, at) })));
      const held = await story.sync();
      expect(held).toMatchObject({ code: 3, json: { done: 0, guards: [{ cause: 'keys reformatted' }] } });
      expect(held.json.guards[0]?.detail).toContain(said);
    }
    for (const name of ['title', 'givenName', 'externalId'])
      expect(await sayRenamed(story, kind, name)).toContain(`has U+200B ZERO WIDTH SPACE after "${name.slice(0, 2)}"`);
    expect(story.takeWrites()).toEqual([]);
  });
});

type Company = { readonly id: string; readonly name: string; readonly url?: string };

const COMPANIES: readonly Company[] = Array.from({ length: 8 }, (_, at) => ({ id: `C${at}`, name: `Company ${at}` }));
const DEAL = { id: 'P1', customer: 'C7', name: 'Dam' };
const ODD_COMPANIES: readonly (readonly [change: Partial<Company>, said: readonly string[]])[] = [
  [{ id: 'C\u200b0' }, [`crm.companies.id ${NOTED}`]],
  [{ name: 'Com\u00adpany 1' }, [`crm.companies.name ${NOTED}`]],
  [{ name: 'NULL' }, [`crm.companies.name ${NOTED}`]],
  [{ url: 'N/A' }, [`crm.companies.url ${NOTED}`]],
  [{ id: 'None' }, ['? SYNC_ROW_KEY']],
];

async function openCrmByCursor(story: Story): Promise<(companies: readonly Company[], rewrite?: Rewrite) => void> {
  let [rows, rewrite]: [readonly Company[], Rewrite] = [[], asIs];
  const url = await serve((query, path) => {
    if (path === '/deals') return JSON.stringify({ total: 1, rows: [DEAL], next: null });
    const from = Number(query.get('after') ?? 0);
    const next = from + 3 < rows.length ? String(from + 3) : null;
    return rewrite(JSON.stringify({ total: rows.length, rows: rows.slice(from, from + 3), next }));
  });
  const listed = { rows: '/rows', total: '/total', next: { token: '/next', parameter: 'after' } };
  story.configure(
    merge(CRM_RECORDS, {
      sources: {
        crm: {
          base_url: url,
          auth: { bearer: { env: 'CRM_TOKEN' } },
          streams: { companies: { path: '/companies', ...listed }, deals: { path: '/deals', ...listed } },
        },
      },
    }) as { readonly [key: string]: Yaml },
  );
  return (companies, change = asIs) => {
    rows = companies;
    rewrite = change;
  };
}

function openCrmFiles(story: Story): (companies: readonly Company[], rewrite?: Rewrite) => void {
  story.configure(CRM);
  story.deliverDeals([DEAL]);
  return (companies, rewrite = asIs) =>
    story.deliverCompanies(JSON.parse(rewrite(JSON.stringify(companies))) as readonly Yaml[]);
}

test.each(
  oneIn(1, [
    ['from files', openCrmFiles],
    ['by cursor', openCrmByCursor],
  ] as const),
)('judges each odd text of a CRM %s as in a file of people', async (_, openCrm) => {
  const story = await openStory();
  const show = await openCrm(story);
  story.deliver([person('E1')]);
  show(COMPANIES);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: COMPANIES.length + 2 } });
  story.takeWrites();
  show(COMPANIES.map((company, at) => ({ ...company, ...ODD_COMPANIES[at]?.[0] })));
  const ran = await story.sync();
  expect([ran.code, ran.json.counts, summarise(ran.json.held)]).toEqual([
    4,
    {},
    ODD_COMPANIES.flatMap(([, said]) => said).sort(),
  ]);
  for (const [id, said] of [
    ['\u04211', '"C1" is "\u04211" (U+0421) now'],
    ['C\uff11', '"C1" is "C\uff11" (U+FF11) now'],
  ] as const) {
    show(COMPANIES.map((company) => (company.id === 'C1' ? { ...company, id } : company)));
    const held = await story.sync();
    expect(held).toMatchObject({ code: 3, json: { done: 0, guards: [{ cause: 'keys reformatted' }] } });
    expect(held.json.guards[0]?.detail).toContain(said);
  }
  show(COMPANIES, (text) => text.replaceAll('"name"', '"na\u2060me"'));
  const renamed = await story.sync();
  expect(renamed.json.held[0]?.reason).toContain('has U+2060 WORD JOINER after "na"');
  expect(story.takeWrites()).toEqual([]);
});
