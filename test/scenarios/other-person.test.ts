import { describe, expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person, type Row } from './company.js';
import { openStory, type Story, summarise } from './kit.js';

const jane = person('E50', { first: 'Jane', last: 'Doe', email: 'jane.doe@example.com', rank: '1980' });
const peter = person('E50', { first: 'Peter', last: 'Pan', email: 'peter.pan@example.com', rank: '1990' });
const others = [person('E1'), person('E2')];

async function openCompany(patch = {}): Promise<Story> {
  const story = await openStory();
  story.configure({ ...CRM, users: { fields: { born_year: 'int(record.?rank.orValue("1970"))' } } });
  story.configure(patch);
  story.deliver([jane, ...others]);
  story.deliverCompanies([{ id: 'C1', name: 'Acme' }]);
  story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Move' }]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

/** Jane has left and was deactivated. A year later HR gives her number to Peter. */
async function giveNumberAgain(story: Story): Promise<void> {
  story.deliver([{ ...jane, status: 'left' }, ...others]);
  await story.sync();
  expect(story.user('E50').deactivated).toBe(true);
  story.clock.advance(365 * 86_400_000);
  story.deliver([peter, ...others]);
  story.takeWrites();
}

async function idOf(story: Story, externalId: string): Promise<string> {
  const found = await story.others('GET', `/api/v1/users/find?external_unique_id=${externalId}`);
  return (found as { readonly id: string }).id;
}

const answer = (story: Story, ...words: readonly string[]) =>
  story.type('holds', 'resolve', ...words, '--reason', 'asked HR', '--json');

describe('a number that HR gives to another person', () => {
  test('holds the row with arguments for and against, and everything that refers to the number', async () => {
    const story = await openCompany();
    await giveNumberAgain(story);
    story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Move', owners: ['E50'] }]);
    for (const full of [false, true]) {
      const ran = await story.sync({ full });
      expect(ran.code).toBe(4);
      expect(ran.json.guards).toMatchObject([{ guard: 'users.other_person', limit: 0, found: 1, held: 1 }]);
      expect(summarise(ran.json.held)).toEqual(['D1 SYNC_REFERENCE_UNKNOWN', 'E50 SYNC_OTHER_PERSON']);
      const { reason = '', remedy = '' } = ran.json.held.find(({ key }) => key === 'E50') ?? {};
      for (const said of [
        'Jane Doe',
        'Peter Pan',
        'born in 1990 in the source, 1980 in the service',
        'another address',
      ])
        expect(reason).toContain(said);
      for (const way of ['user:E50 --same', 'user:E50 --new-account', 'correct it in the source'])
        expect(remedy).toContain(way);
    }
    expect(story.takeWrites()).toEqual([]);
    // An approval answers neither way.
    for (const flags of [{ guard: 'users.other_person' }, { who: 'user:E50' }, { action: 'users.reactivate' }])
      expect((await story.approve(flags)).error).toMatchObject({ code: 'SYNC_APPROVAL_QUESTION' });
    // The row is corrected, so nothing is held any more.
    story.deliver([{ ...jane, status: 'left' }, ...others]);
    story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Move' }]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { guards: [], held: [] } });
  });

  sweep('creates a separate account for another person, and leaves the old one unchanged', async () => {
    const story = await openCompany({ users: { leaver: { purge: { after: '30d' } } } });
    await giveNumberAgain(story);
    story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Move', owners: ['E50'] }]);
    await story.sync();
    const old = await idOf(story, 'E50');
    expect(JSON.parse((await answer(story, 'user:E50', '--new-account')).stdout)).toMatchObject({
      answer: 'new',
      answered: 1,
      guards: ['users.other_person'],
    });
    expect(await story.sync()).toMatchObject({
      code: 0,
      json: { counts: { users: { create: 1, update: 1 } }, held: [] },
    });
    const fresh = story.user('E50');
    expect(fresh).toMatchObject({ name: 'Peter Pan', email: 'peter.pan@example.com', deactivated: false });
    expect(await idOf(story, 'E50')).not.toBe(old);
    expect(story.user('jane.doe@example.com')).toMatchObject({ name: 'Jane Doe', deactivated: true });
    // The old account never becomes a leaver, and is not purged when the new person leaves.
    story.deliver([{ ...peter, status: 'left' }, ...others]);
    story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Move' }]);
    await story.sync();
    story.clock.advance(10 * 86_400_000);
    await story.sync();
    expect(story.user('jane.doe@example.com').name).toBe('Jane Doe');
    expect((await story.verify()).code).toBe(0);
  });

  sweep('continues the account for the same person', async () => {
    const story = await openCompany();
    await giveNumberAgain(story);
    await story.sync();
    const id = await idOf(story, 'E50');
    expect((await answer(story, 'user:E50', '--same')).code).toBe(0);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { reactivate: 1 } }, held: [] } });
    expect(story.user('E50')).toMatchObject({ name: 'Peter Pan', deactivated: false });
    expect(await idOf(story, 'E50')).toBe(id);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, guards: [] } });
  });

  sweep('uses the last answer, and asks again about another row', async () => {
    const story = await openCompany();
    await giveNumberAgain(story);
    await story.sync();
    await answer(story, 'user:E50', '--same');
    await answer(story, '--guard', 'users.other_person', '--new');
    const next = { ...peter, first: 'Ida', last: 'Holm', email: 'ida.holm@example.com' };
    story.deliver([next, ...others]);
    expect((await story.sync()).json).toMatchObject({ counts: {}, guards: [{ guard: 'users.other_person' }] });
    story.deliver([peter, ...others]);
    expect((await story.sync()).json).toMatchObject({ counts: { users: { create: 1 } }, held: [] });
  });
});

interface FirstAnswer {
  readonly row: Row;
  readonly answer: '--same' | '--new-account' | null;
  /** Name, external id and state of each account afterwards. */
  readonly ends: readonly (readonly [name: string, id: string | null, state: 'active' | 'left'])[];
}

const kim = ['Jane Doe', 'E50', 'active'] as const;
const gone = { ...peter, status: 'left' };

describe('a number that belongs to another person in an account at first contact', () => {
  test.each<readonly [string, FirstAnswer]>([
    ['stays hers until somebody answers', { row: peter, answer: null, ends: [kim] }],
    ['is his, if they are one person', { row: peter, answer: '--same', ends: [['Peter Pan', 'E50', 'active']] }],
    [
      'becomes his in a new account, if they are two',
      {
        row: peter,
        answer: '--new-account',
        ends: [
          ['Jane Doe', null, 'active'],
          ['Peter Pan', 'E50', 'active'],
        ],
      },
    ],
    ['keeps her active, if his row says that he has left', { row: gone, answer: null, ends: [kim] }],
    ['keeps her active, if he has left and they are two', { row: gone, answer: '--new-account', ends: [kim] }],
    ['is deactivated, if they are one person', { row: gone, answer: '--same', ends: [['Jane Doe', 'E50', 'left']] }],
  ])('%s', async (_, { row, answer: given, ends }) => {
    const users = [
      { country: 'no', office: 'Oslo', email: jane.email ?? '', name: 'Jane Doe', external_unique_id: 'E50' },
    ];
    const story = await openStory({ users: users.map((one) => ({ ...one, born_year: 1980 })) });
    story.configure({ users: { fields: { born_year: 'int(record.?rank.orValue("1970"))' } } });
    story.deliver([row]);
    for (const full of [false, true, false]) {
      const ran = await story.sync({ full });
      expect(summarise(ran.json.held)).toEqual(['E50 SYNC_OTHER_PERSON']);
      expect([ran.code, story.takeWrites()]).toEqual([3, []]);
    }
    if (given !== null) {
      expect((await answer(story, 'user:E50', given)).code).toBe(0);
      expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
      expect((await story.sync({ full: true })).json).toMatchObject({ counts: {}, held: [] });
    }
    const found = story.users().map((one) => [one.name, one.external_unique_id, one.deactivated ? 'left' : 'active']);
    expect(found.sort()).toEqual([...ends].sort());
  });
});

test.each<readonly [string, readonly string[], string]>([
  ['until somebody answers', [], 'SYNC_OTHER_PERSON'],
  ['while the external id is taken, if the row means the account of its address', ['--same'], 'SYNC_VALUE_TAKEN'],
  ['if the row does not mean the account of its address', ['--new-account'], 'SYNC_MATCH_DOUBTFUL'],
  ['while the address is taken, if the row means the other one', ['--new-account', '--same'], 'SYNC_VALUE_TAKEN'],
])(
  'keeps the people of two accounts, one with the address and one with the id of a row, %s',
  async (_, given, code) => {
    const at = { country: 'no', office: 'Oslo' };
    const accounts = [
      { name: 'Jane Doe', external_unique_id: 'E50', email: jane.email ?? '', born_year: 1980 },
      { name: 'Peter Pan', external_unique_id: 'E51', email: peter.email ?? '', born_year: 1990 },
    ];
    const story = await openStory({ users: accounts.map((one) => ({ ...at, ...one })) });
    const fields = { born_year: 'int(record.?rank.orValue("1970"))' };
    const unowned = given.includes('--same') ? 'keep' : 'deactivate';
    story.configure({ users: { fields, match: ['email', 'external_unique_id'], unowned } });
    story.deliver([{ ...jane, email: peter.email ?? '' }]);
    for (const full of [false, true])
      expect(summarise((await story.sync({ full })).json.held)).toEqual(['E50 SYNC_OTHER_PERSON']);
    for (const one of given) {
      expect((await answer(story, 'user:E50', one)).code).toBe(0);
      await story.sync();
    }
    expect(summarise((await story.sync({ full: true })).json.held)).toEqual([`E50 ${code}`]);
    expect(story.users()).toMatchObject(accounts.map((one) => ({ ...one, deactivated: false })));
  },
);

test('does not give an account to the row of an active colleague with one wrong number, whatever its address', async () => {
  const story = await openCompany();
  const same: Row = { ...peter, email: jane.email ?? '' };
  story.deliver([same, ...others]);
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ guard: 'users.other_person', held: 1 }]);
  expect(story.takeWrites()).toEqual([]);
  // Both want one address: the existing account gives it up and stays active. An address cannot be empty.
  await answer(story, 'user:E50', '--new-account');
  const { held } = (await story.sync()).json;
  expect([summarise(held), held[0]?.remedy]).toEqual([
    ['E50 SYNC_VALUE_TAKEN'],
    expect.stringContaining('Or set `users.parking_email` and answer again: Jane Doe'),
  ]);
  story.configure({ users: { parking_email: 'gone-{id}@example.com' } });
  await story.sync();
  await answer(story, 'user:E50', '--new-account');
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], guards: [] } });
  expect(story.user('E50')).toMatchObject({ name: 'Peter Pan', email: 'jane.doe@example.com' });
  const [left] = story.users().filter(({ name }) => name === 'Jane Doe');
  expect(left).toMatchObject({ deactivated: false, external_unique_id: null });
  expect(left?.email).toMatch(/^gone-/);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('requires two people where approvals do', async () => {
  const story = await openCompany({ approvals: { four_eyes: true } });
  await giveNumberAgain(story);
  await story.sync();
  expect(JSON.parse((await answer(story, 'user:E50', '--new-account')).stdout)).toMatchObject({
    answered: 0,
    waiting_for_second: 1,
  });
  expect((await story.sync()).json).toMatchObject({ counts: {}, guards: [{ guard: 'users.other_person' }] });
  expect((await answer(story, 'user:E50', '--new-account')).code).toBe(1);
});

sweep('asks nobody about a marriage, a new mailbox number or a new domain', async () => {
  const story = await openCompany();
  story.deliver([{ ...jane, last: 'Roe', email: 'jane.roe@example.com' }, ...others]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { update: 1 } } } });
  story.deliver([{ ...jane, last: 'Roe', email: 'x4711@example.com' }, ...others]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { update: 1 } } } });
});

sweep.each([
  ['first the address, then the name', { email: peter.email ?? '' }, { ...peter, rank: '1980' }],
  ['through a marriage', { first: 'Jane', last: 'Pan' }, { ...peter, rank: '1980' }],
] as const)('asks about an account that passes to another person in steps: %s', async (_steps, first, second) => {
  const story = await openCompany();
  story.deliver([{ ...jane, ...first }, ...others]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { update: 1 } }, guards: [] } });
  story.clock.advance(20 * 86_400_000);
  story.deliver([{ ...jane, ...second }, ...others]);
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ guard: 'users.other_person', held: 1 }]);
  expect(ran.json.held[0]?.reason).toContain('it belonged to Jane Doe (jane.doe@example.com)');
  // The answer that it is the same person also covers later steps.
  await answer(story, 'user:E50', '--same');
  expect((await story.sync()).json).toMatchObject({ counts: { users: { update: 1 } }, held: [] });
  story.deliver([{ ...jane, ...second, email: 'ppan@example.com' }, ...others]);
  expect((await story.sync()).json).toMatchObject({ counts: { users: { update: 1 } }, held: [] });
});

async function moveCrm(story: Story): Promise<void> {
  const names = ['Acme', 'Beta', 'Ceta'];
  story.deliverCompanies(names.map((name, i) => ({ id: `C${i}`, name })));
  story.deliverDeals(names.map((name, i) => ({ id: `D${i}`, customer: `C${i}`, name: `${name} move` })));
  await story.sync();
  story.deliverCompanies(names.map((name, i) => ({ id: `new-${i}`, name })));
  story.deliverDeals(names.map((name, i) => ({ id: `deal-${i}`, customer: `new-${i}`, name: `${name} move` })));
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ guard: 'customers.look_alike', held: 3 }]);
  expect(ran.json.guards[0]?.remedy).toContain('holds resolve --guard customers.look_alike --same');
  story.takeWrites();
}

sweep('moves all links of a replaced CRM when the records are the same, including those of projects', async () => {
  const story = await openCompany({ customers: { match: ['external_unique_id'] } });
  await moveCrm(story);
  const { stdout } = await answer(story, '--guard', 'customers.look_alike', '--same');
  const given = JSON.parse(stdout) as { answered: number; linked: readonly { key: string }[]; run: string };
  expect(given).toMatchObject({ answered: 3, left_open: [] });
  expect(given.linked.map(({ key }) => key).sort()).toEqual(['deal-0', 'deal-1', 'deal-2', 'new-0', 'new-1', 'new-2']);
  expect(await story.sync()).toMatchObject({ code: 0, json: { guards: [], held: [] } });
  expect(story.takeWrites().every((write) => write.startsWith('PUT'))).toBe(true);
  expect(story.customers()).toHaveLength(3);
});

sweep('links a record with several candidates to the named one, or to none', async () => {
  const story = await openCompany();
  const deals = (...ids: readonly string[]) => ids.map((id) => ({ id, customer: 'C1', name: 'Twin' }));
  story.deliverDeals(deals('D2', 'D3'));
  await story.sync();
  story.deliverDeals(deals('H2', 'H3'));
  const { held } = (await story.sync()).json;
  expect(summarise(held)).toEqual(['H2', 'H2', 'H3', 'H3'].map((key) => `${key} SYNC_LOOK_ALIKE`));
  const ways = JSON.parse((await answer(story, 'project:H2', '--same')).stdout).error.remedy as string;
  const [, first = ''] = /holds resolve (\w+) --same/.exec(ways) ?? [];
  expect((await answer(story, first, '--same')).code).toBe(0);
  expect(summarise((await story.sync()).json.held)).toEqual(['H3 SYNC_LOOK_ALIKE']);
  story.deliverDeals(deals('H2', 'K1'));
  await story.sync();
  story.deliverDeals(deals('K2'));
  await story.sync();
  expect(JSON.parse((await answer(story, 'project:K2', '--new')).stdout)).toMatchObject({ answered: 2 });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { projects: { create: 1 } }, held: [] } });
});

sweep('takes a statement that the records differ as identity, not as an approval of their number', async () => {
  const story = await openCompany({
    customers: { match: ['external_unique_id'] },
    guards: { customers: { create: { max: 4 } } },
  });
  await moveCrm(story);
  expect((await answer(story, '--guard', 'customers.look_alike', '--new')).code).toBe(0);
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ guard: 'customers.create', found: 5, held: 3 }]);
  await story.approve({ guard: 'customers.create' });
  expect((await story.sync()).json).toMatchObject({ counts: { customers: { create: 3 } } });
});

sweep('does not ask again about a person linked by hand, but about the next wrong row', async () => {
  const story = await openCompany();
  story.deliver([{ ...jane, status: 'left' }, { ...peter, id: 'E60', email: 'p.pan@example.com' }, ...others]);
  await story.sync();
  story.deliver([{ ...jane, status: 'left' }, ...others]);
  const renamed = { ...jane, id: 'E61', first: 'Ida', last: 'Holm', email: 'ida.holm@example.com' };
  const id = await idOf(story, 'E50');
  expect((await story.type('link', 'users', 'E61', id, '--reason', 'asked HR')).code).toBe(0);
  story.deliver([{ ...jane, status: 'left' }, renamed, ...others]);
  expect((await story.sync()).json.guards).toEqual([]);
  expect(story.user('ida.holm@example.com')).toMatchObject({ name: 'Ida Holm', deactivated: false });
  story.deliver([{ ...jane, status: 'left' }, { ...peter, id: 'E61' }, ...others]);
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.other_person' }]);
});

sweep('does not take an approval of a promotion as an answer about identity', async () => {
  const story = await openCompany({ users: { fields: { roles: 'record.?role.orValue("consultant").split(" ")' } } });
  await story.editUser('E50', { roles: ['consultant', 'countrymanager'] });
  await giveNumberAgain(story);
  const ran = await story.sync({ full: true });
  expect(ran.json.guards.map(({ guard }) => guard)).toContain('users.other_person');
  await story.approve({ guard: 'users.promote' });
  await story.sync();
  expect(story.user('E50')).toMatchObject({ name: 'Jane Doe', deactivated: true });
});

sweep("requires two people to link a person to another's account where approvals do", async () => {
  const story = await openCompany({ approvals: { four_eyes: true } });
  const id = await idOf(story, 'E50');
  story.deliver([...others]);
  await story.type('link', 'users', 'E61', id, '--reason', 'asked HR');
  const next = { ...peter, id: 'E61' };
  story.deliver([next, ...others]);
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.other_person', held: 1 }]);
  expect(story.user('E50')).toMatchObject({ name: 'Jane Doe' });
  // A person who seems to be the same needs no second approval.
  story.deliver([{ ...jane, id: 'E61', last: 'Roe' }, ...others]);
  expect((await story.sync()).json).toMatchObject({ guards: [], held: [] });
  expect(story.user('E61')).toMatchObject({ name: 'Jane Roe' });
});
