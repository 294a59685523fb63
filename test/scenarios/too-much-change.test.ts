import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person, type Row } from './company.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from './kit.js';

const staff = Array.from({ length: 10 }, (_, index) => person(`E${index + 1}`));
const stayers = staff.slice(0, 6);
const leavers = staff.slice(6);
const gone = (rows: readonly Row[]): readonly Row[] => rows.map((row) => ({ ...row, status: 'left' }));

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver(staff);
  await story.sync();
  story.takeWrites();
  return story;
}

function deactivated(story: Story): readonly (string | null)[] {
  return story
    .users()
    .filter((user) => user.deactivated)
    .map((user) => user.external_unique_id)
    .sort();
}

test("holds exactly the changes beyond the guard's limit, does the rest, and releases them by an approval", async () => {
  const story = await openCompany();
  // The default limit is 10 or 2 %, but always at least 3. Four of ten are one too many.
  story.deliver([...stayers.slice(1), { ...person('E1'), title: 'Lead' }, person('E11')]);
  const held = await story.sync();
  expect(held.code).toBe(3);
  expect(held.json.guards).toMatchObject([
    { guard: 'users.deactivate', limit: 3, found: 4, held: 4, cause: 'source shrank' },
  ]);
  expect(held.json.done).toBe(2);
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(deactivated(story)).toEqual([]);

  // The next run still holds them, and the shrunken file has not become the new normal.
  const again = await story.sync();
  expect(again.code).toBe(3);
  expect(again.json.guards).toMatchObject([{ cause: 'source shrank', held: 4 }]);
  expect(story.takeWrites()).toEqual([]);

  const approved = await story.approve({ guard: 'users.deactivate', reason: 'site closed' });
  expect(approved).toMatchObject({ code: 0, json: { approved: 4 } });
  const passed = await story.sync();
  expect(passed).toMatchObject({ code: 0, json: { done: 4, guards: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, UPDATE_USER, UPDATE_USER, UPDATE_USER]);
  expect(deactivated(story)).toEqual(['E10', 'E7', 'E8', 'E9']);
  const entries = await story.audit();
  expect(entries.filter(({ action }) => action === 'deactivate').map(({ approval }) => approval)).toEqual(
    Array.from({ length: 4 }, () => expect.stringContaining('site closed')),
  );
});

sweep('spends an approval on the changes it releases, and holds the same people when they leave again', async () => {
  const story = await openCompany();
  story.deliver([...stayers, ...gone(leavers)]);
  await story.sync();
  await story.approve({ action: 'users.deactivate' });
  await story.sync();
  expect(deactivated(story)).toHaveLength(4);
  expect((await story.status()).json.approvals).toBe(0);

  story.configure({ guards: { users: { reactivate: 'off' } } });
  // The content differs from the first time, so this is not an older file.
  const ranked = (rows: readonly Row[]): readonly Row[] => rows.map((row) => ({ ...row, rank: '1' }));
  story.deliver(ranked(staff));
  await story.sync();
  expect(deactivated(story)).toEqual([]);
  story.deliver(ranked([...stayers, ...gone(leavers)]));
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ guard: 'users.deactivate', found: 4, held: 4 }]);
  expect(deactivated(story)).toEqual([]);
});

sweep('releases one approved person, and holds the others although few enough are left', async () => {
  const story = await openCompany();
  story.deliver([...stayers, ...gone(leavers)]);
  await story.plan();
  const reason = 'only this one';
  expect((await story.approve({ who: 'user:e7@example.com', reason })).json.approved).toBe(1);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 3, json: { guards: [{ guard: 'users.deactivate', held: 3 }], done: 1 } });
  expect(deactivated(story)).toEqual(['E7']);
  // Not even the next day, approved one by one until one is left.
  story.clock.advance(30 * HOUR);
  for (const [key, left] of [
    ['e8', 2],
    ['e9', 1],
  ] as const) {
    await story.approve({ who: `user:${key}@example.com`, reason });
    expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.deactivate', held: left }]);
  }
  expect(deactivated(story)).toEqual(['E7', 'E8', 'E9']);
  // Once back in the source, she needs no decision. If she leaves again, she counts like anyone.
  story.deliver([...stayers, ...gone(leavers.slice(0, 3)), ...leavers.slice(3)]);
  expect((await story.sync()).code).toBe(0);
  story.clock.advance(30 * HOUR);
  story.deliver([...stayers, ...gone(leavers.map((row) => ({ ...row, rank: '2' })))]);
  expect((await story.sync()).code).toBe(0);
  expect(deactivated(story)).toEqual(['E10', 'E7', 'E8', 'E9']);
});

sweep('holds the run in which the total of a day exceeds the limit, with three leavers per run', async () => {
  const story = await openStory();
  const people = Array.from({ length: 60 }, (_, index) => person(`E${index + 10}`));
  story.deliver(people);
  await story.sync();
  const found: (number | undefined)[] = [];
  for (let runs = 1; runs <= 3; runs++) {
    story.clock.advance(HOUR);
    story.deliver(people.map((row, index) => (index < runs * 3 ? { ...row, status: 'left' } : row)));
    found.push((await story.sync()).json.guards[0]?.found);
  }
  expect(deactivated(story)).toHaveLength(3);
  expect(found).toEqual([undefined, 6, 9]);
  expect((await story.plan()).json.guards[0]?.detail).toMatch(
    /^9 would leave today: 6 in this run, 3 earlier today \(run r/,
  );
});

sweep('releases only the approved change while more than the limit are unapproved', async () => {
  const story = await openCompany();
  story.deliver([...staff.slice(0, 5), ...gone(staff.slice(5))]);
  await story.plan();
  await story.approve({ who: 'e10@example.com' });
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ found: 4, held: 4 }]);
  expect(deactivated(story)).toEqual(['E10']);
});

sweep('lets an approval expire', async () => {
  const story = await openCompany();
  story.configure({ approvals: { expires: '1h' } });
  story.deliver([...stayers, ...gone(leavers)]);
  await story.plan();
  await story.approve({ guard: 'users.deactivate' });
  story.clock.advance(2 * HOUR);
  expect((await story.sync()).json.guards).toHaveLength(1);
  expect(deactivated(story)).toEqual([]);
});

sweep('rejects an approval of nothing pending, and names what is pending', async () => {
  const story = await openCompany();
  story.deliver([...stayers, ...gone(leavers)]);
  await story.plan();
  const refused = await story.approve({ guard: 'users.create' });
  expect(refused.code).toBe(1);
  expect(refused.error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
  expect(refused.error?.remedy).toContain('users.deactivate (4)');
});

sweep('names real events as the cause when people leave in a complete file', async () => {
  const story = await openCompany();
  story.deliver([...stayers, ...gone(leavers)]);
  expect((await story.plan()).json.guards).toMatchObject([{ cause: 'real events', found: 4 }]);
});

sweep('names a changed configuration as the cause when an edited mapping changes everyone', async () => {
  const story = await openCompany();
  story.configure({
    users: { fields: { name: 'record.last + ", " + record.first' } },
    guards: { users: { update: { percent: 30, min: 3 } } },
  });
  const plan = await story.plan();
  expect(plan.code).toBe(3);
  expect(plan.json.guards).toMatchObject([
    { guard: 'users.update', limit: 3, found: 10, held: 10, cause: 'configuration changed' },
  ]);
});

sweep('holds nothing by a guard that is off', async () => {
  const story = await openCompany();
  story.configure({ guards: { users: { deactivate: 'off' } } });
  story.deliver([...stayers, ...gone(leavers)]);
  expect((await story.sync()).code).toBe(0);
  expect(deactivated(story)).toHaveLength(4);
});

sweep('holds a person with a held office, and creates nobody in it', async () => {
  const story = await openCompany();
  story.configure({
    users: { fields: { office: { country: 'record.country', name: 'record.office', create_missing: true } } },
    guards: { offices: { create: { max: 0 } } },
  });
  story.deliver([...staff, person('E11', { office: 'Trondheim' }), person('E12')]);
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  expect(ran.json.guards).toMatchObject([{ guard: 'offices.create', held: 1 }]);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.user('E12').office).toBe('no/Oslo');

  await story.approve({ guard: 'offices.create' });
  await story.sync();
  expect(story.takeWrites()).toEqual(['POST /api/v1/countries/:country_id/offices', CREATE_USER]);
  expect(story.user('E11').office).toBe('no/Trondheim');
});

sweep('lists approvals with their ends, and revokes one', async () => {
  const story = await openCompany();
  expect((await story.approve({ list: true })).json).toEqual({ approvals: [] });
  story.deliver([...stayers, ...gone(leavers)]);
  await story.plan();
  const given = await story.approve({ guard: 'users.deactivate', reason: 'site closed', expires: 2 * HOUR });
  const { approval, expires } = given.json;
  expect(Date.parse(expires) - story.clock.now()).toBeGreaterThan(HOUR);
  expect((await story.approve({ list: true })).json.approvals).toMatchObject([
    { id: approval, changes: 4, guards: ['users.deactivate'], reason: 'site closed', expires },
  ]);

  expect((await story.approve({ revoke: approval })).json).toMatchObject({ revoked: approval, changes: 4, reason: '' });
  expect((await story.approve({ revoke: approval })).error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
  expect((await story.sync()).json.guards).toMatchObject([{ held: 4 }]);
  expect(deactivated(story)).toEqual([]);
});
