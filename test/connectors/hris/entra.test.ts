import { describe, expect, it, test } from 'vitest';
import type { WriteOutcome } from '../../../src/model/write-back.js';
import { oneIn, sweep } from '../../depth.js';
import { ask } from '../crm/imitations/ask.js';
import { catchSyncError } from '../fixtures.js';
import { DAY, openEntra, passMinutes } from './open-directory.js';

it('leaves guests out of lists and changes, and keeps a colleague who becomes a guest', async () => {
  const directory = await openEntra(3, {
    users: [{ givenName: 'p0' }, { givenName: 'p1', userType: null }, { givenName: 'g', userType: 'Guest' }],
  });
  const [first = '', old = ''] = directory.ids;
  expect([...(await directory.feed.read()).people.keys()]).toEqual([first, old]);
  directory.entra.create({ givenName: 'g2', userType: 'Guest' });
  directory.entra.update(first, { userType: 'Guest' });
  passMinutes(directory, 30);
  const changed = await directory.feed.read();
  expect([changed.people.size, changed.gone]).toEqual([2, []]);
  passMinutes(directory, DAY);
  const whole = await directory.feed.read();
  expect([[...whole.people.keys()], whole.gone, whole.complete]).toEqual([[old], [], false]);
});

it('reads guests if a filter includes them, with a complete read every time', async () => {
  const keys = `, filter: "userType eq 'Member' or userType eq 'Guest'"`;
  const directory = await openEntra(0, { keys, users: [{ givenName: 'p' }, { givenName: 'g', userType: 'Guest' }] });
  for (const _ of [1, 2]) {
    const read = await directory.feed.read();
    expect([[...read.people.values()].map(({ user_type }) => user_type), read.asked]).toEqual([['Member', 'Guest'], 1]);
  }
});

describe.each([[false], [true]])('changes with only the changed properties: %s', (isMinimal) => {
  it('keep the other values, and clear emptied ones', async () => {
    const directory = await openEntra(0, {
      isMinimal,
      users: [{ givenName: 'p', jobTitle: 'Adviser', department: 'Sea', businessPhones: ['22'] }],
    });
    const [id = ''] = (await directory.feed.read()).people.keys();
    directory.entra.update(id, { jobTitle: 'Manager' });
    directory.entra.update(id, { department: null, businessPhones: [] });
    passMinutes(directory, 30);
    const { people, asked } = await directory.feed.read();
    const { first_name, title, department, phone } = people.get(id) ?? {};
    expect([first_name, title, department, phone, asked]).toEqual(['p', 'Manager', undefined, undefined, 1]);
  });
});

it.each([
  ['expired', (directory: Awaited<ReturnType<typeof openEntra>>) => directory.entra.expireDeltaLinks()],
  ['is older than seven days', (directory: Awaited<ReturnType<typeof openEntra>>) => passMinutes(directory, 8 * DAY)],
])('reads everyone again, only once, after a link %s', async (_, lapse) => {
  const directory = await openEntra(5, { keys: ', incremental: { full_every: 30d }' });
  await directory.feed.read();
  directory.remove(directory.ids[0] ?? '');
  lapse(directory);
  const again = await directory.feed.read();
  // The requests are the link, the start of the next one, the list, a listed person and the missing one.
  expect([again.people.size, again.gone, again.asked]).toEqual([4, [directory.ids[0]], 5]);
  directory.rename(directory.ids[1] ?? '', 'renamed');
  passMinutes(directory, 30);
  expect((await directory.feed.read()).asked).toBe(1);
});

it('misses no change made while the list is read', async () => {
  const directory = await openEntra(1_010);
  const [first = '', second = ''] = directory.ids;
  let pages = 0;
  const between = Object.assign(/./, {
    test: (asked: string) => {
      if (!asked.endsWith('/users') || ++pages !== 2) return false;
      directory.rename(first, 'renamed');
      directory.remove(second);
      return false;
    },
  });
  directory.server.failNext(500, between);
  await directory.feed.read();
  directory.server.faults.length = 0;
  passMinutes(directory, 30);
  const { people, gone } = await directory.feed.read();
  expect([people.get(first)?.first_name, gone]).toEqual(['renamed', [second]]);
});

sweep('reads the written date of hire, whatever the time after it', async () => {
  const directory = await openEntra(0, {
    users: [{ employeeHireDate: '2026-03-01T00:00:00Z' }, { employeeHireDate: '2027-01-31T23:00:00Z' }, {}],
  });
  const { people, rejected } = await directory.feed.read();
  const days = [...people.values()].map(({ start_date: day }) => (day instanceof Date ? day.toISOString() : day));
  expect([days, rejected]).toEqual([['2026-02-28T23:00:00.000Z', '2027-01-30T23:00:00.000Z', undefined], []]);
});

sweep('reads custom attributes that a column names', async () => {
  const keys =
    ', columns: { grade: { type: string, optional: true, from: /onPremisesExtensionAttributes/extensionAttribute7 } }';
  const directory = await openEntra(0, {
    keys,
    users: [{ onPremisesExtensionAttributes: { extensionAttribute7: 'G4' } }, {}],
  });
  expect([...(await directory.feed.read()).people.values()].map(({ grade }) => grade)).toEqual(['G4', undefined]);
});

sweep('waits as long as Graph asks, and does not take this for a lost permission', async () => {
  const directory = await openEntra(3);
  directory.server.failNext(429, /users$/);
  expect((await directory.feed.read()).people.size).toBe(3);
  expect(directory.feed.slept).toEqual([7_000]);
});

it.each([
  [
    'a property outside lists',
    ', columns: { hobby: { type: string, optional: true, from: /aboutMe } }',
    'not yet supported',
  ],
  [
    'an unknown property',
    ', columns: { hobby: { type: string, optional: true, from: /hobby } }',
    "property named 'hobby'",
  ],
  ['a filter that Graph does not know', ', filter: "jobTitle like \'x\'"', 'filter clause'],
])('quotes Graph on %s', async (_, keys, words) => {
  const directory = await openEntra(1, { keys });
  expect(await catchSyncError(directory.feed.read())).toMatchObject({
    code: 'SYNC_SOURCE_UNREADABLE',
    message: expect.stringContaining(words),
  });
});

it('logs in with the app’s secret, and quotes no secret after a rejection', async () => {
  const directory = await openEntra(1);
  Object.assign(directory.entra, { clientSecret: 'another' });
  const error = await catchSyncError(directory.feed.read());
  expect(error.code).toBe('SYNC_SOURCE_DENIED');
  expect(error.message).toContain('AADSTS7000215');
  expect(JSON.stringify(error)).not.toContain('entra-secret-of-the-app');
});

describe('write-back', () => {
  const write = async (cells: object, user: object = {}, permission = 'User.ReadWrite.All') => {
    const directory = await openEntra(0, { keys: ', write_back: true', users: [{ givenName: 'p', ...user }] });
    directory.entra.permissions = new Set([permission]);
    const outcomes: WriteOutcome[] = [];
    const id = '00000000-0000-0000-0000-000000000001';
    await directory.feed.writer.write(
      [{ record: id, cells } as never],
      { run: 'r1', atMs: 0 },
      (outcome) => void outcomes.push(outcome),
    );
    return { outcome: outcomes[0], user: directory.entra.find(id) };
  };

  test.each([
    [
      { title: 'Manager', office: 'Oslo' },
      { jobTitle: 'Manager', officeLocation: 'Oslo' },
    ],
    [{ phone: '+47 22' }, { businessPhones: ['+47 22'] }],
    [
      { phone: null, mobile: null },
      { businessPhones: [], mobilePhone: null },
    ],
  ])('sets %j', async (cells, properties) => {
    const { outcome, user } = await write(cells);
    expect([outcome?.status, user]).toEqual(['done', expect.objectContaining(properties)]);
  });

  test.each([
    [
      'an account managed by Active Directory',
      { onPremisesSyncEnabled: true },
      'User.ReadWrite.All',
      'on-premises mastered',
    ],
    ['a missing permission', {}, 'User.Read.All', 'Insufficient privileges'],
  ])('reports %s for that person', async (_, user, permission, words) => {
    const { outcome } = await write({ title: 'x' }, user, permission);
    expect(outcome).toMatchObject({ status: 'refused', message: expect.stringContaining(words) });
  });

  test.each(oneIn(1 / 2, ['email', 'username', 'enabled', 'manager_id', 'user_type', 'start_date']))(
    'does not write %s',
    async (column) => {
      const { outcome } = await write({ [column]: 'x' });
      expect(outcome).toMatchObject({
        status: 'refused',
        message: expect.stringMatching(/by a link|not among the properties/),
      });
    },
  );
});

describe('the Entra imitation', () => {
  test.each([
    ['users?$top=1000', 400],
    ['users?$skip=10', 400],
    ['users?$select=manager', 400],
    ['users?$select=aboutMe', 501],
    ['users/delta?$top=5', 400],
    ['users/delta?$expand=manager', 400],
    ['users/delta?$deltatoken=t99', 410],
    ['users/nobody', 404],
    ['groups', 400],
  ])('rejects %s with %i', async (path, status) => {
    const { entra, feed } = await openEntra(1);
    await feed.read();
    const token = /Bearer (.+)/.exec(entra.requests.at(-1)?.headers.authorization ?? '')?.[1] ?? '';
    expect((await ask(`${entra.url}/v1.0/${path}`, { token })).status).toBe(status);
    expect((await ask(`${entra.url}/v1.0/${path}`, { token: 'another' })).status).toBe(401);
  });
});
