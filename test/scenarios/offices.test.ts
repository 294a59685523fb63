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

/** A run that has nothing to do any more, with everything read. */
async function expectSettled(story: Story): Promise<void> {
  story.takeWrites();
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
}

test('a country, an office in it and a joiner in that office: one write each, in that order', async () => {
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

sweep('an office made for a record in a country that is only about to be created', async () => {
  const story = await openOrganised(true);
  deliverOrg(story, 'countries', [{ code: 'dk', language: 'da' }]);
  story.deliver([person('E1'), person('E2'), person('E3', { country: 'dk', office: 'Aarhus' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_COUNTRY, CREATE_OFFICE, CREATE_USER]);
  await expectSettled(story);
});

sweep('a country changes in one write; its template type goes with its template', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'countries', [{ code: 'no', language: 'no', ui: 'en', template: 't1', kind: 'word' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_COUNTRY]);
  await expectSettled(story);
  deliverOrg(story, 'countries', [{ code: 'no', language: 'no', ui: 'en', template: 't1', kind: 'json' }]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_COUNTRY]);
  await expectSettled(story);
  // Countries are never deleted, and what the feed no longer lists stays.
  deliverOrg(story, 'countries', [{ code: 'no', language: 'no', ui: 'en', template: 't1', kind: 'json' }]);
  await expectSettled(story);
});

sweep('a renamed office is one write and nobody moves, whether HR knows the new name yet or not', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'offices', [{ ...OSLO, name: 'Oslo Sentrum' }, BERGEN]);
  story.deliver([person('E1', { office: 'Oslo Sentrum' }), person('E2')]);
  const plan = await story.plan();
  expect(plan.json).toMatchObject({ counts: { offices: { update: 1 } }, held: [] });
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE]);
  expect(story.user('E2').office).toBe('no/Oslo Sentrum');
  await expectSettled(story);
  // One of them joins the others in the new name, a third one comes by it, and a fourth by the old one.
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

sweep(
  'a joiner by the old name of an office that was renamed in the service is held; no office is made of it',
  async () => {
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
    // Once nobody's record means the renamed one by it, the name is free for another office.
    story.deliver([...['E1', 'E2'].map((id) => person(id, { office: 'Oslo Sentrum' })), person('E3')]);
    await story.sync();
    expect((await story.sync()).json.held).toEqual([]);
    expect(['E1', 'E3'].map((id) => story.user(id).office)).toEqual(['no/Oslo Sentrum', 'no/Oslo']);
  },
);

sweep('somebody who moves to a renamed office in the same run waits for its name', async () => {
  const story = await openOrganised();
  deliverOrg(story, 'offices', [OSLO, { ...BERGEN, name: 'Bergen Sentrum' }]);
  story.deliver([person('E1', { office: 'Bergen Sentrum' }), person('E2'), person('E3', { office: 'Bergen' })]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E3 SYNC_REFERENCE_UNKNOWN']);
  expect(ran.json.held[0]?.reason).toContain('"Bergen Sentrum"');
  expect(story.takeWrites()).toEqual([UPDATE_OFFICE, UPDATE_USER]);
  expect(story.user('E1').office).toBe('no/Bergen Sentrum');
});

sweep('names that are passed on are written in order; a taken one, a circle and two takers are held', async () => {
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

sweep('offices that swap their names move nobody, whose rows have the new names already', async () => {
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

sweep('an office that the feed gives to another country is held: no call moves one', async () => {
  const story = await openOrganised();
  // Its new name is one of the other country.
  for (const name of [OSLO.name, 'Lund']) {
    deliverOrg(story, 'offices', [{ ...OSLO, country: 'se', name }, BERGEN]);
    const ran = await story.sync();
    expect(summarise(ran.json.held)).toEqual(['O1 SYNC_CHANGE_BLOCKED']);
    expect(story.takeWrites()).toEqual([]);
  }
});

test('an office that is gone waits for the last person to leave, and goes in the same run', async () => {
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

sweep('who is deactivated counts, and who moves in: the office stays', async () => {
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
  'an office that somebody else fills in between is refused: held with the service’s words, and nothing else stops',
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
  'an office whose deletion is refused again and again rests ever longer, and is tried at once when somebody was in it',
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

sweep('upsert-only deletes no office, create-only renames none', async () => {
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

sweep('an office renamed by somebody else gets its name back, or is reported', async () => {
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

sweep('offices of the feed and offices that records name are the same offices', async () => {
  const story = await openOrganised(true);
  deliverOrg(story, 'offices', [OSLO, BERGEN, { id: 'O3', country: 'no', name: 'Moss' }]);
  story.deliver([person('E1', { office: 'Moss' }), person('E2', { office: 'Voss' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites().sort()).toEqual([CREATE_OFFICE, CREATE_OFFICE, UPDATE_USER, UPDATE_USER]);
  // The feed delivers it later, and calls it otherwise in the run after that.
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

sweep('explain and --only know offices by what they are called, of the feed or not', async () => {
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
] as const)('the first answer of every call is lost %s it happened: everything is there once', async (_, kind) => {
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
