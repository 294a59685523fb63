import { expect, test } from 'vitest';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from './kit.js';
import { expectQuiet } from './quiet.js';

async function openManagers(account: NonNullable<FixtureInput['account']> = {}): Promise<Story> {
  const story = await openStory({ account });
  story.configure({
    users: {
      fields: {
        roles: 'record.?role.orValue("") == "head" ? ["consultant", "departmentmanager"] : ["consultant"]',
        role_allowed_offices: [{ country: 'record.country', name: 'record.?scope' }],
      },
    },
  });
  return story;
}

sweep('creates a department manager with the scope in the same request', async () => {
  const story = await openManagers();
  story.deliver([person('E1', { role: 'head', scope: 'Bergen' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.user('E1')).toMatchObject({
    roles: ['consultant', 'departmentmanager'],
    role_allowed_offices: ['no/Bergen'],
  });
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep('writes a scope once that names an office twice, in different case', async () => {
  const story = await openManagers();
  const scope = ['record.?scope', 'record.?scope.orValue("").upperAscii()'].map((name) => ({
    country: 'record.country',
    name,
  }));
  story.configure({ users: { fields: { role_allowed_offices: scope } } });
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { role: 'head', scope: 'Bergen' })]);
  for (const full of [false, true, true]) expect(await story.sync({ full })).toMatchObject({ code: 0 });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').role_allowed_offices).toEqual(['no/Bergen']);
});

test.each(oneIn(1, ['plain', 'scoped'] as const))(
  'a promotion, a moved scope and a step back are one write each: %s lists',
  async (user_lists) => {
    const story = await openManagers({ user_lists });
    story.deliver([person('E1')]);
    await story.sync();
    story.takeWrites();

    story.deliver([person('E1', { role: 'head', scope: 'Oslo' })]);
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1').role_allowed_offices).toEqual(['no/Oslo']);

    story.deliver([person('E1', { role: 'head', scope: 'Bergen' })]);
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1').role_allowed_offices).toEqual(['no/Bergen']);

    story.deliver([person('E1')]);
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1').roles).toEqual(['consultant']);
    await story.sync({ full: true });
    expect(story.takeWrites()).toEqual([]);
  },
);

sweep('restores role and scope together for a department manager who lost the role by hand', async () => {
  const story = await openManagers();
  story.deliver([person('E1', { role: 'head', scope: 'Bergen' })]);
  await story.sync();
  await story.editUser('E1', { role: 'consultant', extra_roles: [] });
  story.takeWrites();
  expect((await story.sync({ full: true })).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({
    roles: ['consultant', 'departmentmanager'],
    role_allowed_offices: ['no/Bergen'],
  });
});

const GET_USER = 'GET /api/v1/users/:user_id';

sweep(
  'reads the scope of department managers by id in a full read, and corrects edits by others in one write',
  async () => {
    const story = await openManagers();
    story.deliver([person('E1', { role: 'head', scope: 'Bergen' }), person('E2', { scope: 'Oslo' }), person('E3')]);
    for (let run = 0; run < 2; run++) await story.sync();
    story.takeReads();
    await story.sync();
    expect(story.takeReads()).not.toContain(GET_USER);
    await story.sync({ full: true });
    expect(story.takeReads().filter((call) => call === GET_USER)).toHaveLength(1);
    const found = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as {
      readonly office_id: string;
    };
    await story.editUser('E1', { extra_roles: ['departmentmanager'], role_allowed_office_ids: [found.office_id] });
    expect(story.user('E1').role_allowed_offices).toEqual(['no/Oslo']);
    story.takeReads();
    story.takeWrites();
    expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { done: 1 } });
    expect(story.takeReads().filter((call) => call === GET_USER)).toHaveLength(1);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1').role_allowed_offices).toEqual(['no/Bergen']);
    expect((await story.audit()).at(-1)?.before).toEqual({ role_allowed_offices: [{ country: 'no', name: 'Oslo' }] });
  },
);

sweep(
  'reads a scope by id between full reads only if it changes, and does not take a hidden one for drift',
  async () => {
    const story = await openManagers();
    story.deliver([person('E1', { role: 'head', scope: 'Bergen' }), person('E2', { role: 'head', scope: 'Oslo' })]);
    for (let run = 0; run < 2; run++) await story.sync();
    story.deliver([
      person('E1', { role: 'head', scope: 'Bergen', title: 'Head' }),
      person('E2', { role: 'head', scope: 'Bergen' }),
    ]);
    story.takeReads();
    story.takeWrites();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
    expect(story.takeReads().filter((call) => call === GET_USER)).toHaveLength(1);
    expect((await story.explain('user', 'E2')).json.steps.unverifiable).toEqual([]);
    await expectQuiet(story);
  },
);
