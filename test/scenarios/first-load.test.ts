import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { IS_THOROUGH, oneIn, sweep } from '../depth.js';
import { ACCOUNT, person, type Row, type Yaml } from './company.js';
import { openGate, openVeil } from './gate.js';
import { CREATE_USER, openStory, type Story } from './kit.js';
import { killAtWrite, startProgram } from './program.js';
import { expectQuiet } from './quiet.js';

const IMPORT = 'POST /api/v1/users/import/csv/:config_name';
const MANY = IS_THOROUGH ? 600 : 60;

type Users = readonly NonNullable<FixtureInput['users']>[number][];

interface Setting {
  readonly missing?: 'keep' | 'deactivate' | 'remove';
  readonly delay_ms?: number;
  readonly default_country?: string;
  readonly default_office?: string;
}

/** An account whose import setting `hr` maps the column Unit, and a configuration that uses it from two people on. */
async function openAccount(setting: Setting = {}, bulk: object = {}, users: Users = []): Promise<Story> {
  const imports = { hr: { delay_ms: 0, tag_columns: { Unit: 'unit' }, ...setting } };
  const account = { ...ACCOUNT.account, imports };
  const story = await openStory({ account, users: [...users] });
  story.configure({
    users: {
      fields: {
        title: { no: 'record.?title', en: 'record.?title_no' },
        telephone: 'record.?phone',
        tags: { unit: 'record.?unit' },
        roles: 'has(record.role) ? record.role.split(" ") : ["consultant"]',
        role_allowed_offices: [{ country: 'record.country', name: 'record.?scope' }],
      },
      bulk_load: {
        setting: 'hr',
        missing: setting.missing ?? 'keep',
        from: 2,
        language: 'native',
        tag_columns: { unit: 'Unit' },
        confirm_within: '1d',
        ...bulk,
      } as Yaml,
    },
  });
  return story;
}

function people(count: number): Row[] {
  return Array.from({ length: count }, (_, index) =>
    person(`E${String(index + 1).padStart(4, '0')}`, { title: 'Leder' }),
  );
}

async function expectConverged(story: Story, count: number): Promise<void> {
  expect((await story.status()).json).toMatchObject({ open_intents: 0, links: { users: count } });
  expect((await story.verify()).json.ok).toBe(true);
  expect(story.users()).toHaveLength(count);
  await expectQuiet(story);
}

test('loads many people in two writes, links and audits everyone, and does nothing in the second sync', async () => {
  const story = await openAccount();
  story.deliver(people(MANY));
  const { json: plan } = await story.plan();
  expect(plan.counts).toEqual({ users: { create: MANY } });
  expect(plan.cost).toMatchObject({ writes: 2, reads: Math.ceil(MANY / 500) });
  expect(plan.bulk_load).toMatchObject({ batch: 'import:hr', people: MANY, singly: [], refused: null });
  story.takeWrites();

  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { done: MANY, failed: [], left: 0, calls: { writes: 2 } } });
  expect(story.takeWrites()).toEqual([IMPORT, IMPORT]);
  const audit = await story.audit();
  expect(audit).toHaveLength(MANY);
  expect(audit[0]).toMatchObject({
    action: 'create',
    result: 'done',
    key: 'E0001',
    calls: [{ call: 'POST /api/v1/users/import/csv/{config_name}', status: 200, request_id: expect.any(String) }],
  });
  expect(story.user('E0050')).toMatchObject({ title: { no: 'Leder' }, office: 'no/Oslo', roles: ['consultant'] });
  await expectConverged(story, MANY);
});

sweep('sends people by single calls whom the file cannot fully carry: scopes, externals, languages, tags', async () => {
  const story = await openAccount();
  story.configure({
    tags: { create_missing: true },
    users: { fields: { tags: { grade: 'record.?rank' } } },
    guards: { users: { promote: 'off' } },
  });
  story.deliver([
    ...people(3),
    person('E1001', { role: 'departmentmanager', scope: 'Bergen' }),
    person('E1002', { role: 'external', email: 'one@elsewhere.test' }),
    person('E1003', { title: 'Leder', title_no: 'Lead' }),
    person('E1004', { rank: 'g1', unit: 'north' }),
    person('E1005', { unit: 'north', phone: '=1+1', role: 'countrymanager' }),
  ]);
  const { json: plan } = await story.plan();
  expect(plan.bulk_load?.people).toBe(4);
  expect(plan.bulk_load?.singly.map(({ reason }) => reason.split(':')[0])).toEqual([
    'departmentmanager',
    'external',
    'title',
    'tags.grade',
  ]);
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 10, failed: [] } });
  expect(story.takeWrites().filter((write) => write === IMPORT)).toHaveLength(2);
  expect(story.user('E1005')).toMatchObject({
    telephone: '=1+1',
    tags: ['unit/north'],
    roles: ['consultant', 'countrymanager'],
  });
  await expectConverged(story, 8);
});

sweep('keeps one change per person in a saved plan, with its batch, and approvals by person', async () => {
  const story = await openAccount();
  story.configure({ guards: { users: { create: { max: 0 } } } });
  story.deliver(people(4));
  expect((await story.plan()).json).toMatchObject({
    guards: [{ guard: 'users.create', held: 4 }],
    cost: { writes: 0 },
  });
  for (const who of ['user:E0001', 'user:E0002']) await story.approve({ who });
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 3, json: { done: 2, left: 0 } });
  expect(story.takeWrites()).toEqual([IMPORT, IMPORT]);
  expect(story.users()).toHaveLength(2);
  expect((await story.status()).json.approvals).toBe(0);
  expect((await story.explain('user', 'E0003')).json.steps.action).not.toHaveProperty('batch');
  await story.approve({ guard: 'users.create' });
  expect((await story.explain('user', 'E0003')).json.steps.action).toMatchObject({ batch: 'import:hr' });
});

describe('import setting for missing people', () => {
  const held = { country: 'no', office: 'Oslo', email: 'board@example.com', external_unique_id: 'B1' };

  sweep.each(['deactivate', 'remove'] as const)('%s, into an empty account: sends one import', async (missing) => {
    const story = await openAccount({ missing });
    story.deliver(people(3));
    await story.sync();
    expect(story.takeWrites()).toEqual([IMPORT, IMPORT]);
    await expectConverged(story, 3);
  });

  test.each(
    oneIn(1, [
      ['deactivate', 'with an active person', [held], []],
      ['remove', 'with a deactivated person', [{ ...held, deactivated: true }], []],
      ['deactivate', 'with a person sent by a call', [], [person('E9', { role: 'external' })]],
    ] as const),
  )('%s, %s: sends nobody by file, and the plan says why', async (missing, _, users, more) => {
    const story = await openAccount({ missing }, {}, users);
    story.deliver([...people(3), ...more]);
    const { json } = await story.plan();
    expect(json.bulk_load).toMatchObject({ people: 0, refused: expect.stringContaining(`"hr" ${missing}s people`) });
    story.takeWrites();
    expect((await story.sync()).code).toBe(0);
    expect(new Set(story.takeWrites())).toEqual(new Set([CREATE_USER]));
    expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(
      users.filter((user) => 'deactivated' in user).length,
    );
    await expectLinked(story, 3 + more.length);
  });

  async function expectLinked(story: Story, count: number): Promise<void> {
    expect((await story.status()).json.links.users).toBe(count);
  }

  sweep('keep: leaves existing people in place', async () => {
    const story = await openAccount({}, {}, [held]);
    story.deliver(people(3));
    await story.sync();
    expect(story.takeWrites()).toEqual([IMPORT, IMPORT]);
    expect(story.user('B1').deactivated).toBe(false);
  });
});

sweep('sends no file for too few people, or in a run of one person', async () => {
  const story = await openAccount({}, { from: 4 });
  story.deliver(people(3));
  expect((await story.plan()).json.bulk_load).toBeUndefined();
  story.configure({ users: { bulk_load: { from: 2 } } });
  expect(await story.sync({ only: 'user:E0002' })).toMatchObject({ json: { done: 1 } });
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});

sweep("prefers each person's country and office in the file to the defaults of the setting", async () => {
  const story = await openAccount({ default_country: 'se', default_office: 'Stockholm' });
  story.deliver([person('E1', { office: 'Bergen' }), person('E2', { country: 'se', office: 'Stockholm' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, calls: { writes: 2 } } });
  expect(story.users().map(({ office }) => office)).toEqual(['no/Bergen', 'se/Stockholm']);
  await expectConverged(story, 2);
});

sweep('leaves everyone for the next run if the import does not fit into the call budget', async () => {
  const story = await openAccount();
  story.deliver(people(3));
  story.configure({ call_budget: 5 });
  expect(await story.sync()).toMatchObject({
    code: 3,
    json: { done: 0, left: 3, stopped: expect.stringContaining('5') },
  });
  expect(story.takeWrites()).toEqual([]);
  story.configure({ call_budget: 20 });
  expect((await story.sync()).json.done).toBe(3);
});

sweep('waits for a slow import', async () => {
  const story = await openAccount({ delay_ms: 400 });
  story.deliver(people(3));
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3 } });
  await expectConverged(story, 3);
});

sweep('sends nothing and says why when the service rejects the rehearsal', async () => {
  const story = await openAccount({}, { setting: 'nope' });
  story.deliver(people(3));
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { done: 0, left: 0 } });
  expect(ran.json.failed).toHaveLength(3);
  expect(ran.json.failed[0]).toMatchObject({ code: 'SYNC_IMPORT_REFUSED', message: expect.stringContaining('nope') });
  expect(story.takeWrites()).toEqual([IMPORT]);
  expect(story.users()).toEqual([]);
  // Once the setting exists, the run tries the import again.
  story.configure({ users: { bulk_load: { setting: 'hr' } } });
  await story.sync();
  expect(story.takeWrites()).toEqual([IMPORT, IMPORT]);
  await expectConverged(story, 3);
});

sweep.each([
  ['500 to the import', { kind: 'status', status: 500 }, 0],
  ['a lost answer before the work', { kind: 'reset_before' }, 0],
  ['a lost answer after the work', { kind: 'reset_after' }, 3],
  ['half an answer', { kind: 'truncate' }, 3],
] as const)('looks for people and sends nothing twice after %s', async (_, fault, arrived) => {
  const story = await openAccount({}, { confirm_within: '10m' });
  story.deliver(people(3));
  story.sandbox.faults.add({ ...fault, method: 'POST', path: '/api/v1/users/import/csv/hr', skip: 1 });
  const ran = await story.sync();
  expect(story.sandbox.faults.list()).toEqual([]);
  expect(ran.json).toMatchObject({ done: arrived, left: 0 });
  expect(ran.json.failed.map(({ code }) => code)).toEqual(Array(3 - arrived).fill('SYNC_IMPORT_MISSING'));
  expect(story.takeWrites().filter((write) => write === IMPORT).length).toBeLessThanOrEqual(2);
  // The next run sends those whom the import did not bring by single calls.
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual(Array(3 - arrived).fill(CREATE_USER));
  await expectConverged(story, 3);
});

sweep('completes the other rows when the service skips some, and sends those by calls in the next run', async () => {
  const story = await openAccount({}, { confirm_within: '10m' });
  story.deliver([...people(3), person('E9', { email: 'nine@not-whitelisted.test' })]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { done: 3, failed: [{ key: 'E9', code: 'SYNC_IMPORT_MISSING' }] } });
  expect(story.takeWrites()).toEqual([IMPORT, IMPORT]);
  const next = await story.sync();
  expect(next.json.failed).toMatchObject([{ key: 'E9', code: 'SYNC_SERVICE_REFUSED' }]);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});

sweep('reports titles stored in another language than declared, and corrects them in the next run', async () => {
  const story = await openAccount({}, { language: 'en', confirm_within: '10m' });
  story.deliver([person('E1', { title_no: 'Lead' }), person('E2', { title_no: 'Lead' })]);
  const ran = await story.sync();
  expect(ran.json.failed.map(({ code }) => code)).toEqual(['SYNC_WRITE_NOT_TAKEN', 'SYNC_WRITE_NOT_TAKEN']);
  expect((await story.status()).json).toMatchObject({ open_intents: 0, links: { users: 2 } });
});

sweep('leaves a person out of the file whom only a full read shows, and matches them in the next run', async () => {
  const story = await openAccount();
  story.deliver([person('E0')]);
  await story.sync();
  // An account without people leaves no stamp after the first read to continue from.
  await story.sync();
  await story.others('POST', '/api/v1/users', {
    user: { ...(await homeOf(story, 'E0')), email: 'e0002@example.com', name: 'By hand' },
  });
  story.deliver([person('E0'), ...people(3)]);
  // The run follows the feed, which does not have the new colleague yet.
  let isHidden = false;
  const veil = await openVeil(story.sandbox.url, (body) => {
    if (isHidden || !body.includes('e0002@example.com')) return body;
    isHidden = true;
    return '[]';
  });
  story.configure({ service: { base_url: veil.url } });
  const ran = await story.sync();
  expect(ran.json).toMatchObject({ done: 2, failed: [{ key: 'E0002', code: 'SYNC_VALUE_TAKEN' }] });
  expect(story.takeWrites()).toEqual([IMPORT, IMPORT]);
  expect(story.user('e0002@example.com')).toMatchObject({ name: 'By hand', external_unique_id: null });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  await expectConverged(story, 4);
});

sweep('keeps the intents when it cannot read the service afterwards, and looks before the next plan', async () => {
  const story = await openAccount({}, { confirm_within: '10m' });
  story.deliver(people(3));
  // The full read of the plan succeeds; every look at the outcome of the import fails.
  story.sandbox.faults.add({
    kind: 'status',
    status: 503,
    path: '/api/v2/users/search',
    method: 'GET',
    skip: 1,
    times: 500,
  });
  const ran = await story.sync();
  expect(ran.json).toMatchObject({ done: 0, left: 0 });
  expect(ran.json.failed.map(({ code }) => code)).toEqual(Array(3).fill('SYNC_IMPORT_MISSING'));
  expect((await story.status()).json.open_intents).toBe(3);
  story.sandbox.faults.clear();
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
  await expectConverged(story, 3);
});

/** Office and country of a colleague, by id. */
async function homeOf(story: Story, externalId: string): Promise<object> {
  const found = await story.others('GET', `/api/v1/users/find?external_unique_id=${externalId}`);
  const { office_id, country_id } = found as { readonly office_id: string; readonly country_id: string };
  return { office_id, country_id };
}

sweep('stops waiting at a first SIGTERM; the next run looks for the people, and sends nothing', async () => {
  const story = await openAccount({ delay_ms: 1500 });
  story.deliver(people(3));
  let child: ChildProcess | undefined;
  const gate = await openGate(story.sandbox.url, 2, async (forward) => {
    await forward();
    child?.kill('SIGTERM');
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  child = startProgram(story);
  expect((await once(child, 'exit'))[0]).toBe(3);
  expect((await story.status()).json.open_intents).toBe(3);
  story.takeWrites();
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
  await expectConverged(story, 3);
});

sweep.each([
  ['at the rehearsal', 1, 'before', 0],
  ['before the service has the file', 2, 'before', 0],
  ['after the service has the file', 2, 'after', 3],
] as const)('kill %s: looks in the next run, doubles nobody, and loses nobody', async (_, at, moment, arrived) => {
  const story = await openAccount({}, { confirm_within: '200ms' });
  story.deliver(people(3));
  await killAtWrite(story, at, moment);
  expect((await story.status()).json.open_intents).toBe(at === 1 ? 0 : 3);
  story.takeWrites();
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { done: 3 - arrived, failed: [] } });
  expect(story.takeWrites()).toEqual(
    arrived === 3 ? [] : at === 1 ? [IMPORT, IMPORT] : [CREATE_USER, CREATE_USER, CREATE_USER],
  );
  await expectConverged(story, 3);
  const done = (await story.audit()).filter(({ result }) => result === 'done');
  expect(done.map(({ key }) => key)).toEqual(['E0001', 'E0002', 'E0003']);
});
