import { expect, test } from 'vitest';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from './kit.js';

async function openManagers(): Promise<Story> {
  const story = await openStory();
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

test('a department manager is created with the scope in the same request', async () => {
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

test('a promotion, a moved scope and a step back are one write each', async () => {
  const story = await openManagers();
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
});

test('a department manager who is not one by hand gets role and scope back together', async () => {
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
