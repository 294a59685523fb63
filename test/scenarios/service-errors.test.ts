import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { CREATE_USER, openStory } from './kit.js';

test('stops a run with an unknown key before any write, with place and remedy', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  story.env.TALENT_API_KEY = 'wrong-key';
  for (const ran of [await story.plan(), await story.sync()]) {
    expect(ran.code).toBe(1);
    expect(ran.error).toMatchObject({
      code: 'SYNC_SERVICE_UNAUTHENTICATED',
      place: expect.stringContaining(story.sandbox.url),
    });
    expect(ran.error?.remedy).toContain('api_key');
    expect(JSON.stringify(ran)).not.toContain('wrong-key');
  }
  expect(story.sandbox.calls().filter(({ method }) => method !== 'GET')).toEqual([]);
});

sweep('plans with a read-only key, and fails at the first writes without trying all of them', async () => {
  const story = await openStory();
  story.env.TALENT_API_KEY = 'reader-key';
  story.deliver(Array.from({ length: 12 }, (_, index) => person(`E${index}`)));
  expect((await story.plan()).code).toBe(0);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.done).toBe(0);
  expect(ran.json.failed).toHaveLength(12);
  const codes = ran.json.failed.map(({ code }) => code);
  const tried = codes.filter((code) => code === 'SYNC_SERVICE_FORBIDDEN').length;
  expect(ran.json.failed[0]).toMatchObject({ code: 'SYNC_SERVICE_FORBIDDEN', place: expect.stringContaining('hr ') });
  // Three rejections in a row close the entity. Up to three more calls were in flight by then.
  expect(tried).toBeGreaterThanOrEqual(3);
  expect(tried).toBeLessThanOrEqual(6);
  expect(codes.filter((code) => code === 'SYNC_CHANGE_BLOCKED')).toHaveLength(12 - tried);
  expect(story.takeWrites()).toHaveLength(tried);
});

sweep('names the role that may read the feed to a role that may not', async () => {
  const story = await openStory({ users: [{ country: 'no', office: 'Oslo', email: 'x@example.com' }] });
  story.deliver([person('E1')]);
  await story.sync();
  story.env.TALENT_API_KEY = 'reference-key';
  const ran = await story.sync();
  expect(ran.code).toBe(1);
  expect(ran.error).toMatchObject({ code: 'SYNC_SERVICE_FORBIDDEN', place: expect.stringContaining('users/changes') });
  expect(ran.error?.remedy).toContain('internationalmanager');
});

sweep('writes nothing and ends with 1 while the service is down, and does everything in the next run', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  const { url } = story.sandbox;
  // Nobody listens on this port.
  story.configure({ service: { base_url: 'http://127.0.0.1:9' } });
  const ran = await story.sync();
  expect(ran.code).toBe(1);
  expect(ran.error).toMatchObject({ code: 'SYNC_SERVICE_DOWN', place: expect.stringContaining('http://127.0.0.1:9') });
  expect(ran.error?.remedy).toContain('base_url');
  story.configure({ service: { base_url: url } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
});

sweep(
  'stops after a few calls when the service goes down during a run, and leaves the rest for the next one',
  async () => {
    const story = await openStory();
    story.configure({ service: { rate_limit: { concurrency: 1 } } });
    story.deliver(Array.from({ length: 20 }, (_, index) => person(`E${index + 10}`)));
    story.sandbox.faults.add({
      kind: 'status',
      status: 503,
      method: 'POST',
      path: '/api/v1/users',
      skip: 3,
      times: 500,
    });
    const ran = await story.sync();
    expect(ran.code).toBe(1);
    expect(ran.json.done).toBe(3);
    expect(ran.json.failed.length + ran.json.left).toBe(17);
    expect(ran.json.failed.length).toBeLessThanOrEqual(5);
    expect(ran.json.stopped).not.toBeNull();
    story.sandbox.faults.clear();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 17 } });
    expect(story.users()).toHaveLength(20);
  },
);

sweep('leaves the rest for the next run when the call budget is spent', async () => {
  const story = await openStory();
  story.configure({ call_budget: 6, service: { rate_limit: { concurrency: 1 } } });
  story.deliver(['E1', 'E2', 'E3', 'E4', 'E5'].map((id) => person(id)));
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  expect(ran.json.calls.reads + ran.json.calls.writes).toBe(6);
  expect(ran.json.left).toBe(5 - ran.json.done);
  story.configure({ call_budget: 5000 });
  await story.sync();
  expect(story.users()).toHaveLength(5);
  expect(story.sandbox.calls().filter(({ method }) => method === 'POST')).toHaveLength(5);
});

sweep('checks sources, key and permissions one by one, and writes nothing', async () => {
  const story = await openStory();
  story.configure(CRM);
  story.deliver([person('E1')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  const missing = await story.check();
  expect(missing.code).toBe(1);
  expect(missing.json.checks.filter(({ ok }) => !ok)).toMatchObject([
    { name: 'source crm.deals', error: { code: 'SYNC_SOURCE_MISSING', place: expect.stringContaining('crm') } },
  ]);
  story.deliverDeals([]);
  expect(await story.check()).toMatchObject({ code: 0, json: { ok: true } });
  story.env.TALENT_API_KEY = 'plain-wrong';
  const refused = await story.check();
  expect(refused.code).toBe(1);
  expect(refused.json.checks.filter(({ ok }) => !ok)).toMatchObject([
    { name: 'service key', error: { code: 'SYNC_SERVICE_UNAUTHENTICATED' } },
  ]);
  expect(story.takeWrites()).toEqual([]);
});

sweep('stops only what depends on a missing delivery', async () => {
  const story = await openStory();
  story.configure(CRM);
  story.deliver([person('E1')]);
  const ran = await story.sync();
  expect(ran.code).toBe(1);
  expect(ran.json.errors?.map(({ source, error }) => `${source} ${error.code}`).sort()).toEqual([
    'crm.companies SYNC_SOURCE_MISSING',
    'crm.deals SYNC_SOURCE_MISSING',
  ]);
  for (const { error } of ran.json.errors ?? []) expect(error.remedy).not.toBe('');
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});

test('rejects a state folder of another account', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.configure({ service: { base_url: 'https://other.example.com' } });
  expect((await story.sync()).error).toMatchObject({ code: 'SYNC_STATE_OTHER_ACCOUNT' });
});

sweep('reports all problems of a configuration together, with line and path', async () => {
  const story = await openStory();
  story.configure({ polcy: 'sync', users: { fields: { emial: 'record.email', name: 'record.fist' } } });
  const ran = await story.plan();
  expect(ran.code).toBe(1);
  expect(ran.error?.code).toBe('SYNC_CONFIG_INVALID');
  const problems = ran.stderr;
  for (const words of ['polcy', 'policy', 'emial', 'email', 'fist', 'first']) expect(problems).toContain(words);
  expect(problems).toMatch(/talent-sync\.yaml:\d+:\d+/);
});
