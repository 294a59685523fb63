import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { API_ROUTES } from '../../../../src/daemon/web/operator/api/answer-api.js';
import { sweep } from '../../../depth.js';
import { person } from '../../../scenarios/company.js';
import { openStory, type Story } from '../../../scenarios/kit.js';
import { type Api, ajv, createApi, DOCUMENT, judge } from './described-api.js';
import type { OpenedPages } from './pages.js';
import { GRANTS, openStoryPages } from './story-pages.js';

const REDOCLY = join(import.meta.dirname, '../../../../node_modules/@redocly/cli/bin/cli.js');
/** A company with two people held by a guard, and an unusable record. */
async function open(): Promise<{ readonly story: Story; readonly pages: OpenedPages; readonly api: Api }> {
  const story = await openStory();
  story.configure({ guards: { users: { create: { max: 2 } } } });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.deliver([
    person('E1'),
    person('E2', { email: 'kim@example.com and more' }),
    ...['E3', 'E4', 'E5'].map((key) => person(key)),
  ]);
  await story.sync();
  const pages = await openStoryPages(story);
  return { story, pages, api: createApi(pages) };
}

it('describes each route, and no other', () => {
  const described = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = API_ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect([...described, 'GET /api/openapi.json'].sort()).toEqual([...routes].sort());
  const names = Object.values(DOCUMENT.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  expect(new Set(names).size).toBe(names.length);
});

sweep('passes Redocly without findings', async () => {
  const { api } = await open();
  const { status, body } = await api.get('/api/openapi.json');
  expect(status).toBe(200);
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(body));
  const found = execFileSync(
    process.execPath,
    [REDOCLY, 'lint', file, '--extends=recommended-strict', '--format=json'],
    {
      encoding: 'utf8',
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  expect(JSON.parse(found).problems).toEqual([]);
});

const T = '/api/tenants/{tenant}';
const READS = [
  ['/api/session', '/api/session'],
  ['/api/tenants', '/api/tenants'],
  [`${T}/status`, '/api/tenants/acme/status'],
  [`${T}/runs`, '/api/tenants/acme/runs?last=3'],
  [`${T}/holds`, '/api/tenants/acme/holds'],
  [`${T}/approvals`, '/api/tenants/acme/approvals'],
  [`${T}/audit`, '/api/tenants/acme/audit?last=3'],
  [`${T}/audit/verify`, '/api/tenants/acme/audit/verify'],
  [`${T}/audit/entries/{entry}`, '/api/tenants/acme/audit/entries/1'],
  [`${T}/messages`, '/api/tenants/acme/messages'],
  [`${T}/plans/{plan}`, '/api/tenants/acme/plans/newest'],
  [`${T}/configuration`, '/api/tenants/acme/configuration'],
  [`${T}/now`, '/api/tenants/acme/now'],
  [`${T}/people`, '/api/tenants/acme/people?words=e3'],
  [`${T}/people/{entity}/{key}`, '/api/tenants/acme/people/users/E3'],
  [`${T}/stored/{entity}/{who}`, '/api/tenants/acme/stored/users/e3@example.com'],
  [`${T}/explain/{kind}/{who}`, '/api/tenants/acme/explain/user/e3@example.com'],
] as const;

it('gives answers that match the document', async () => {
  const { api } = await open();
  for (const [path, address] of READS) {
    const { status, type, body } = await api.get(address);
    expect([address, status, type.split(';')[0], judge('get', path, body)]).toEqual([
      address,
      200,
      'application/json',
      [],
    ]);
  }
  const { body: runs } = await api.get('/api/tenants/acme/runs');
  const { body: run } = await api.get(`/api/tenants/acme/runs/${runs.runs[0].id}`);
  expect([run.id, judge('get', `${T}/runs/{run}`, run)]).toEqual([runs.runs[0].id, []]);
  const { body: holds } = await api.get('/api/tenants/acme/holds');
  const { body: hold } = await api.get(`/api/tenants/acme/holds/${holds.holds[0].id}`);
  expect([hold.hold.id, judge('get', `${T}/holds/{hold}`, hold)]).toEqual([holds.holds[0].id, []]);
});

sweep('returns the same documents as the commands', async () => {
  const { api, story } = await open();
  const commands = [
    ['status', ['status', '--json']],
    ['runs?last=20', ['runs', '--json']],
    ['holds', ['holds', 'list', '--json']],
    ['audit', ['audit', 'list', '--json']],
    ['audit/verify', ['audit', 'verify', '--json']],
    ['messages', ['notify', 'list', '--json']],
  ] as const;
  for (const [path, words] of commands) {
    const { body } = await api.get(`/api/tenants/acme/${path}`);
    expect([path, body]).toEqual([path, JSON.parse((await story.type(...words)).stdout)]);
  }
});

it('decides like the commands, in the name of the person', async () => {
  const { api, story } = await open();
  const order = { guard: 'users.create', reason: 'new office' };
  const { status, body } = await api.post('/api/tenants/acme/approvals', order);
  expect([status, judge('post', `${T}/approvals`, body)]).toEqual([200, []]);
  const { body: again } = await api.post('/api/tenants/acme/approvals', order);
  expect([again.before, judge('post', `${T}/approvals`, again)]).toEqual([{ id: body.approval, who: body.who }, []]);
  expect(body).toMatchObject({ approved: 3, guards: ['users.create'], who: 'approver@example.com' });
  const { body: listed } = await api.get('/api/tenants/acme/approvals');
  expect(listed.approvals).toMatchObject([{ id: body.approval, changes: 3 }]);
  const revoke = `/api/tenants/acme/approvals/${body.approval}/revoke`;
  const revoked = await api.post(revoke, { reason: 'too early' });
  expect([revoked.body.changes, judge('post', `${T}/approvals/{approval}/revoke`, revoked.body)]).toEqual([3, []]);

  const { body: waiting } = await api.get('/api/tenants/acme/holds');
  const hold = `/api/tenants/acme/holds/${waiting.holds[0].id}/acknowledge`;
  const known = await api.post(hold, { reason: 'she knows', until: '2199-01-01T00:00:00Z' });
  expect([known.status, judge('post', `${T}/holds/{hold}/acknowledge`, known.body)]).toEqual([200, []]);
  const forgotten = await api.post(`${hold}/revoke`, {});
  expect([forgotten.status, judge('post', `${T}/holds/{hold}/acknowledge/revoke`, forgotten.body)]).toEqual([200, []]);
  const { entries } = JSON.parse((await story.type('audit', 'list', '--json', '--last', '4')).stdout);
  expect(entries.map(({ kind, by }: { kind: string; by: string }) => [kind, by])).toEqual([
    ['approval given', 'approver@example.com'],
    ['approval revoked', 'approver@example.com'],
    ['hold acknowledged', 'approver@example.com'],
    ['acknowledgement revoked', 'approver@example.com'],
  ]);
});

sweep('reports the error, its place and the remedy', async () => {
  const { api, pages } = await open();
  const cases = [
    ['/api/tenants/acme/runs/r1', 404, 'SYNC_NOT_FOUND'],
    ['/api/tenants/acme/plans/p1', 404, 'SYNC_PLAN_MISSING'],
    ['/api/tenants/acme/plans/..%2f..%2fstate.db', 400, 'SYNC_WEB_REFUSED'],
    ['/api/tenants/acme/now/w1', 404, 'SYNC_WEB_REFUSED'],
    ['/api/tenants/acme/runs?last=0', 400, 'SYNC_WEB_REFUSED'],
    ['/api/tenants/acme/runs?newest=3', 400, 'SYNC_WEB_REFUSED'],
    ['/api/tenants/acme/audit?from=yesterday', 400, 'SYNC_WEB_REFUSED'],
    ['/api/tenants/acme/audit/verify?head=x', 400, 'SYNC_CLI_USAGE'],
    ['/api/tenants/globex/status', 404, 'SYNC_WEB_REFUSED'],
    ['/api/nothing', 404, 'SYNC_WEB_REFUSED'],
  ] as const;
  for (const [path, status, code] of cases) {
    const { type, body, status: answered } = await api.get(path);
    expect([path, answered, type.split(';')[0], body.code]).toEqual([path, status, 'application/problem+json', code]);
    expect(ajv.compile({ $ref: 'openapi#/components/schemas/Refusal' })(body)).toBe(true);
    expect(body.remedy.length + body.detail.length).toBeGreaterThan(20);
  }
  const posts = [
    [{ guard: 'users.create' }, 400],
    [{ guard: 'users.delete', reason: 'x' }, 409],
    [{ reason: 'x', guards: [] }, 400],
    [[], 400],
    ['users.create', 400],
  ] as const;
  for (const [body, status] of posts)
    expect([body, (await api.post('/api/tenants/acme/approvals', body)).status]).toEqual([body, status]);
  pages.configure({ grants: GRANTS.map((grant) => ({ ...grant, tenants: null })) });
  expect((await api.get('/api/tenants/globex/status')).status).toBe(409);
});

sweep('shows pseudonyms to people who may not see names', async () => {
  const { api } = await open();
  for (const path of [
    'status',
    'plans/newest',
    'configuration',
    'now',
    'holds',
    'audit',
    'audit/entries/2',
    'runs',
    'explain/user/E1',
    'people/users/E1',
  ]) {
    const text = JSON.stringify((await api.get(`/api/tenants/acme/${path}`, 'viewer')).body);
    expect([path, text.includes('@example.com')]).toEqual([path, false]);
    expect([path, /Person E\d/.exec(text)]).toEqual([path, null]);
  }
  const text = JSON.stringify((await api.get('/api/tenants/acme/holds', 'viewer')).body);
  expect(text).toMatch(/email is \\"p_[0-9a-f]{20}\\"/);
  // Searching by a name, or a part of one, does not reveal the person's key.
  for (const name of ['Person E1', 'Person'])
    expect((await api.get(`/api/tenants/acme/explain/user/${name}`, 'viewer')).body).toMatchObject({
      status: 404,
      detail: expect.not.stringMatching(/may mean|records/),
    });
  expect((await api.get('/api/tenants/acme/explain/user/Person E1')).status).toBe(200);
});

it("requires the session's token for every change after a log-in by cookie", async () => {
  const { pages, api } = await open();
  pages.configure({ grants: GRANTS });
  const login = pages.store.addLogin({
    who: 'approver@example.com',
    person: JSON.stringify({ who: 'approver@example.com', name: 'A', groups: [], via: 'openid' }),
    token: null,
    atMs: pages.clock.now(),
    seenMs: pages.clock.now(),
  });
  const cookie = `talent-sync=${login}`;
  const order = JSON.stringify({ guard: 'users.create', reason: 'new office' });
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(new URL('/api/tenants/acme/approvals', pages.url), {
      method: 'POST',
      body: order,
      headers: { 'content-type': 'application/json', cookie, ...headers },
    });
  expect((await post({})).status).toBe(403);
  const session = await fetch(new URL('/api/session', pages.url), { headers: { cookie } });
  const { csrf } = (await session.json()) as { readonly csrf: string };
  const own = session.headers.getSetCookie().map((line) => line.split(';')[0]);
  const proof = { 'x-csrf-token': csrf, cookie: [cookie, ...own].join('; ') };
  expect((await post({ ...proof, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await post(proof)).status).toBe(200);
  expect((await api.get('/api/tenants/acme/approvals')).body.approvals).toHaveLength(1);
});

it('answers nobody without a log-in', async () => {
  const { pages } = await open();
  for (const { method, path } of API_ROUTES) {
    const address = path.replace(':tenant', 'acme').replaceAll(/:\w+/g, 'x');
    const answer = await fetch(new URL(address, pages.url), { method, headers: { accept: 'text/html' } });
    expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});
