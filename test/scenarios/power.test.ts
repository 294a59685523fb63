import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person, type Row } from './company.js';
import { openIdp } from './idp.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const oslo = { country: 'no', office: 'Oslo' };
const boss = {
  ...oslo,
  email: 'boss@example.com',
  name: 'Kim Boss',
  upn: 'kim',
  roles: ['internationalmanager' as const],
};
const deputy = { ...boss, email: 'deputy@example.com', name: 'Dag Deputy', upn: 'dag', external_unique_id: 'A2' };
/** The cell sets the roles. */
const BY_CELL = { users: { fields: { roles: '[record.?role.orValue("consultant")]' } } };
const EXTRA = {
  users: {
    fields: {
      roles:
        'record.?role.orValue("") == "internationalmanager" ? [record.?role.orValue("")] : record.?role.orValue("") == "" ? ["consultant"] : ["consultant", record.?role.orValue("")]',
    },
  },
};
const UPN = { users: { fields: { upn: 'record.?phone' } } };

async function openCompany(
  patch: Parameters<Story['configure']>[0],
  rows: readonly Row[],
  users: readonly (typeof boss)[] = [boss, deputy],
): Promise<Story> {
  const story = await openStory({ users: [...users] });
  story.configure(patch);
  story.deliver(rows);
  expect(await story.sync()).toMatchObject({ code: 0 });
  story.takeWrites();
  return story;
}

const rolesOf = (story: Story, id: string) => [...story.user(id).roles].sort();
const guardsOf = ({
  json,
}: {
  readonly json: { readonly guards: readonly { readonly guard: string; readonly held: number }[] };
}) => json.guards.map(({ guard, held }) => `${guard} ${held}`);

sweep("does not give an administrator's user name to another person, but writes the rest of the row", async () => {
  const story = await openCompany(UPN, [person('E1', { phone: 'e1' })]);
  story.deliver([person('E1', { phone: 'KIM', title: 'Lead' })]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E1 SYNC_VALUE_TAKEN']]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ upn: 'e1', title: { en: 'Lead' } });
});

sweep("swaps user names of an identity provider, but does not give away an administrator's", async () => {
  const idp = await openIdp(['E1', 'E2'].map((externalId, at) => ({ id: `a${at + 1}`, externalId })));
  const story = await openStory({ users: [{ ...boss, upn: 'kim@example.com' }] });
  story.configure({
    sources: { idp: { type: 'scim', base_url: idp.url, auth: { bearer: { env: 'IDP_TOKEN' } } } },
    users: { enrich: { idp: { join: 'idp.externalId == hr.id' } }, fields: { upn: 'idp.?userName' } },
  });
  const names = () => ['E1', 'E2'].map((id) => story.user(id).upn);
  story.deliver([person('E1'), person('E2')]);
  expect(await story.sync()).toMatchObject({ code: 0 });
  idp.accounts = ['E2', 'E1'].map((externalId, at) => ({ id: `a${at + 1}`, externalId }));
  expect(await story.sync()).toMatchObject({ code: 0 });
  expect(names()).toEqual(['a2@example.com', 'a1@example.com']);
  idp.accounts = [
    { id: 'kim', externalId: 'E1' },
    { id: 'a1', externalId: 'E2' },
  ];
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E1 SYNC_VALUE_TAKEN']]);
  expect(names()).toEqual(['a2@example.com', 'a1@example.com']);
});

test("holds a new row with an administrator's address and another name until somebody identifies it", async () => {
  const story = await openCompany(UPN, [person('E1')]);
  const stranger = person('E9', { email: 'boss@example.com', title: 'Trainee', phone: 'intruder' });
  story.deliver([person('E1'), stranger]);
  const ran = await story.sync();
  expect([ran.code, summarise(ran.json.held)]).toEqual([4, ['E9 SYNC_MATCH_DOUBTFUL']]);
  expect(story.takeWrites()).toEqual([]);
  expect(ran.json.held[0]?.remedy).toContain('`talent-sync holds resolve user:E9 --same --reason "…"`');
  expect((await story.type('holds', 'resolve', 'user:E9', '--same', '--reason', 'it is Kim')).code).toBe(0);
  // From now on the account has the number of the row, and keeps everything else that gives access.
  const after = await story.sync();
  expect([after.code, summarise(after.json.held)]).toEqual([0, ['E9 SYNC_ACCOUNT_PROTECTED']]);
  expect(story.user('E9')).toMatchObject({ email: 'boss@example.com', upn: 'kim', roles: ['internationalmanager'] });
});

sweep("adopts a new row with an administrator's address and name, and writes its number", async () => {
  const story = await openCompany(UPN, [person('E1')]);
  story.deliver([
    person('E1'),
    person('E9', { email: 'boss@example.com', first: 'Kim', last: 'Boss', title: 'Chief' }),
  ]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], guards: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E9')).toMatchObject({ email: 'boss@example.com', upn: 'kim', title: { en: 'Chief' } });
});

describe('a role cell with internationalmanager', () => {
  const rise: readonly Row[] = [person('E1', { role: 'internationalmanager', title: 'Chief' })];

  async function openRisen(users?: readonly (typeof boss)[]): Promise<{ readonly story: Story; readonly run: string }> {
    const story = await openCompany(BY_CELL, [person('E1')], users);
    story.deliver(rise);
    const held = await story.sync();
    expect([held.code, guardsOf(held)]).toEqual([3, ['users.promote 1']]);
    expect(rolesOf(story, 'E1')).toEqual(['consultant']);
    expect(story.user('E1').title).toEqual({ en: 'Chief' });
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    await story.approve({ who: 'user:E1', reason: 'board' });
    const ran = await story.sync();
    expect([ran.code, rolesOf(story, 'E1')]).toEqual([0, ['internationalmanager']]);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    await story.sync({ full: true });
    expect(story.takeWrites()).toEqual([]);
    return { story, run: ran.json.run };
  }

  sweep('holds the role until an approval that names the person, whatever else of the row changes', async () => {
    const story = await openCompany(BY_CELL, [person('E1')]);
    story.deliver(rise);
    await story.sync();
    const refused = await story.approve({ guard: 'users.promote', reason: 'all of them' });
    expect(refused.code).toBe(1);
    expect(JSON.stringify(refused.json)).toContain('--who user:E1');
    // The hold stays, and ends by itself when HR corrects the cell.
    expect(await story.sync()).toMatchObject({ code: 3 });
    story.deliver([person('E1', { title: 'Chief' })]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { guards: [] } });
    expect(rolesOf(story, 'E1')).toEqual(['consultant']);
  });

  sweep('lets HR correct the cell after it was carried out', async () => {
    const { story } = await openRisen();
    story.deliver([person('E1', { title: 'Chief' })]);
    expect(await story.sync()).toMatchObject({ code: 0 });
    expect(rolesOf(story, 'E1')).toEqual(['consultant']);
  });

  sweep('reverts the role by an undo, and does not ask for it again', async () => {
    const { story, run } = await openRisen();
    expect((await story.undo(run, { reason: 'a mistake' })).code).toBe(0);
    expect(rolesOf(story, 'E1')).toEqual(['consultant']);
    expect((await story.sync()).json.guards).toEqual([]);
    expect(rolesOf(story, 'E1')).toEqual(['consultant']);
  });

  test('deactivates a leaver with the role after one approval, under a guard that names the role', async () => {
    const { story } = await openRisen();
    story.deliver([person('E1', { status: 'left', role: 'internationalmanager' })]);
    const held = await story.sync();
    expect([held.code, guardsOf(held)]).toEqual([3, ['users.internationalmanager 1']]);
    await story.approve({ guard: 'users.internationalmanager', reason: 'has left' });
    expect(await story.sync()).toMatchObject({ code: 0 });
    expect(story.user('E1').deactivated).toBe(true);
    // A return needs a guard again.
    story.deliver(rise);
    expect(guardsOf(await story.sync())).toEqual(['users.promote 1']);
    expect(story.user('E1').deactivated).toBe(true);
  });

  sweep('never removes the last active administrator', async () => {
    const { story } = await openRisen([deputy]);
    await story.editUser('A2', { deactivated: true });
    await story.sync({ full: true });
    story.deliver([person('E1')]);
    const ran = await story.sync();
    expect(ran.json.held.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('the last active administrator'),
    ]);
    expect(rolesOf(story, 'E1')).toEqual(['internationalmanager']);
  });
});

describe('joiners with power', () => {
  test('creates them without it, and takes one approval for all except administrators', async () => {
    const story = await openStory({ users: [boss] });
    story.configure(EXTRA);
    story.configure({ guards: { users: { promote: { max: 1 } } } });
    story.deliver([
      person('E1', { role: 'countrymanager' }),
      person('E2', { role: 'bidmanager' }),
      person('E3', { role: 'referencemanager' }),
      person('E4', { role: 'internationalmanager' }),
    ]);
    const ran = await story.sync();
    expect([ran.code, guardsOf(ran)]).toEqual([3, ['users.promote 4']]);
    expect(story.takeWrites()).toEqual([CREATE_USER, CREATE_USER, CREATE_USER, CREATE_USER]);
    expect(['E1', 'E2', 'E3'].map((id) => story.user(id).roles)).toEqual([
      ['consultant'],
      ['consultant'],
      ['consultant'],
    ]);
    // A file for the service's import gives no power either.
    const out = join(story.folder, 'people.csv');
    const exported = await story.exportImport({ out });
    expect(exported.json).toMatchObject({ not_carried: [{ field: 'roles', people: 4 }] });
    expect(readFileSync(out, 'utf8')).not.toMatch(/manager/);
    const given = await story.type('approve', '--guard', 'users.promote', '--reason', 'first load');
    expect(given.stdout).toContain(
      'Not approved: 1 change, would make an administrator; approve by name: --who user:E4.',
    );
    expect(await story.sync()).toMatchObject({ code: 3, json: { done: 3 } });
    expect(rolesOf(story, 'E4')).toEqual(['consultant']);
    await story.approve({ who: 'user:E4', reason: 'board' });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(rolesOf(story, 'E2')).toEqual(['bidmanager', 'consultant']);
    story.takeWrites();
    expect(await story.sync({ full: true })).toMatchObject({ code: 0 });
    expect(story.takeWrites()).toEqual([]);
  });

  sweep('creates and promotes them in one run if the plan before was approved', async () => {
    const story = await openStory({ users: [boss] });
    story.configure(EXTRA);
    story.deliver([person('E1', { role: 'countrymanager' })]);
    await story.plan();
    await story.approve({ guard: 'users.promote', reason: 'first load' });
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
    expect(rolesOf(story, 'E1')).toEqual(['consultant', 'countrymanager']);
    expect(story.takeWrites()).toEqual([CREATE_USER, UPDATE_USER]);
  });
});

const people = (...roles: readonly string[]) => roles.map((role, at) => person(`E${at + 1}`, { role }));

sweep('lets three lesser roles through per day, and holds the fourth, even over several runs', async () => {
  const story = await openCompany(EXTRA, people('', '', '', '', ''));
  story.deliver(people('bidmanager', 'bidmanager', '', '', ''));
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
  story.deliver(people('bidmanager', 'bidmanager', 'referencemanager', '', ''));
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  story.deliver(people('bidmanager', 'bidmanager', 'referencemanager', 'bidmanager', ''));
  const ran = await story.sync();
  expect([ran.code, guardsOf(ran)]).toEqual([3, ['users.promote 1']]);
  expect(ran.json.guards[0]).toMatchObject({ limit: 3, found: 4 });
  expect((await story.explain('user', 'E4')).json.steps.guard).toMatchObject({ name: 'users.promote' });
});

sweep('counts a person with a lesser role once per day, however often the scope changes', async () => {
  const roles = '["consultant", "departmentmanager"]';
  const scope = [{ country: 'record.country', name: 'record.?scope' }];
  const two = (name: string) => ['E1', 'E2'].map((id) => person(id, { scope: name }));
  const story = await openCompany({ users: { fields: { roles, role_allowed_offices: scope } } }, two('Oslo'));
  for (const name of ['Bergen', 'Oslo']) {
    story.deliver(two(name));
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
  }
});

sweep('puts fields that identify the account of a lesser role under the same guard', async () => {
  const story = await openCompany(EXTRA, people('bidmanager'));
  story.configure({ guards: { users: { promote: { max: 0 } } } });
  story.deliver([person('E1', { role: 'bidmanager', email: 'new@example.com', title: 'Lead' })]);
  const ran = await story.sync();
  expect([ran.code, guardsOf(ran)]).toEqual([3, ['users.promote 1']]);
  expect(story.user('E1')).toMatchObject({ email: 'e1@example.com', title: { en: 'Lead' } });
  await story.approve({ guard: 'users.promote', reason: 'married' });
  expect(await story.sync()).toMatchObject({ code: 0 });
  expect(story.user('E1').email).toBe('new@example.com');
});

sweep('holds the adoption of an account with a lesser role, with everything written with it', async () => {
  const story = await openStory({
    users: [boss, { ...oslo, email: 'e1@example.com', name: 'Person E1', roles: ['consultant', 'countrymanager'] }],
  });
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  const ran = await story.sync();
  expect([ran.code, guardsOf(ran)]).toEqual([3, ['users.promote 1']]);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  await story.approve({ guard: 'users.promote', reason: 'it is them' });
  expect(await story.sync()).toMatchObject({ code: 0 });
  expect(story.user('E1')).toMatchObject({ title: { en: 'Lead' }, roles: ['consultant', 'countrymanager'] });
  story.takeWrites();
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('adopts an account with a lesser role that already has the number of the row without a question', async () => {
  const known = { ...oslo, email: 'e1@example.com', name: 'Person E1', external_unique_id: 'E1' };
  const story = await openStory({ users: [boss, { ...known, roles: ['consultant', 'countrymanager'] }] });
  story.deliver([person('E1', { title: 'Lead' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { update: 1 } } } });
});

sweep('keeps a declined promotion to a lesser role declined', async () => {
  const story = await openCompany(EXTRA, people(''));
  story.deliver(people('countrymanager'));
  await story.sync();
  expect((await story.type('decline', '--who', 'user:E1', '--reason', 'not now')).code).toBe(0);
  for (const full of [false, true]) expect(await story.sync({ full })).toMatchObject({ code: 0 });
  expect(rolesOf(story, 'E1')).toEqual(['consultant']);
});

sweep('holds a circle of addresses through an account with a lesser role completely, and parks nobody', async () => {
  const story = await openCompany(EXTRA, people('bidmanager', ''));
  story.configure({
    users: { parking_email: 'parked-{id}@example.com' },
    guards: { users: { promote: { max: 0 } } },
  });
  story.deliver([
    person('E1', { role: 'bidmanager', email: 'e2@example.com' }),
    person('E2', { email: 'e1@example.com' }),
  ]);
  expect(guardsOf(await story.sync())).toEqual(['users.promote 1']);
  const addresses = () => ['E1', 'E2'].map((id) => story.user(id).email);
  expect(addresses()).toEqual(['e1@example.com', 'e2@example.com']);
  await story.approve({ guard: 'users.promote', reason: 'swapped' });
  expect(await story.sync()).toMatchObject({ code: 0 });
  expect(addresses()).toEqual(['e2@example.com', 'e1@example.com']);
});

sweep.each(['--new', '--same'] as const)(
  'takes %s as an answer about the identity of a possible leaver, not about the role',
  async (answer) => {
    const story = await openCompany(EXTRA, [
      person('E1', { first: 'Jane', last: 'Doe', email: 'jane.doe@example.com' }),
    ]);
    const [left, comes] = ['jane.doe@example.com', 'jane.doe2@example.com'].map((email, at) =>
      person(at === 0 ? 'E1' : 'N1', { first: 'Jane', last: 'Doe', email }),
    );
    story.deliver([
      { ...left, status: 'left' },
      { ...comes, role: 'countrymanager' },
    ]);
    await story.sync();
    expect(story.takeWrites()).toEqual([]);
    expect((await story.type('holds', 'resolve', 'user:N1', answer, '--reason', 'asked HR')).code).toBe(0);
    const ran = await story.sync();
    expect(ran.json.guards.map(({ detail }) => detail)).toEqual([expect.stringContaining('N1 becomes countrymanager')]);
    expect(rolesOf(story, answer === '--new' ? 'N1' : 'E1')).toEqual(['consultant']);
    await story.approve({ guard: 'users.promote' });
    expect(await story.sync()).toMatchObject({ code: 0, json: { guards: [], held: [] } });
    expect(rolesOf(story, 'N1')).toEqual(['consultant', 'countrymanager']);
    expect((await story.sync({ full: true })).json.counts).toEqual({});
  },
);
