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

test('the guard holds exactly what is too much; the rest goes through; an approval lets it pass', async () => {
  const story = await openCompany();
  // The default: at most 10, 2 %, but always 3. Four of ten are one too many.
  story.deliver([...stayers.slice(1), { ...person('E1'), title: 'Lead' }, person('E11')]);
  const held = await story.sync();
  expect(held.code).toBe(3);
  expect(held.json.guards).toMatchObject([
    { guard: 'users.deactivate', limit: 3, found: 4, held: 4, cause: 'source shrank' },
  ]);
  expect(held.json.done).toBe(2);
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect(deactivated(story)).toEqual([]);

  // Asked again it still waits, and the shrunken file has not become the new normal.
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

sweep('an approval is spent by what it let pass: the same people leaving once more wait again', async () => {
  const story = await openCompany();
  story.deliver([...stayers, ...gone(leavers)]);
  await story.sync();
  await story.approve({ action: 'users.deactivate' });
  await story.sync();
  expect(deactivated(story)).toHaveLength(4);
  expect((await story.status()).json.approvals).toBe(0);

  story.configure({ guards: { users: { reactivate: 'off' } } });
  // Other content than the first time: it is no older file.
  const ranked = (rows: readonly Row[]): readonly Row[] => rows.map((row) => ({ ...row, rank: '1' }));
  story.deliver(ranked(staff));
  await story.sync();
  expect(deactivated(story)).toEqual([]);
  story.deliver(ranked([...stayers, ...gone(leavers)]));
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ guard: 'users.deactivate', found: 4, held: 4 }]);
  expect(deactivated(story)).toEqual([]);
});

sweep(
  'an approval of one person releases that person; the others stay held, although few enough are left',
  async () => {
    const story = await openCompany();
    story.deliver([...stayers, ...gone(leavers)]);
    await story.plan();
    const reason = 'only this one';
    expect((await story.approve({ who: 'user:e7@example.com', reason })).json.approved).toBe(1);
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 3, json: { guards: [{ guard: 'users.deactivate', held: 3 }], done: 1 } });
    expect(deactivated(story)).toEqual(['E7']);
    // Not even after the day is over, and one by one until one is left.
    story.clock.advance(30 * HOUR);
    for (const [key, left] of [
      ['e8', 2],
      ['e9', 1],
    ] as const) {
      await story.approve({ who: `user:${key}@example.com`, reason });
      expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.deactivate', held: left }]);
    }
    expect(deactivated(story)).toEqual(['E7', 'E8', 'E9']);
    // Back in the source, she is nobody's to decide about; should she leave another time, she is counted like anybody.
    story.deliver([...stayers, ...gone(leavers.slice(0, 3)), ...leavers.slice(3)]);
    expect((await story.sync()).code).toBe(0);
    story.clock.advance(30 * HOUR);
    story.deliver([...stayers, ...gone(leavers.map((row) => ({ ...row, rank: '2' })))]);
    expect((await story.sync()).code).toBe(0);
    expect(deactivated(story)).toEqual(['E10', 'E7', 'E8', 'E9']);
  },
);

test('three leavers a run: the guard holds the run in which the total of the day passes the limit', async () => {
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

sweep('with more than the limit unapproved, only the approved one passes', async () => {
  const story = await openCompany();
  story.deliver([...staff.slice(0, 5), ...gone(staff.slice(5))]);
  await story.plan();
  await story.approve({ who: 'e10@example.com' });
  const ran = await story.sync();
  expect(ran.json.guards).toMatchObject([{ found: 4, held: 4 }]);
  expect(deactivated(story)).toEqual(['E10']);
});

sweep('an approval lapses', async () => {
  const story = await openCompany();
  story.configure({ approvals: { expires: '1h' } });
  story.deliver([...stayers, ...gone(leavers)]);
  await story.plan();
  await story.approve({ guard: 'users.deactivate' });
  story.clock.advance(2 * HOUR);
  expect((await story.sync()).json.guards).toHaveLength(1);
  expect(deactivated(story)).toEqual([]);
});

sweep('an approval of what does not wait is an error that says what does', async () => {
  const story = await openCompany();
  story.deliver([...stayers, ...gone(leavers)]);
  await story.plan();
  const refused = await story.approve({ guard: 'users.create' });
  expect(refused.code).toBe(1);
  expect(refused.error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
  expect(refused.error?.remedy).toContain('users.deactivate (4)');
});

sweep('the cause is named: people who leave in a whole file are real events', async () => {
  const story = await openCompany();
  story.deliver([...stayers, ...gone(leavers)]);
  expect((await story.plan()).json.guards).toMatchObject([{ cause: 'real events', found: 4 }]);
});

sweep('the cause is named: an edited mapping that rewrites everybody is a changed configuration', async () => {
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

sweep('a guard that is off holds nothing', async () => {
  const story = await openCompany();
  story.configure({ guards: { users: { deactivate: 'off' } } });
  story.deliver([...stayers, ...gone(leavers)]);
  expect((await story.sync()).code).toBe(0);
  expect(deactivated(story)).toHaveLength(4);
});

sweep('what needs something held is held with it: nobody is created in an office that must wait', async () => {
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

sweep('approvals are listed with their ends, and one is taken back', async () => {
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
