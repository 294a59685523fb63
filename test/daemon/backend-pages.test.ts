import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { sweep } from '../depth.js';
import type { Postgres } from '../postgres.js';
import { KEY, person } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { type FleetNode, type Machine, openRemoteFleet, startPrepared, until } from './remote-fleet.js';
import { Browser } from './web/operator/pages.js';

/* Every daemon serves the pages of every tenant, whichever daemon runs it. */

let server: Postgres;

beforeAll(async () => {
  server = await startPrepared();
});
afterAll(() => server?.close());
beforeEach(() => server.ask(EMPTY));

const ROLES = [
  { role: 'approver', who: ['approver@example.com', 'other@example.com'] },
  { role: 'operator', who: ['operator@example.com'] },
];
const WEB = { listen: '127.0.0.1:0', state: '../web', roles: ROLES };
const DISK = /\/[\w/-]+\/[ab](?=\/(drop|tenants|state)\/)/g;
const HOUR = '2037-11-21T08:00:30Z';

interface Answered {
  readonly status: number;
  readonly body: Body;
}

/** The parts of documents that the tests read. */
interface Body {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly runs: readonly { readonly id: string }[];
  readonly holds: readonly { readonly id: string; readonly key: string; readonly code: string }[];
  readonly approvals: readonly { readonly id: string; readonly who: string }[];
  readonly declines: readonly unknown[];
  readonly approval: string;
  readonly decline: string;
  readonly entries: readonly { readonly by?: string; readonly cause?: { readonly text?: string } }[];
  readonly code?: string;
  readonly state: string;
}

interface Api {
  get(path: string): Promise<Answered>;
  post(path: string, body?: object): Promise<Answered>;
  page(path: string): Promise<{ readonly status: number; readonly text: string }>;
}

/** Logs a person in to the pages of any node; a command on this machine makes the token. */
async function login({ type, target }: Machine, who: string): Promise<(at: FleetNode) => Api> {
  const made = await type('operator', 'add', `${who}@example.com`, '--json', '--config', target);
  const { token } = JSON.parse(made.stdout) as { readonly token: string };
  return (at) => {
    async function ask(path: string, init: RequestInit, accept = 'application/json') {
      const headers = { authorization: `Bearer ${token}`, accept, ...init.headers };
      return fetch(new URL(path, at.url), { ...init, headers });
    }
    const json = async (path: string, init: RequestInit): Promise<Answered> => {
      const response = await ask(`/api/tenants/acme/${path}`, init);
      return { status: response.status, body: (await response.json()) as Body };
    };
    return {
      get: (path) => json(path, {}),
      post: (path, body = {}) =>
        json(path, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      async page(path) {
        const response = await ask(`/tenants/acme${path}`, {}, 'text/html');
        const text = (await response.text()).replaceAll(/name="_csrf" value="[^"]*"/g, '');
        // Paths differ between machines.
        return { status: response.status, text: text.replaceAll(DISK, '') };
      },
    };
  };
}

/** Daemon a has run acme: a guard holds three leavers, and one row is unusable. */
async function open() {
  const { fleet, openMachine, openNode, wait, lose } = await openRemoteFleet(server, HOUR);
  const acme = await fleet.addTenant('acme', { guards: { users: { deactivate: { max: 0 } } } });
  const a = await openNode('a', { web: WEB });
  const people = ['E1', 'E2', 'E3', 'E4'].map((key) => person(key));
  const left = people.map((one, at) => (at === 0 ? one : { ...one, status: 'left' }));
  const deliveries = [[], people, [...left, person('E5', { email: 'none' })]];
  for (const [at, rows] of deliveries.entries()) {
    if (rows.length > 0) acme.deliver(rows);
    fleet.clock.set(`2037-11-21T08:${15 * at}:10Z`.replace(':0:', ':01:'));
    await wait();
    await a.claim();
  }
  acme.takeWrites();
  const b = await openNode('b', { web: WEB });
  const desk = openMachine('desk', { web: WEB });
  const as = await login(desk, 'approver');
  return { fleet, acme, a, b, desk, as, wait, lose };
}

function isDeactivated(user: unknown): boolean {
  return (user as { readonly deactivated: boolean }).deactivated;
}

test('the holder of the tenant carries out an order given on b, and b follows it to its end', async () => {
  const { acme, a, b, desk, as } = await open();
  a.keepClaiming();
  const operator = await login(desk, 'operator');
  const onB = operator(b);
  acme.deliver([person('E1', { title: 'Lead' }), ...['E2', 'E3', 'E4'].map((key) => person(key))]);
  async function follow(kind: 'plan' | 'run'): Promise<Body> {
    const { status, body } = await onB.post(`now/${kind}`);
    expect([status, body]).toEqual([200, expect.anything()]);
    await until(async () => (await onB.get(`now/${body.id}`)).body.state === 'ended');
    return (await onB.get(`now/${body.id}`)).body;
  }
  const planned = await follow('plan');
  expect(planned).toMatchObject({ kind: 'plan', by: 'operator@example.com', problem: null });
  expect(acme.takeWrites()).toBe(0);
  const page = await onB.get(`plans/${String(planned.result)}`);
  expect([page.status, page.body]).toEqual([200, expect.anything()]);
  expect(await follow('run')).toMatchObject({ kind: 'run', problem: null });
  expect(acme.takeWrites()).toBe(1);
  // Pages with people read the mirror, which only the holder has.
  const people = await as(b).page('/people?q=E2');
  expect([people.status, people.text]).toEqual([200, expect.stringContaining('E2')]);
  const explained = await as(b).get('explain/user/E1');
  expect([explained.status, JSON.stringify(explained.body)]).toEqual([200, expect.stringContaining('Lead')]);
});

sweep('a run is undone and an undone value released on b, by the holder of the tenant', async () => {
  const { acme, a, b, desk } = await open();
  a.keepClaiming();
  const onB = (await login(desk, 'operator'))(b);
  acme.deliver([person('E1', { title: 'Lead' }), ...['E2', 'E3', 'E4'].map((key) => person(key))]);
  async function follow(id: string): Promise<Body> {
    await until(async () => (await onB.get(`now/${id}`)).body.state === 'ended');
    return (await onB.get(`now/${id}`)).body;
  }
  const { result: run } = await follow((await onB.post('now/run')).body.id);
  expect((await onB.get('people/users/E1')).body).toMatchObject({ key: 'E1', pins: [] });
  acme.takeWrites();
  const { result: plan } = await follow((await onB.post(`runs/${String(run)}/undo`)).body.id);
  expect(acme.takeWrites()).toBe(0);
  const word = { reason: 'wrong file' };
  const confirmed = await onB.post(`plans/${String(plan)}/undo`, word);
  expect([confirmed.status, confirmed.body]).toEqual([200, expect.objectContaining({ plan, run, confirmed: true })]);
  const { id } = confirmed.body.work as { readonly id: string };
  expect([await follow(id), acme.takeWrites()]).toMatchObject([{ kind: 'run', problem: null }, 1]);
  expect((await onB.get('people/users/E1')).body).toMatchObject({ pins: [{ path: 'title.en' }] });
  const released = await onB.post('people/users/E1/pins/release', { path: 'title.en', ...word });
  expect([released.status, released.body]).toEqual([
    200,
    expect.objectContaining({ unpinned: [expect.objectContaining({ undone: run })], who: 'operator@example.com' }),
  ]);
  expect((await onB.get('people/users/E1')).body).toMatchObject({ pins: [] });
  const { entries } = (await onB.get('audit?last=1')).body;
  expect(entries).toMatchObject([{ kind: 'pins released', by: 'operator@example.com' }]);
});

sweep('an assistant reads through either daemon, and the audit has one entry', async () => {
  const { a, b, desk, as } = await open();
  a.keepClaiming();
  const made = await desk.type('operator', 'add', 'other@example.com', '--json', '--config', desk.target);
  const { token } = JSON.parse(made.stdout) as { readonly token: string };
  async function use(at: FleetNode, name: string, input: object): Promise<string> {
    const answered = await fetch(new URL('/mcp', at.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
    });
    const { result } = (await answered.json()) as {
      readonly result: { readonly content: [{ readonly text: string }] };
    };
    return result.content[0].text;
  }
  const tools = [
    ['status', {}, '"service"'],
    ['list_holds', {}, 'E5'],
    ['explain', { who: 'E3' }, '"what":"joined"'],
  ] as const;
  for (const [name, input, part] of tools)
    for (const at of [a, b]) expect([name, await use(at, name, input)]).toEqual([name, expect.stringContaining(part)]);
  expect(await use(a, 'find_people', { words: 'e2' })).toContain('"active":true');
  const { body } = await as(a).get('audit');
  expect(body.entries.filter(({ by }) => by === 'other@example.com')).toMatchObject([{ kind: 'assistant read' }]);
});

sweep('the holder previews an edited configuration on request of b', async () => {
  const { acme, a, b, desk } = await open();
  a.keepClaiming();
  const onB = (await login(desk, 'operator'))(b);
  const inForce = (await onB.get('configuration')).body.text as string;
  const edited = parse(inForce) as { users: { fields: { title: Record<string, string> } } };
  edited.users.fields.title = { en: '"Senior"' };
  acme.takeWrites();
  const { status, body } = await onB.post('preview', { text: stringify(edited) });
  expect([status, body]).toEqual([200, expect.objectContaining({ paths: ['users.fields.title'], stopped: [] })]);
  expect(body.fields).toEqual([expect.objectContaining({ field: 'title', in_force: 0 })]);
  expect(acme.takeWrites()).toBe(0);
  const refused = await onB.post('preview', { text: `${inForce}\nnotify: { channels: {} }\n` });
  expect([refused.status, refused.body]).toEqual([409, expect.objectContaining({ code: 'SYNC_PREVIEW_REFUSED' })]);
});

test('a log-in on a counts on b, and `operator remove` on any machine ends it everywhere', async () => {
  const { a, b, desk } = await open();
  const made = await desk.type('operator', 'add', 'approver@example.com', '--json', '--config', desk.target);
  const { token } = JSON.parse(made.stdout) as { readonly token: string };
  const browser = new Browser(a.url);
  expect((await browser.post('/login/token', { token })).status).toBe(303);
  const session = browser.cookies().find((name) => name.includes('talent-sync')) ?? '';
  const cookie = browser
    .cookies()
    .map((name) => `${name}=${browser.cookie(name)}`)
    .join('; ');
  expect(session).not.toBe('');
  const look = async (node: FleetNode): Promise<number> =>
    (await fetch(`${node.url}/tenants/acme`, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' })).status;
  const lookWith = async (node: FleetNode): Promise<number> =>
    (await fetch(`${node.url}/api/session`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await look(a), await look(b), await lookWith(a), await lookWith(b)]).toEqual([200, 200, 200, 200]);
  const removed = await desk.type('operator', 'remove', 'approver@example.com', '--json', '--config', desk.target);
  expect(removed.code).toBe(0);
  await until(async () => (await look(a)) !== 200 && (await look(b)) !== 200);
  await until(async () => (await lookWith(a)) === 401 && (await lookWith(b)) === 401);
});

sweep('stores a decision while the holder does not answer, and applies it once another daemon takes over', async () => {
  const { b, as, wait, lose, fleet, acme } = await open();
  // A stopped daemon holds the tenant.
  await server.ask(
    "UPDATE tenant SET holder = 'stopped', claim = gen_random_uuid(), fence = fence + 1, lease_until = now() + interval '1 h'",
  );
  b.keepClaiming();
  const onB = as(b);
  const given = await onB.post('approvals', { guard: 'users.deactivate', reason: 'reorganisation' });
  expect(given).toMatchObject({ status: 202, body: { approved: 3 } });
  expect((await onB.post('approvals', { guard: 'users.delete', reason: 'x' })).status).toBe(409);
  expect((await onB.get('approvals')).body.approvals).toEqual([]);
  await lose();
  await until(async () => (await onB.get('approvals')).body.approvals.length === 1);
  fleet.clock.set('2037-11-21T08:45:10Z');
  await wait();
  await until(() => acme.sandbox.state().users.filter(isDeactivated).length === 3);
});

test('acknowledges a hold on a daemon that carries it out without the mirror of the last run', async () => {
  const { b, as } = await open();
  // Only orders are left to carry out, and b need not wait for a.
  await server.ask("UPDATE tenant SET last_holder = NULL, paused_until = now() + interval '1 h'");
  const onB = as(b);
  const [hold] = (await onB.get('holds')).body.holds.filter(({ key }) => key === 'E5');
  b.keepClaiming();
  const given = await onB.post(`holds/${hold?.id}/acknowledge`, { reason: 'HR corrects it' });
  expect([given.status, given.body]).toEqual([200, expect.objectContaining({ acknowledged: hold?.id })]);
  const { entries } = (await onB.get('audit?last=1')).body;
  expect(entries).toMatchObject([{ kind: 'hold acknowledged', hold: hold?.id, by: 'approver@example.com' }]);
});

sweep('counts the decisions of two people on two daemons, each once and with an audit entry', async () => {
  const { fleet, openMachine, openNode, wait } = await openRemoteFleet(server, HOUR);
  mkdirSync(join(fleet.folder, 'drop', 'to-hr'), { recursive: true });
  const acme = await fleet.addTenant('acme', {
    approvals: { four_eyes: true },
    conflicts: 'hold',
    guards: { users: { deactivate: { max: 0 } } },
    sources: { hr: { write_back: { drop: '../drop/to-hr' } } },
    users: { fields: { telephone: { value: 'record.?phone', authority: 'service', write_back: true } } },
  });
  const [a, b] = [await openNode('a', { web: WEB }), await openNode('b', { web: WEB })];
  const people = ['E1', 'E2', 'E3', 'E4'].map((key) => person(key, { phone: '1' }));
  const [e1, e2, e3, e4] = people;
  const left = { status: 'left' };
  // Two leavers, a telephone number that both sides changed, a known person's new number, and an unusable row.
  const later = [
    ...[
      { ...e1, ...left },
      { ...e2, ...left },
      { ...e3, phone: '2' },
      { ...e4, ...left },
    ],
    ...[person('N9', { email: String(e4?.email), last: 'Roe' }), person('E5', { email: 'none' })],
  ];
  const times = ['08:15', '08:30', '08:45'];
  const runOn = async (node: FleetNode): Promise<void> => {
    fleet.clock.set(`2037-11-21T${times.shift()}:10Z`);
    await wait();
    await server.ask('UPDATE tenant SET last_holder = NULL, paused_until = NULL');
    await node.claim();
    // Until the next run, daemons carry out orders only.
    await server.ask("UPDATE tenant SET paused_until = now() + interval '1 h'");
  };
  await a.claim();
  acme.deliver(people);
  await runOn(a);
  const userOf = (key: string) =>
    acme.sandbox.state().users.find((one) => (one as { external_unique_id: string }).external_unique_id === key) as
      | { readonly telephone: string; readonly deactivated: boolean }
      | undefined;
  const hands = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const found = await fetch(`${acme.sandbox.url}/api/v1/users/find?external_unique_id=E3`, { headers: hands });
  const { id } = (await found.json()) as { readonly id: string };
  const edit = { method: 'PUT', headers: hands, body: JSON.stringify({ user: { telephone: '3' } }) };
  const edited = await fetch(`${acme.sandbox.url}/api/v1/users/${id}?use_legacy_codes=false`, edit);
  expect(edited.status).toBe(200);
  acme.deliver(later);
  await runOn(b);
  for (const node of [a, b]) node.keepClaiming();

  const desk = openMachine('desk', { web: WEB });
  const [one, two] = [await login(desk, 'approver'), await login(desk, 'other')];
  const holdOf = async (key: string, code: RegExp): Promise<string> => {
    const { holds } = (await one(a).get('holds')).body;
    return holds.find((hold) => hold.key === key && code.test(hold.code))?.id ?? `none of ${JSON.stringify(holds)}`;
  };
  const given: (readonly [who: string, reason: string])[] = [];
  /** The answer to a decision may come before the decision takes effect. */
  const decide = async (who: 'approver' | 'other', node: FleetNode, path: string, body: object): Promise<void> => {
    const reason = `because ${given.length}.`;
    let answer = { status: 0, body: {} };
    // Linking a record needs a turn, so a slow machine may have to ask again.
    await until(async () => {
      const posted = await (who === 'approver' ? one : two)(node).post(path, { ...body, reason });
      answer = posted;
      return posted.body.code !== 'SYNC_STATE_LOCKED';
    });
    expect([path, [200, 202].includes(answer.status), answer.body]).toEqual([path, true, answer.body]);
    given.push([`${who}@example.com`, reason]);
  };
  const isIn = (reason: string, { entries }: Body): boolean =>
    entries.some((entry) => JSON.stringify(entry).includes(reason));
  const allCount = async (node: FleetNode): Promise<boolean> => {
    const { body } = await one(node).get('audit');
    return given.every(([, reason]) => isIn(reason, body));
  };
  await decide('approver', a, 'approvals', { who: 'user:E1' });
  await decide('other', b, 'approvals', { who: 'user:E1' });
  await decide('approver', a, 'declines', { who: 'user:E2' });
  await decide('other', b, `holds/${await holdOf('E5', /./)}/acknowledge`, {});
  await decide('approver', a, `holds/${await holdOf('E3', /CONFLICT/)}/resolve`, { take: 'source' });
  const hired = { hold: await holdOf('N9', /./), answer: 'same' };
  await decide('other', b, 'answers', hired);
  await decide('approver', a, 'answers', hired);
  await until(async () => (await allCount(a)) && (await allCount(b)));

  // From now on, this person cannot decide on either daemon.
  expect((await desk.type('operator', 'remove', 'other@example.com', '--config', desk.target)).code).toBe(0);
  await until(async () => (await two(a).get('holds')).status === 401 && (await two(b).get('holds')).status === 401);

  await runOn(a);
  await until(() => userOf('E1')?.deactivated === true);
  await until(async () => (await server.ask('SELECT FROM tenant WHERE holder IS NULL')).length === 1);
  expect(userOf('E2')?.deactivated).toBe(false);
  expect(userOf('E3')?.telephone).toBe('2');
  expect([userOf('E4'), userOf('N9')?.deactivated]).toEqual([undefined, false]);
  for (const node of [a, b]) {
    const { entries } = (await one(node).get('audit')).body;
    for (const [who, reason] of given)
      expect([reason, entries.find((entry) => JSON.stringify(entry).includes(reason))?.by]).toEqual([reason, who]);
    expect((await one(node).get('audit/verify')).body).toMatchObject({ ok: true });
  }
});
