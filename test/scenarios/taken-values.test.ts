import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { HOUR, person, type Yaml } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const PARKING = { parking_email: 'parked-{id}@example.com' };
const gone = {
  country: 'no',
  office: 'Oslo',
  name: 'Kari Gone',
  email: 'kari@example.com',
  external_unique_id: 'OLD',
  deactivated: true,
};

/** A deactivated account has kari@example.com, and E1 is active under another address. */
async function openTaken(users: { readonly [key: string]: Yaml } = {}, account: object = {}): Promise<Story> {
  const story = await openStory({ users: [{ ...gone, ...account }] });
  story.configure({ users: { match: ['external_unique_id'], ...users } });
  story.deliver([person('E1')]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

const old = (story: Story) => story.users().find(({ name }) => name === 'Kari Gone');

sweep('holds only the address of an active person, and changes the title; the hold ends with the address', async () => {
  const story = await openTaken();
  story.deliver([person('E1', { email: 'kari@example.com', title: 'Lead' })]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { done: 1, guards: [] } });
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_VALUE_TAKEN']);
  expect(ran.json.held[0]?.reason).toMatch(/Kari Gone .*external id OLD, deactivated since \d{4}-\d\d-\d\d/);
  // An account cannot give up an e-mail without a parking address, since an e-mail cannot be empty.
  expect(ran.json.held[0]?.remedy).toContain('users.parking_email');
  expect(story.user('E1')).toMatchObject({ email: 'e1@example.com', title: { en: 'Lead' } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 4, json: { done: 0 } });
  story.deliver([person('E1', { title: 'Lead' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([]);
});

test.each(oneIn(1, [{ guard: 'users.free_value' }, { who: 'user:E1' }]))(
  'parks the address of a deactivated account after one approval, and gives it to its owner: %o',
  async (flags) => {
    const story = await openTaken(PARKING);
    story.deliver([person('E1', { email: 'kari@example.com', title: 'Lead' })]);
    const ran = await story.sync();
    expect(ran).toMatchObject({
      code: 4,
      json: { done: 1, guards: [{ guard: 'users.free_value', limit: 0, held: 1 }] },
    });
    expect(ran.json.held[0]?.remedy).toContain('--guard users.free_value');
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    // The question stays in every run until somebody answers.
    expect(await story.sync({ full: true })).toMatchObject({
      code: 4,
      json: { guards: [{ guard: 'users.free_value' }] },
    });
    expect(story.takeWrites()).toEqual([]);

    expect((await story.approve({ ...flags, reason: 'the address is hers now' })).json.approved).toBe(1);
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [], guards: [] } });
    expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
    expect(story.user('E1').email).toBe('kari@example.com');
    expect(old(story)).toMatchObject({ email: expect.stringMatching(/^parked-/), deactivated: true });
    expect(story.sandbox.calls().filter(({ status }) => status >= 400)).toEqual([]);
    expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
    expect((await story.verify()).json.ok).toBe(true);
  },
);

sweep("holds a joiner with a leaver's address, and creates them with it after one approval", async () => {
  const story = await openTaken(PARKING);
  story.deliver([person('E1'), person('E2', { email: 'kari@example.com' })]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E2 SYNC_VALUE_TAKEN']]);
  expect(story.takeWrites()).toEqual([]);
  await story.approve({ guard: 'users.free_value', reason: 'another Kari' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, CREATE_USER]);
  expect(story.user('E2').email).toBe('kari@example.com');
  expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('holds a joiner whose address belongs to a leaver of another name, until the address is approved', async () => {
  const story = await openStory();
  story.configure({ users: PARKING });
  story.deliver([person('E1'), person('E2', { first: 'Kari', last: 'Gone', email: 'kari@example.com' })]);
  await story.sync();
  story.deliver([
    person('E1'),
    person('E2', { first: 'Kari', last: 'Gone', email: 'kari@example.com', status: 'left' }),
  ]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1'), person('E9', { email: 'kari@example.com' })]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E9 SYNC_MATCH_CLAIMED']]);
  expect(ran.json.held[0]?.remedy).toContain('users.free_value');
  await story.approve({ who: 'user:E9', reason: 'two people' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, CREATE_USER]);
  expect(story.user('E9')).toMatchObject({ email: 'kari@example.com', deactivated: false });
  expect(story.user('E2').deactivated).toBe(true);
  expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('does not approve, with other addresses, that of a namesake who left too long ago', async () => {
  const story = await openStory();
  story.configure({ users: { ...PARKING, relink: { within: '1d' } } });
  const kari = person('E2', { first: 'Kari', last: 'Gone', email: 'kari@example.com' });
  story.deliver([person('E1'), kari]);
  await story.sync();
  story.deliver([person('E1'), { ...kari, status: 'left' }]);
  await story.sync();
  story.clock.advance(48 * HOUR);
  story.deliver([person('E1'), { ...kari, id: 'E9' }]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E9 SYNC_MATCH_CLAIMED']]);
  story.takeWrites();
  expect((await story.approve({ guard: 'users.free_value', reason: 'all of them' })).code).toBe(1);
  expect(await story.sync()).toMatchObject({ code: 4, json: { done: 0 } });
  expect(story.takeWrites()).toEqual([]);
  const remedy = ran.json.held[0]?.remedy ?? '';
  const guard = remedy.match(/--guard (\S+) --who user:E9/)?.[1] ?? '';
  await story.type('holds', 'resolve', 'user:E9', '--new', '--reason', 'two people');
  await story.approve({ guard, who: 'user:E9', reason: 'as she wants' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, CREATE_USER]);
});

sweep('names the setting that lets an account give up its address when no parking address exists', async () => {
  const story = await openStory();
  const kari = person('E2', { first: 'Kari', last: 'Gone', email: 'kari@example.com' });
  story.deliver([person('E1'), kari]);
  await story.sync();
  story.deliver([person('E1'), { ...kari, status: 'left' }]);
  await story.sync();
  story.deliver([person('E1'), person('E9', { email: 'kari@example.com' })]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E9 SYNC_MATCH_CLAIMED']]);
  expect(ran.json.held[0]?.remedy).toContain('users.parking_email');
  story.configure({ users: PARKING });
  expect((await story.sync()).json.held[0]?.remedy).toContain('--guard users.free_value');
});

sweep('clears an external id without a parking address', async () => {
  const story = await openTaken({ match: ['email'] }, { external_unique_id: 'E7' });
  story.deliver([person('E1'), person('E7')]);
  expect(await story.sync()).toMatchObject({ code: 4, json: { guards: [{ guard: 'users.free_value', held: 1 }] } });
  await story.approve({ guard: 'users.free_value', reason: 'reused' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, CREATE_USER]);
  expect(story.user('E7')).toMatchObject({ email: 'e7@example.com', deactivated: false });
  expect(old(story)?.external_unique_id ?? '').toBe('');
  expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('takes one approval for both the address and the id of a deactivated account', async () => {
  const story = await openTaken({ ...PARKING, match: ['name'] }, { external_unique_id: 'E7' });
  story.deliver([person('E1'), person('E7', { email: 'kari@example.com' })]);
  expect(await story.sync()).toMatchObject({ code: 4, json: { guards: [{ guard: 'users.free_value', held: 2 }] } });
  await story.approve({ who: 'user:E7', reason: 'reused' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 3, held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER, CREATE_USER]);
  expect(story.user('E7')).toMatchObject({ email: 'kari@example.com', deactivated: false });
  expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep.each([
  ['an administrator', {}, { roles: ['internationalmanager'] }],
  ['a protected account', { protect: ['user.name == "Kari Gone"'] }, {}],
  ['an active account', {}, { deactivated: false }],
] as const)('frees no value of %s', async (_, users, account) => {
  const story = await openTaken({ ...PARKING, ...users }, account);
  story.deliver([person('E1', { email: 'kari@example.com' })]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 4, json: { guards: [], held: [{ code: 'SYNC_VALUE_TAKEN' }] } });
  expect((await story.approve({ guard: 'users.free_value', reason: 'try' })).code).toBe(1);
  expect(story.takeWrites()).toEqual([]);
});

sweep('holds an address that two active people want for both, and writes the rest', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();
  story.deliver(['E1', 'E2'].map((id) => person(id, { email: 'same@example.com', title: 'Lead' })));
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E1 SYNC_VALUE_TAKEN', 'E2 SYNC_VALUE_TAKEN']]);
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER]);
  expect(story.users().map(({ email, title }) => [email, title])).toEqual([
    ['e1@example.com', { en: 'Lead' }],
    ['e2@example.com', { en: 'Lead' }],
  ]);
});
