import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const HELD = ['E1 SYNC_REFERENCE_UNKNOWN'];
const MANAGER = ['consultant', 'departmentmanager'];

async function openManagers(): Promise<Story> {
  const story = await openStory();
  const roles = 'record.?role.orValue("") == "head" ? ["consultant", "departmentmanager"] : ["consultant"]';
  const scope = [{ country: 'record.country', name: 'record.?scope' }];
  story.configure({ users: { fields: { roles, role_allowed_offices: scope } } });
  return story;
}

sweep.each(
  oneIn(1, [
    ['unknown', 'Atlantis'],
    ['empty', ''],
  ]),
)('holds the role of a promotion whose scope is %s, and writes the other fields', async (_, scope) => {
  const story = await openManagers();
  story.deliver([person('E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { role: 'head', scope, title: 'Head' })]);
  for (let run = 0; run < 2; run++) {
    const ran = await story.sync();
    expect(ran.code).toBe(4);
    expect([...new Set(summarise(ran.json.held))]).toEqual(HELD);
    expect(ran.json.held.map(({ reason }) => reason).join()).toContain('roles');
  }
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ title: { en: 'Head' }, roles: ['consultant'], role_allowed_offices: [] });

  story.deliver([person('E1', { role: 'head', scope: 'Bergen', title: 'Head' })]);
  expect((await story.sync()).code).toBe(0);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ roles: MANAGER, role_allowed_offices: ['no/Bergen'] });
});

test('creates a new manager without a known scope as a consultant', async () => {
  const story = await openManagers();
  story.deliver([person('E1', { role: 'head', scope: 'Atlantis' })]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect([...new Set(summarise(ran.json.held))]).toEqual(HELD);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.user('E1')).toMatchObject({ name: 'Person E1', roles: ['consultant'] });
});

sweep('never sends the role with a mapping that has no scope', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { roles: JSON.stringify(MANAGER) } } });
  story.deliver([person('E1')]);
  for (let run = 0; run < 2; run++) {
    const ran = await story.sync();
    expect(ran).toMatchObject({ code: 4, json: { failed: [] } });
    expect(summarise(ran.json.held)).toEqual(HELD);
  }
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.user('E1').roles).toEqual(['consultant']);
});
