import { describe, expect, it, test } from 'vitest';
import type { WriteOutcome } from '../../../src/model/write-back.js';
import { sweep } from '../../depth.js';
import { ask } from '../crm/imitations/ask.js';
import { catchSyncError } from '../fixtures.js';
import { throttled } from './imitations/google.js';
import { DAY, openGoogle, passMinutes } from './open-directory.js';

const SCOPE = 'https://www.googleapis.com/auth/admin.directory.user';

it('reads the primary entry of each list, or else the first of its type', async () => {
  const { feed } = await openGoogle(0, {
    users: [
      {
        primaryEmail: 'p@acme.example',
        organizations: [
          { title: 'Adviser', department: 'Sea', type: 'work' },
          { title: 'Manager', department: 'Land', description: 'Permanent', costCenter: 'C7', primary: true },
        ],
        relations: [
          { type: 'assistant', value: 'a@acme.example' },
          { type: 'manager', value: 'm@acme.example' },
        ],
        externalIds: [
          { type: 'custom', customType: 'badge', value: '99' },
          { type: 'organization', value: 'E7' },
        ],
        phones: [
          { type: 'home', value: '1', primary: true },
          { type: 'work_mobile', value: '2' },
          { type: 'work', value: '3' },
        ],
        addresses: [
          { type: 'home', country: 'Sweden' },
          { type: 'work', country: 'Norway' },
        ],
        locations: [{ type: 'desk', area: 'desk', buildingId: 'Oslo' }],
      },
      { primaryEmail: 'q@acme.example' },
    ],
  });
  const [full, empty] = (await feed.read()).people.values();
  expect(full).toMatchObject({
    ...{ title: 'Manager', department: 'Land', employee_type: 'Permanent', manager_id: 'm@acme.example' },
    ...{ employee_number: 'E7', phone: '3', mobile: '2', country: 'Norway', office: 'Oslo' },
  });
  expect(Object.keys(empty ?? {}).sort()).toEqual(['archived', 'created', 'email', 'id', 'org_unit', 'suspended']);
});

it('requests only mapped properties, including custom ones that a column names', async () => {
  const keys = ', columns: { start_date: { type: date, optional: true, from: /customSchemas/HR/start } }';
  const users = [{ customSchemas: { HR: { start: '2026-03-01' } }, recoveryEmail: 'private@example.com' }];
  const { feed, google } = await openGoogle(0, { keys, users });
  const [person] = (await feed.read()).people.values();
  expect(person?.start_date).toEqual(new Date('2026-02-28T23:00:00Z'));
  const fields = google.requests.at(-1)?.query.get('fields') ?? '';
  expect(fields).toMatch(/^nextPageToken,users\(id,/);
  expect(fields).toContain('customSchemas');
  expect(fields).not.toContain('recovery');
});

test.each(['userRateLimitExceeded', 'quotaExceeded', 'rateLimitExceeded'])(
  'waits after 403 %s, and does not report a lost permission',
  async (reason) => {
    const directory = await openGoogle(3);
    directory.server.failNext(throttled(reason), /users$/);
    expect((await directory.feed.read()).people.size).toBe(3);
    expect(directory.feed.slept).toEqual([5_000]);
  },
);

test.each([
  ['dailyLimitExceeded', 'SYNC_SOURCE_DOWN', 'the calls of the day'],
  ['forbidden', 'SYNC_SOURCE_DENIED', '403'],
  ['insufficientPermissions', 'SYNC_SOURCE_DENIED', '403'],
])('reports 403 %s as %s', async (reason, code, words) => {
  const directory = await openGoogle(3);
  directory.server.failNext(throttled(reason), /users$/);
  expect(await catchSyncError(directory.feed.read())).toMatchObject({ code, message: expect.stringContaining(words) });
});

it('waits after 403 for a single person too, and reports only the deleted person as gone', async () => {
  const directory = await openGoogle(3);
  await directory.feed.read();
  directory.remove(directory.ids[0] ?? '');
  passMinutes(directory, 30 * DAY);
  directory.server.failNext(throttled('userRateLimitExceeded'), /users\/\d+$/);
  const read = await directory.feed.read();
  // The person was deleted longer ago than Google lists, so only the 404 proves it.
  expect([read.gone, directory.feed.slept]).toEqual([[directory.ids[0]], [5_000]]);
});

sweep('restarts after a page token expires, and delivers nobody twice', async () => {
  const directory = await openGoogle(1_010);
  let pages = 0;
  const third = Object.assign(/./, {
    test: (asked: string) => {
      if (asked.endsWith('/users') && ++pages === 3) directory.google.expirePageTokens();
      return false;
    },
  });
  directory.server.failNext(500, third);
  expect((await directory.feed.read()).people.size).toBe(1_010);
});

it.each([
  ['text instead of a key', { private_key: 'x' }, 'auth.private_key'],
  ['a key without its account', { client_email: null }, 'auth.client_id'],
])('reports %s without quoting it', async (_, change, place) => {
  const { google } = await openGoogle(1);
  const keyFile = JSON.stringify({ ...(JSON.parse(google.keyFile) as object), ...change });
  const other = await openGoogle(1, { keyFile });
  const error = await catchSyncError(other.feed.read());
  expect(error).toMatchObject({ code: 'SYNC_SOURCE_DENIED', place });
  expect(JSON.stringify(error)).not.toContain('BEGIN');
});

it('also logs in with the key in PEM and the address of the account', async () => {
  const { google } = await openGoogle(0);
  const { private_key: pem } = JSON.parse(google.keyFile) as { private_key: string };
  const directory = await openGoogle(2, { keyFile: pem, login: `client_id: ${google.email}, ` });
  expect((await directory.feed.read()).people.size).toBe(2);
});

sweep('quotes Google on a scope that is not delegated', async () => {
  const directory = await openGoogle(1);
  directory.google.scopes = new Set([SCOPE]);
  const error = await catchSyncError(directory.feed.read());
  expect(error).toMatchObject({ code: 'SYNC_SOURCE_DENIED', message: expect.stringContaining('unauthorized_client') });
});

sweep('sends a filter as a query', async () => {
  const directory = await openGoogle(3, { keys: `, filter: "orgUnitPath='/Staff'"` });
  directory.google.update(directory.ids[0] ?? '', { orgUnitPath: '/Robots' });
  expect([...(await directory.feed.read()).people.keys()]).toEqual(directory.ids.slice(1));
});

describe('write-back', () => {
  const keys =
    ', write_back: true, columns: { talent: { type: string, optional: true, from: /customSchemas/Talent/level } }';
  const write = async (cells: object) => {
    const directory = await openGoogle(1, { keys });
    directory.google.scopes = new Set([SCOPE]);
    const [id = ''] = directory.ids;
    directory.google.update(id, { customSchemas: { Talent: { level: '1', other: 'kept' } } });
    const outcomes: WriteOutcome[] = [];
    await directory.feed.writer.write(
      [{ record: id, cells } as never],
      { run: 'r1', atMs: 0 },
      (outcome) => void outcomes.push(outcome),
    );
    return { outcome: outcomes[0], user: directory.google.find(id) };
  };

  test.each([
    [{ first_name: 'Kari' }, { name: { givenName: 'Kari', familyName: 'Berg', fullName: 'p0 Berg' } }],
    [{ talent: '2' }, { customSchemas: { Talent: { level: '2', other: 'kept' } } }],
    [{ talent: null }, { customSchemas: { Talent: { level: null, other: 'kept' } } }],
  ])('sets %j and nothing else', async (cells, properties) => {
    const { outcome, user } = await write(cells);
    expect([outcome?.status, user]).toEqual(['done', expect.objectContaining(properties)]);
  });

  test.each([
    ['title', 'other entries would be lost'],
    ['phone', 'other entries would be lost'],
    ['email', 'not among the properties'],
    ['suspended', 'not among the properties'],
  ])('does not write %s', async (column, words) => {
    expect((await write({ [column]: 'x' })).outcome).toMatchObject({
      status: 'refused',
      message: expect.stringContaining(words),
    });
  });
});

describe('the Google imitation', () => {
  test.each([
    ['', 400],
    ['?customer=my_customer&maxResults=501', 400],
    ['?customer=my_customer&projection=everything', 400],
    ['?customer=my_customer&fields=users(shoeSize)', 400],
    ['?customer=my_customer&pageToken=p99', 400],
    ['?customer=my_customer&offset=10', 400],
    ['/nobody', 404],
  ])('rejects %s with %i', async (path, status) => {
    const { google, feed } = await openGoogle(1);
    await feed.read();
    const token = /Bearer (.+)/.exec(google.requests.at(-1)?.headers.authorization ?? '')?.[1] ?? '';
    const at = `${google.url}/admin/directory/v1/users${path}`;
    expect((await ask(at, { token })).status).toBe(status);
    expect((await ask(at, { token: 'another' })).status).toBe(401);
  });
});
