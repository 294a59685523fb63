import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';
import { COUNTRIES, deliverOrg, OFFICES, ORG } from './org.js';

const CREATE_COUNTRY = 'POST /api/v1/countries';
const UPDATE_COUNTRY = 'PUT /api/v1/countries/:country_id';
const CREATE_OFFICE = 'POST /api/v1/countries/:country_id/offices';
const UPDATE_OFFICE = 'PUT /api/v1/countries/:country_id/offices/:office_id';
const DELETE_OFFICE = 'DELETE /api/v1/countries/:country_id/offices/:office_id';

const OSLO = { id: 'O1', country: 'no', name: 'Oslo' };
const BERGEN = { id: 'O2', country: 'no', name: 'Bergen' };

async function openOrganised(createMissing = false): Promise<Story> {
  const story = await openStory();
  story.configure({
    ...ORG,
    countries: COUNTRIES,
    offices: OFFICES,
    users: {
      fields: { office: { country: 'record.country', name: 'record.office', create_missing: createMissing } },
    },
  });
  deliverOrg(story, 'countries', [
    { code: 'no', language: 'no' },
    { code: 'se', language: 'sv' },
  ]);
  deliverOrg(story, 'offices', [OSLO, BERGEN]);
  story.deliver([person('E1'), person('E2')]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_USER, CREATE_USER]);
  return story;
}

/** Performs a run that reads everything and must have nothing left to do. */
async function expectSettled(story: Story): Promise<void> {
  story.takeWrites();
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
}

test('creates a country, an office in it and a joiner there with one write each, in that order', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'countries', [{ code: 'dk', language: 'da' }]);
  deliverOrg(story, 'offices', [OSLO, BERGEN, { id: 'O3', country: 'dk', name: 'Aarhus', language: 'en' }]);
  story.deliver([person('E1'), person('E2'), person('E3', { country: 'dk', office: 'Aarhus' })]);
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ countries: { create: 1 }, offices: { create: 1 }, users: { create: 1 } });
  expect(plan.json.cost.writes).toBe(3);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_COUNTRY, CREATE_OFFICE, CREATE_USER]);
  expect(story.user('E3').office).toBe('dk/Aarhus');
  await expectSettled(story);
});

sweep('creates an office for a record in a country that the same run creates', async () => {
  const story = await openOrganised(true);
  deliverOrg(story, 'countries', [{ code: 'dk', language: 'da' }]);
  story.deliver([person('E1'), person('E2'), person('E3', { country: 'dk', office: 'Aarhus' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_COUNTRY, CREATE_OFFICE, CREATE_USER]);
  await expectSettled(story);
});

sweep('changes a country in one write, its template type with its template', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'countries', [{ code: 'no', language: 'no', ui: 'en', template: 't1', kind: 'word' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_COUNTRY]);
  await expectSettled(story);
  deliverOrg(story, 'countries', [{ code: 'no', language: 'no', ui: 'en', template: 't1', kind: 'json' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_COUNTRY]);
  await expectSettled(story);
  // Countries are never deleted, and one that the feed no longer lists stays.
  deliverOrg(story, 'countries', [{ code: 'no', language: 'no', ui: 'en', template: 't1', kind: 'json' }]);
  await expectSettled(story);
});

sweep('renames an office in one write and moves nobody, with the new or the old name in HR', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'offices', [{ ...OSLO, name: 'Oslo Sentrum' }, BERGEN]);
  story.deliver([person('E1', { office: 'Oslo Sentrum' }), person('E2')]);
  const plan = await story.plan();
  expect(plan.json).toMatchObject({ counts: { offices: { update: 1 } }, held: [] });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE]);
  expect(story.user('E2').office).toBe('no/Oslo Sentrum');
  await expectSettled(story);
  // One person has the new name now, a third joins under it, and a fourth joins under the old one.
  story.deliver([
    person('E1', { office: 'Oslo Sentrum' }),
    person('E2', { title: 'Lead' }),
    person('E3', { office: 'Oslo Sentrum' }),
    person('E4'),
  ]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E4 SYNC_REFERENCE_UNKNOWN']);
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(story.user('E2').office).toBe('no/Oslo Sentrum');
});

sweep('holds a joiner under the old name of an office renamed in the service, and creates no office', async () => {
  const story = await openStory();
  story.configure({
    users: { fields: { office: { country: 'record.country', name: 'record.office', create_missing: true } } },
  });
  story.deliver([person('E1'), person('E2')]);
  for (let run = 0; run < 2; run++) await story.sync();
  type Country = {
    readonly _id: string;
    readonly offices: readonly { readonly _id: string; readonly name: string }[];
  };
  const countries = (await story.others('GET', '/api/v1/countries')) as readonly Country[];
  const [at] = countries.flatMap(({ _id, offices }) =>
    offices.flatMap((one) => (one.name === 'Oslo' ? [`/api/v1/countries/${_id}/offices/${one._id}`] : [])),
  );
  await story.others('PUT', at as string, { name: 'Oslo Sentrum' });
  story.takeWrites();
  story.deliver([person('E1'), person('E2'), person('E3'), person('E4', { office: 'Moss' })]);
  for (const writes of [[CREATE_OFFICE, CREATE_USER], [], []]) {
    const { json } = await story.sync({ full: writes.length === 0 });
    expect(summarise(json.held)).toEqual(['E3 SYNC_REFERENCE_UNKNOWN']);
    expect(json.held[0]?.reason).toContain('is called "Oslo Sentrum".');
    expect(story.takeWrites()).toEqual(writes);
  }
  expect(['E1', 'E2', 'E4'].map((id) => story.user(id).office)).toEqual([
    'no/Oslo Sentrum',
    'no/Oslo Sentrum',
    'no/Moss',
  ]);
  // Once no record uses that name for the renamed office, another office may have it.
  story.deliver([...['E1', 'E2'].map((id) => person(id, { office: 'Oslo Sentrum' })), person('E3')]);
  await story.sync();
  expect((await story.sync()).json.held).toEqual([]);
  expect(['E1', 'E3'].map((id) => story.user(id).office)).toEqual(['no/Oslo Sentrum', 'no/Oslo']);
});

sweep('holds a person who moves to a renamed office in the same run until the name is known', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'offices', [OSLO, { ...BERGEN, name: 'Bergen Sentrum' }]);
  story.deliver([person('E1', { office: 'Bergen Sentrum' }), person('E2'), person('E3', { office: 'Bergen' })]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E3 SYNC_REFERENCE_UNKNOWN']);
  expect(ran.json.held[0]?.reason).toContain('"Bergen Sentrum"');
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE, UPDATE_USER]);
  expect(story.user('E1').office).toBe('no/Bergen Sentrum');
});

sweep('passes names on in order, and holds a taken name, a circle and two offices that want one name', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'offices', [
    { ...OSLO, name: 'Bergen' },
    { ...BERGEN, name: 'Voss' },
  ]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE, UPDATE_OFFICE]);
  expect(story.offices()).toEqual(['no/Bergen', 'no/Voss', 'se/Stockholm']);

  deliverOrg(story, 'offices', [
    { ...OSLO, name: 'Voss' },
    { ...BERGEN, name: 'Bergen' },
  ]);
  expect(summarise((await story.plan()).json.held)).toEqual(['O1 SYNC_VALUE_TAKEN', 'O2 SYNC_VALUE_TAKEN']);
  deliverOrg(story, 'offices', [{ ...OSLO, name: 'Voss' }]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['O1 SYNC_VALUE_TAKEN']);
  expect(ran.json.held[0]?.reason).toContain('unique in its country');
  deliverOrg(story, 'offices', [
    { id: 'O8', country: 'no', name: 'Moss' },
    { id: 'O9', country: 'no', name: 'moss' },
  ]);
  expect(summarise((await story.sync()).json.held)).toEqual(['O8 SYNC_VALUE_TAKEN', 'O9 SYNC_VALUE_TAKEN']);
  expect(story.takeWrites()).toEqual([]);
});

sweep('moves nobody when offices swap names and the rows already have the new ones', async () => {
  const story = await openOrganised();
  story.deliver([person('E1'), person('E2', { office: 'Bergen' })]);
  await story.sync();
  story.takeWrites();
  const swapped = [
    { ...OSLO, name: 'Bergen' },
    { ...BERGEN, name: 'Oslo' },
  ];
  const people = [person('E1', { office: 'Bergen' }), person('E2', { office: 'Oslo' })];
  deliverOrg(story, 'offices', swapped);
  story.deliver([...people, person('E3', { office: 'Oslo' })]);
  const held = [
    'O1 SYNC_VALUE_TAKEN',
    'O2 SYNC_VALUE_TAKEN',
    ...['E1', 'E2', 'E3'].map((who) => `${who} SYNC_REFERENCE_UNKNOWN`),
  ];
  for (const full of [false, true]) {
    const ran = await story.sync({ full });
    expect([...summarise(ran.json.held)].sort()).toEqual([...held].sort());
    expect(story.takeWrites()).toEqual([]);
  }
  deliverOrg(story, 'offices', [
    { ...OSLO, name: 'Elsewhere' },
    { ...BERGEN, name: 'Oslo' },
  ]);
  await story.sync();
  deliverOrg(story, 'offices', swapped);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE, UPDATE_OFFICE, CREATE_USER, UPDATE_OFFICE]);
  expect([story.user('E1').office, story.user('E2').office]).toEqual(['no/Bergen', 'no/Oslo']);
  await expectSettled(story);
});

sweep('holds an office that the feed gives to another country, since no call moves one', async () => {
  const story = await openOrganised();
  // Its new name exists in the other country.
  for (const name of [OSLO.name, 'Lund']) {
    deliverOrg(story, 'offices', [{ ...OSLO, country: 'se', name }, BERGEN]);
    const ran = await story.sync();
    expect(summarise(ran.json.held)).toEqual(['O1 SYNC_CHANGE_BLOCKED']);
    expect(story.takeWrites()).toEqual([]);
  }
});

test('deletes an office in the run in which the last person moves out', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'offices', [{ ...OSLO, gone: 'yes' }, BERGEN]);
  const held = await story.sync();
  expect(summarise(held.json.held)).toEqual(['O1 SYNC_CHANGE_BLOCKED']);
  expect(held.json.held[0]?.reason).toContain('2 people would still be in it (Person E1 <e1@example.com>, Person E2');
  story.deliver([person('E1', { office: 'Bergen' }), person('E2')]);
  expect((await story.sync()).json.held[0]?.reason).toContain('1 person would still be in it (Person E2');
  expect(story.takeWrites()).toEqual([UPDATE_USER]);

  story.deliver([person('E1', { office: 'Bergen' }), person('E2', { office: 'Bergen' })]);
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { update: 1 }, offices: { delete: 1 } });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER, DELETE_OFFICE]);
  expect(story.offices()).toEqual(['no/Bergen', 'se/Stockholm']);
  await expectSettled(story);
});

sweep('keeps an office for deactivated people, and for people who move in', async () => {
  const story = await openOrganised();
  story.deliver([person('E1', { status: 'left' }), person('E2', { office: 'Bergen' })]);
  await story.sync();
  story.takeWrites();
  deliverOrg(story, 'offices', [
    { ...OSLO, gone: 'yes' },
    { ...BERGEN, gone: 'yes' },
  ]);
  story.deliver([
    person('E1', { status: 'left' }),
    person('E2', { office: 'Oslo' }),
    person('E3', { country: 'se', office: 'Stockholm' }),
  ]);
  const { held } = (await story.plan()).json;
  expect(held.map(({ key, reason }) => `${key} ${reason}`)).toEqual([
    'O1 It is to be deleted, but 1 person would still be in it (Person E1 <e1@example.com> (deactivated)), and 1 person would move in (Person E2 <e2@example.com>).',
  ]);
});

sweep(
  "fails the deletion of an office that others filled in between, with the service's reason, and continues",
  async () => {
    const story = await openOrganised();
    deliverOrg(story, 'offices', [OSLO, { ...BERGEN, gone: 'yes' }, { id: 'O3', country: 'no', name: 'Moss' }]);
    story.sandbox.faults.add({
      kind: 'status',
      status: 400,
      method: 'DELETE',
      path: '^/api/v1/countries/[^/]+/offices',
    });
    const ran = await story.sync();
    expect(ran.json.failed).toMatchObject([{ entity: 'offices', key: 'O2', code: 'SYNC_SERVICE_REFUSED' }]);
    expect(story.takeWrites()).toContain(CREATE_OFFICE);
    expect((await story.sync()).code).toBe(0);
    expect(story.offices()).toEqual(['no/Moss', 'no/Oslo', 'se/Stockholm']);
  },
);

sweep(
  'waits longer after each rejected deletion of an office, and retries immediately once a person was in it',
  async () => {
    const story = await openOrganised();
    deliverOrg(story, 'offices', [OSLO, { ...BERGEN, gone: 'yes' }]);
    story.sandbox.faults.add({ kind: 'status', status: 400, method: 'DELETE', path: '/api/v1/countries', times: 2 });
    await story.sync();
    await story.sync();
    story.takeWrites();
    expect(summarise((await story.sync()).json.held)).toEqual(['O2 SYNC_CHANGE_PAUSED']);
    expect(story.takeWrites()).toEqual([]);

    const countries = (await story.others('GET', '/api/v1/countries')) as readonly {
      _id: string;
      offices: readonly { _id: string; name: string }[];
    }[];
    const [place] = countries.flatMap(({ _id: country_id, offices }) =>
      offices.flatMap(({ _id: office_id, name }) => (name === 'Bergen' ? [{ country_id, office_id }] : [])),
    );
    const visitor = (await story.others('POST', '/api/v1/users', {
      user: { ...place, email: 'visitor@example.com' },
    })) as { readonly id: string };
    expect(summarise((await story.sync()).json.held)).toEqual(['O2 SYNC_CHANGE_BLOCKED']);
    await story.others('DELETE', `/api/v1/users/${visitor.id}`);
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(story.offices()).not.toContain('no/Bergen');
  },
);

sweep('deletes no office under upsert-only, and renames none under create-only', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'offices', [
    { ...OSLO, name: 'Oslo Sentrum' },
    { ...BERGEN, gone: 'yes' },
  ]);
  story.configure({ policy: 'create-only' });
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  story.configure({ policy: 'upsert-only' });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE]);
  story.configure({ policy: 'sync' });
  await story.sync();
  expect(story.takeWrites()).toEqual([DELETE_OFFICE]);
});

sweep('restores the name of an office that others renamed, or reports it', async () => {
  const story = await openOrganised();
  const countries = (await story.others('GET', '/api/v1/countries')) as readonly {
    _id: string;
    code: string;
    offices: readonly { _id: string; name: string }[];
  }[];
  const norway = countries.find(({ code }) => code === 'no');
  const oslo = norway?.offices.find(({ name }) => name === 'Oslo');
  await story.others('PUT', `/api/v1/countries/${norway?._id}/offices/${oslo?._id}`, { name: 'Kristiania' });
  story.configure({ drift: 'report' });
  expect(summarise((await story.plan()).json.held)).toEqual(['O1 SYNC_DRIFT_REPORTED']);
  story.configure({ drift: 'correct' });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE]);
  await expectSettled(story);
});

sweep('treats offices of the feed and offices that records name as the same', async () => {
  const story = await openOrganised(true);
  deliverOrg(story, 'offices', [OSLO, BERGEN, { id: 'O3', country: 'no', name: 'Moss' }]);
  story.deliver([person('E1', { office: 'Moss' }), person('E2', { office: 'Voss' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().sort()).toEqual([CREATE_OFFICE, CREATE_OFFICE, UPDATE_USER, UPDATE_USER]);
  // The feed delivers it later, and renames it in the run after that.
  deliverOrg(story, 'offices', [
    OSLO,
    BERGEN,
    { id: 'O3', country: 'no', name: 'Moss' },
    { id: 'O4', country: 'no', name: 'Voss' },
  ]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([]);
  deliverOrg(story, 'offices', [{ id: 'O4', country: 'no', name: 'Voss sentrum' }]);
  story.deliver([person('E1', { office: 'Moss' }), person('E2', { office: 'Voss sentrum' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE]);
  await expectSettled(story);
});

sweep('finds offices by name in explain and --only, from the feed or not', async () => {
  const story = await openOrganised(true);
  expect((await story.explain('office', 'no/Oslo')).json).toMatchObject({ entity: 'offices', key: 'O1' });
  expect((await story.explain('office', 'se/stockholm')).json).toMatchObject({
    key: 'se/stockholm',
    steps: { sources: [], mirror: { values: { name: 'Stockholm', num_users: 0 } }, action: null },
  });
  expect((await story.explain('country', 'NO')).json).toMatchObject({ entity: 'countries', key: 'no' });
  story.deliver([person('E1', { office: 'Voss' }), person('E2', { office: 'Bergen' })]);
  expect((await story.explain('office', 'no/voss')).json).toMatchObject({
    key: 'no/voss',
    steps: { mirror: null, action: { action: 'create', reason: { kind: 'referenced' } } },
  });
  expect((await story.explain('office', 'no/nowhere')).error?.code).toBe('SYNC_NOT_FOUND');
  deliverOrg(story, 'offices', [{ ...OSLO, name: 'Oslo Sentrum' }, BERGEN]);
  expect((await story.plan({ only: 'office:no/Oslo' })).json.counts).toEqual({ offices: { update: 1 } });
});

sweep.each([
  ['before', 'reset_before'],
  ['after', 'reset_after'],
] as const)('creates everything once when the first answer to every call is lost %s it happened', async (_, kind) => {
  const story = await openOrganised();
  story.configure({ service: { timeout: '250ms' } });
  deliverOrg(story, 'countries', [
    { code: 'no', language: 'no', ui: 'en' },
    { code: 'dk', language: 'da' },
  ]);
  deliverOrg(story, 'offices', [
    { ...OSLO, name: 'Oslo Sentrum' },
    { ...BERGEN, gone: 'yes' },
    { id: 'O3', country: 'dk', name: 'Aarhus' },
  ]);
  story.sandbox.faults.add(
    ...[
      ['POST', '^/api/v1/countries(\\?|$)'],
      ['PUT', '^/api/v1/countries/[^/]+(\\?|$)'],
      ['POST', '^/api/v1/countries/[^/]+/offices'],
      ['PUT', '^/api/v1/countries/[^/]+/offices'],
      ['DELETE', '^/api/v1/countries/[^/]+/offices'],
    ].map(([method = '', path = '']) => ({ kind, method, path })),
  );
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 5, failed: [] } });
  expect(story.sandbox.faults.list()).toEqual([]);
  expect(story.offices()).toEqual(['dk/Aarhus', 'no/Oslo Sentrum', 'se/Stockholm']);
  await expectSettled(story);
  expect((await story.verify()).json.ok).toBe(true);
});
