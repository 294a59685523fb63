import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, summarise, UPDATE_USER } from './kit.js';

test('passes an e-mail from A to B to C in order: three writes, none rejected', async () => {
  const story = await openStory();
  story.configure({ users: { match: ['external_unique_id'] } });
  story.deliver([
    person('E1', { email: 'a@example.com' }),
    person('E2', { email: 'b@example.com' }),
    person('E3', { email: 'c@example.com' }),
  ]);
  await story.sync();
  story.takeWrites();
  // c leaves E3 for a new address, b goes to E3, a goes to E2: each taker comes after its giver.
  story.deliver([
    person('E1', { email: 'new@example.com' }),
    person('E2', { email: 'a@example.com' }),
    person('E3', { email: 'b@example.com' }),
  ]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { done: 3, failed: [], held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER, UPDATE_USER]);
  expect(story.sandbox.calls().filter(({ status }) => status >= 400)).toEqual([]);
  expect(
    story
      .users()
      .map((user) => `${user.external_unique_id} ${user.email}`)
      .sort(),
  ).toEqual(['E1 new@example.com', 'E2 a@example.com', 'E3 b@example.com']);
});

sweep(
  'holds an e-mail that circulates between people, does nothing by halves, and continues with the rest',
  async () => {
    const story = await openStory();
    story.deliver([person('E1', { email: 'a@example.com' }), person('E2', { email: 'b@example.com' }), person('E3')]);
    await story.sync();
    story.takeWrites();
    story.deliver([
      person('E1', { email: 'b@example.com' }),
      person('E2', { email: 'a@example.com' }),
      person('E3', { title: 'Lead' }),
    ]);
    const ran = await story.sync();
    expect(ran.code).toBe(4);
    expect(summarise(ran.json.held)).toEqual(['E1 SYNC_VALUE_TAKEN', 'E2 SYNC_VALUE_TAKEN']);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1').email).toBe('a@example.com');
  },
);

sweep(
  'moves addresses in a circle of three with four writes through a parking address, and leaves nobody parked',
  async () => {
    const story = await openStory();
    story.configure({ users: { match: ['external_unique_id'], parking_email: 'parked-{id}@example.com' } });
    const of = (a: string, b: string, c: string) => [
      person('E1', { email: `${a}@example.com` }),
      person('E2', { email: `${b}@example.com` }),
      person('E3', { email: `${c}@example.com` }),
    ];
    story.deliver(of('a', 'b', 'c'));
    await story.sync();
    story.takeWrites();
    story.deliver(of('b', 'c', 'a'));
    const plan = await story.plan();
    expect(plan.json.cost.writes).toBe(4);
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 0, json: { done: 4, failed: [], held: [] } });
    expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER, UPDATE_USER, UPDATE_USER]);
    expect(['E1', 'E2', 'E3'].map((who) => story.user(who).email)).toEqual([
      'b@example.com',
      'c@example.com',
      'a@example.com',
    ]);
    expect((await story.sync()).json.counts).toEqual({});
    expect((await story.verify()).json.ok).toBe(true);
  },
);

const SWAP = [
  person('E1', { email: 'a@example.com', phone: 'ua@example.com' }),
  person('E2', { email: 'b@example.com', phone: 'ub@example.com' }),
];
const SWAPPED = [
  person('E1', { email: 'b@example.com', phone: 'ub@example.com' }),
  person('E2', { email: 'a@example.com', phone: 'ua@example.com' }),
];

test.each([
  ['asks the same again', { conflicts: 'hold' }, SWAPPED],
  ['takes the exchange back', { conflicts: 'hold' }, SWAP],
  ['takes the exchange back', { drift: 'report' }, SWAP],
] as const)(
  'leaves nobody parked after a run that ended in between, if the source then %s (%o)',
  async (_what, settings, then) => {
    const story = await openStory();
    const users = { match: ['external_unique_id'], parking_email: 'parked-{id}@example.com' };
    story.configure({ ...settings, users: { ...users, fields: { upn: 'record.?phone' } } });
    story.deliver(SWAP);
    await story.sync();
    story.deliver(SWAPPED);
    story.sandbox.faults.add({ kind: 'status', status: 403, method: 'PUT', path: '/api/v1/users', skip: 1 });
    await story.sync();
    expect(story.users().filter(({ email, upn }) => email.startsWith('parked') && upn === null)).toHaveLength(1);
    story.deliver([...then, person('E3')]);
    expect((await story.sync({ full: true })).json).toMatchObject({ held: [], failed: [] });
    const names = (rows: readonly { readonly email: string }[]) => rows.map(({ email }) => email);
    expect(names(['E1', 'E2'].map((who) => story.user(who)))).toEqual(names(then as readonly { email: string }[]));
    expect(['E1', 'E2'].map((who) => story.user(who).upn)).toEqual(then.map(({ phone }) => phone));
    expect((await story.sync()).json.counts).toEqual({});
  },
);

sweep('takes along the others of a circle that one person needs, and leaves nobody parked', async () => {
  const story = await openStory();
  story.configure({ users: { match: ['external_unique_id'], parking_email: 'parked-{id}@example.com' } });
  story.deliver([person('E1', { email: 'a@example.com' }), person('E2', { email: 'b@example.com' }), person('E3')]);
  await story.sync();
  story.deliver([
    person('E1', { email: 'b@example.com' }),
    person('E2', { email: 'a@example.com' }),
    person('E3', { title: 'Lead' }),
  ]);
  await story.sync({ only: 'user:E2' });
  expect(['E1', 'E2'].map((who) => story.user(who).email)).toEqual(['b@example.com', 'a@example.com']);
  expect(story.user('E3').title).toEqual({});
});

sweep('holds both of two records that want one e-mail', async () => {
  const story = await openStory();
  const file = story.deliver([
    person('E1', { email: 'same@example.com' }),
    person('E2', { email: 'Same@example.com' }),
    person('E3'),
  ]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_VALUE_TAKEN', 'E2 SYNC_VALUE_TAKEN']);
  expect(ran.json.held.map(({ place }) => place).sort()).toEqual([`hr ${file}:2`, `hr ${file}:3`]);
  expect(story.users().map((user) => user.email)).toEqual(['e3@example.com']);
});

sweep('holds an e-mail of a deactivated person, and names that person', async () => {
  const story = await openStory({
    users: [
      {
        country: 'no',
        office: 'Oslo',
        email: 'kari@example.com',
        name: 'Kari Gone',
        external_unique_id: 'OLD',
        deactivated: true,
      },
    ],
  });
  story.configure({ users: { match: ['external_unique_id'] } });
  story.deliver([person('E1', { email: 'kari@example.com' }), person('E2')]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_VALUE_TAKEN']);
  expect(ran.json.held[0]?.reason).toContain('deactivated');
  expect(ran.json.held[0]?.reason).toContain('Kari Gone');
  expect(story.sandbox.calls().filter(({ status }) => status === 422)).toEqual([]);
});

sweep('gives a newcomer the address that another person gives up in the same run', async () => {
  const story = await openStory();
  story.deliver([person('E1', { email: 'info@example.com' })]);
  await story.sync();
  story.deliver([person('E1', { email: 'e1@example.com' }), person('E2', { email: 'info@example.com' })]);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.user('info@example.com').external_unique_id).toBe('E2');
});

sweep('holds a newcomer with the same name as the account, although its record gives the address up', async () => {
  const story = await openStory();
  story.deliver([person('E1', { email: 'info@example.com' })]);
  await story.sync();
  story.deliver([person('E1', { email: 'e1@example.com' }), person('E2', { email: 'info@example.com', last: 'E1' })]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(['E2 SYNC_MATCH_CLAIMED']);
});

sweep('does not try a taker whose giver fails', async () => {
  const story = await openStory();
  story.configure({ users: { match: ['external_unique_id'] } });
  story.deliver([person('E1', { email: 'a@example.com' }), person('E2', { email: 'b@example.com' })]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { email: 'a@elsewhere.test' }), person('E2', { email: 'a@example.com' })]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.failed)).toEqual(['E1 SYNC_SERVICE_REFUSED', 'E2 SYNC_CHANGE_BLOCKED']);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E2').email).toBe('b@example.com');
});

sweep('holds external ids that differ only in case, or takes them as two if `match` says so', async () => {
  const story = await openStory();
  const rows = [person('ab1', { email: 'one@example.com' }), person('AB1', { email: 'two@example.com' })];
  story.deliver(rows);
  const { held } = (await story.sync()).json;
  expect(summarise(held)).toEqual(['AB1 SYNC_VALUE_TAKEN', 'ab1 SYNC_VALUE_TAKEN']);
  expect(held.map(({ reason }) => reason).sort()).toEqual([
    expect.stringContaining('"AB1" is unique in the account, and record ab1 wants it too as "ab1".'),
    expect.stringContaining('"ab1" is unique in the account, and record AB1 wants it too as "AB1".'),
  ]);
  expect(held[0]?.remedy).toContain('compare: { case: exact }');
  story.configure({
    users: { match: [{ fields: ['external_unique_id'], compare: { case: 'exact' } }, 'email'] },
  });
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: { users: { create: 2 } } } });
  story.deliver([...rows, person('Ab1', { email: 'three@example.com' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: { users: { create: 1 } } } });
  expect(
    story
      .users()
      .map((user) => user.external_unique_id)
      .sort(),
  ).toEqual(['AB1', 'Ab1', 'ab1']);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { held: [], counts: {} } });
});
