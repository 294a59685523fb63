import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story } from './kit.js';

/** A company whose next plan has every kind of entry: a change, a hold, and a guard that trips. */
async function openBusy(): Promise<Story> {
  const story = await openStory();
  story.configure({ ...CRM, guards: { users: { create: { max: 2 } } } });
  story.deliver([person('E1'), person('E2')]);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([]);
  await story.sync();
  story.deliver([
    person('E1', { title: 'Lead' }),
    person('E2', { email: 'nonsense' }),
    person('E3'),
    person('E4'),
    person('E5'),
  ]);
  return story;
}

/** Keys of a document that `docs/reference/commands.md` does not name in its example. */
function listUndocumented(command: string, document: object, within = ''): readonly string[] {
  const [, section = ''] = readFileSync('docs/reference/commands.md', 'utf8').split(
    new RegExp(`^## ${command}\\b`, 'm'),
  );
  const [, line = ''] = /^- `--json`: `\{(.*?)\}`/m.exec(section) ?? [];
  let shape = line.slice(line.indexOf(within) + within.length);
  while (/[{[]/.test(shape)) shape = shape.replaceAll(/[{[][^{}[\]]*[}\]]/g, '');
  const shown = new Set(shape.match(/\w+/g));
  return keysOf(document).filter((key) => !shown.has(key));
}

function keysOf(value: object): readonly string[] {
  return Object.keys(value).sort();
}

test('writes the document of plan', async () => {
  const story = await openBusy();
  const { code, json, stderr } = await story.plan();
  expect(code).toBe(4);
  expect(stderr).toBe('');
  expect(listUndocumented('plan', json)).toEqual([]);
  expect(keysOf(json)).toEqual(
    // A damaged row that may belong to anyone leaves the read unproven, which the document shows.
    ['plan', 'file', 'fingerprint', 'expires', 'counts', 'cost', 'held', 'guards', 'conflicts', 'incomplete'].sort(),
  );
  expect(json.counts).toEqual({ users: { create: 3, update: 1 } });
  expect(keysOf(json.cost)).toEqual(['by_endpoint', 'reads', 'seconds', 'writes']);
  expect(json.cost).toMatchObject({ writes: 1, by_endpoint: { 'PUT /api/v1/users/{user_id}': 1 } });
  expect(json.held.map(keysOf)).toEqual([['cause', 'code', 'entity', 'id', 'key', 'place', 'reason', 'remedy']]);
  expect(json.guards).toMatchObject([{ guard: 'users.create', limit: 2, found: 3, held: 3, cause: 'real events' }]);
  expect(json.conflicts).toEqual([]);
  expect(json.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(Date.parse(json.expires)).toBeGreaterThan(story.clock.now() + 23 * 3_600_000);
});

test('writes the documents of sync and apply', async () => {
  const story = await openBusy();
  const keys = ['run', 'plan', 'counts', 'calls', 'done', 'failed', 'held', 'guards', 'seconds', 'audit'];
  const plan = await story.plan();
  const applied = await story.apply(plan.json.plan);
  expect(applied.code).toBe(4);
  expect(listUndocumented('apply', applied.json)).toEqual([]);
  expect(keysOf(applied.json)).toEqual(expect.arrayContaining(keys));
  expect(applied.json).toMatchObject({ plan: plan.json.plan, done: 1, failed: [], calls: { writes: 1 } });
  expect(keysOf(applied.json.calls)).toEqual(['reads', 'writes']);
  const synced = await story.sync();
  expect(keysOf(synced.json)).toEqual(expect.arrayContaining(keys));
  expect(synced.json.run).not.toBe(applied.json.run);
  expect(synced.json).toMatchObject({ done: 0, calls: { writes: 0 } });
});

sweep('explains each step by name, and a guard that holds', async () => {
  const story = await openBusy();
  const { code, json } = await story.explain('user', 'e3@example.com');
  expect(code).toBe(0);
  expect(json).toMatchObject({ entity: 'users', key: 'E3' });
  expect(listUndocumented('explain', json)).toEqual([]);
  expect(listUndocumented('explain', json.steps, 'steps: {')).toEqual([]);
  expect(keysOf(json.steps)).toEqual(
    expect.arrayContaining(
      ['sources', 'scope', 'correlation', 'fields', 'mirror', 'base', 'held', 'action', 'guard'].sort(),
    ),
  );
  expect(json.steps).toMatchObject({
    sources: [{ place: expect.stringMatching(/^hr employees-\d+\.csv:4$/) }],
    correlation: {
      link: null,
      found: null,
      match: [
        { fields: ['external_unique_id'], found: [] },
        { fields: ['email'], found: [] },
      ],
    },
    mirror: null,
    base: null,
    action: { action: 'create', after: { email: 'e3@example.com', office: { country: 'no', name: 'Oslo' } } },
    guard: { by: 'guard', name: 'users.create' },
  });
  expect(json.steps.fields.map(({ path }) => path)).toEqual([
    'external_unique_id',
    'email',
    'name',
    'office.country',
    'office.name',
    'title.en',
  ]);
  expect(story.sandbox.state().users).toHaveLength(2);
});

sweep('reports an error when explaining an unknown person', async () => {
  const story = await openBusy();
  const { code, error } = await story.explain('user', 'nobody@example.com');
  expect(code).toBe(1);
  expect(error).toMatchObject({ code: 'SYNC_NOT_FOUND' });
  expect(error?.remedy).not.toBe('');
});

sweep('explains a customer', async () => {
  const story = await openBusy();
  const { json } = await story.explain('customer', 'C1');
  expect(json).toMatchObject({
    entity: 'customers',
    key: 'C1',
    steps: { mirror: { values: { customer_name: { en: 'Fjord Power' } } }, action: null, guard: null },
  });
});

sweep('writes the document of status', async () => {
  const story = await openBusy();
  await story.sync();
  const { code, json } = await story.status();
  expect(code).toBe(0);
  expect(keysOf(json)).toEqual(
    expect.arrayContaining(['runs', 'sources', 'mirror', 'links', 'approvals', 'open_intents', 'audit'].sort()),
  );
  expect(json).toMatchObject({ links: { users: 2, customers: 1, projects: 0 }, approvals: 0, open_intents: 0 });
});

sweep('verifies the audit, with one entry per change: its cause, place and request id', async () => {
  const story = await openBusy();
  await story.sync();
  const { code, json } = await story.verify();
  expect(code).toBe(0);
  expect(keysOf(json)).toEqual(['checkpoint', 'entries', 'erased', 'head', 'ok']);
  // Four changes, and the starts of two runs.
  expect(json).toMatchObject({ ok: true, entries: 6, erased: 0, checkpoint: null });
  const last = (await story.audit()).at(-1);
  expect(last).toMatchObject({
    entity: 'users',
    action: 'update',
    key: 'E1',
    result: 'done',
    cause: { kind: 'changed' },
    place: expect.stringMatching(/^hr employees-\d+\.csv:2$/),
    before: { title: {} },
    after: { title: { en: 'Lead' } },
    calls: [{ call: 'PUT /api/v1/users/{user_id}', status: 200 }],
  });
  const ids = story.sandbox.calls().map(({ requestId }) => requestId);
  expect(ids).toContain(last?.calls[0]?.request_id);
});

sweep('writes the document of check', async () => {
  const story = await openBusy();
  const { code, json } = await story.check();
  expect(code).toBe(0);
  expect(json.ok).toBe(true);
  expect(json.checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['configuration', 'source hr', 'source crm.companies', 'source crm.deals', 'service key']),
  );
});

sweep('writes an error as one document too, and to stderr for people', async () => {
  const story = await openStory();
  const { code, json, stderr } = await story.apply('p-none');
  expect(code).toBe(1);
  expect(keysOf(json)).toEqual(['error']);
  expect(json).toMatchObject({
    error: {
      code: 'SYNC_PLAN_MISSING',
      message: expect.any(String),
      place: expect.any(String),
      remedy: expect.any(String),
    },
  });
  expect(stderr).toContain('SYNC_PLAN_MISSING');
});
