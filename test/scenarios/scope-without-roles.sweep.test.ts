import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openSieve } from './gate.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

/** Everyone is a department manager. A scope goes with the role in one request, and no answer shows it. */
const MANAGERS = {
  roles: 'record.?role.orValue("") == "plain" ? ["consultant"] : ["consultant", "departmentmanager"]',
  role_allowed_offices: [{ country: 'record.country', name: 'record.?scope' }],
};

async function expectStill(story: Story, held: readonly string[]): Promise<void> {
  story.takeWrites();
  for (let run = 0; run < 2; run++) expect(summarise((await story.sync()).json.held)).toEqual(held);
  expect(story.takeWrites()).toEqual([]);
}

test('freezes roles that the service drops, and sends their scope when it changes, but not alone', async () => {
  const story = await openStory();
  story.configure({ users: { fields: MANAGERS } });
  const sieve = await openSieve(story.sandbox.url, (body) => body.replace('["departmentmanager"]', '[]'));
  story.configure({ service: { base_url: sieve.url } });
  story.deliver([person('E1', { scope: 'Oslo' })]);
  expect((await story.sync()).code).toBe(4);
  expect((await story.audit()).at(-1)?.error).not.toContain('role_allowed_offices');
  await expectStill(story, ['E1 SYNC_FIELD_FROZEN']);
  story.deliver([person('E1', { scope: 'Bergen' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  await expectStill(story, ['E1 SYNC_FIELD_FROZEN']);
});

sweep("keeps an administrator's roles, and does not send the scope again and again without them", async () => {
  const place = { country: 'no', office: 'Oslo', email: 'e1@example.com', name: 'Person E1' };
  const story = await openStory({ users: [{ ...place, external_unique_id: 'E1', roles: ['internationalmanager'] }] });
  story.configure({ users: { fields: MANAGERS } });
  story.deliver([person('E1', { scope: 'Oslo' })]);
  expect((await story.sync()).code).toBe(0);
  await expectStill(story, ['E1 SYNC_ACCOUNT_PROTECTED']);
});

sweep('reports roles that others changed, but not the scope that no answer shows', async () => {
  const story = await openStory();
  story.configure({ drift: 'report', users: { fields: MANAGERS } });
  story.deliver([person('E1', { scope: 'Oslo' })]);
  await story.sync();
  await story.editUser('E1', { role: 'consultant', extra_roles: ['bidmanager'] });
  await story.refresh({ full: true });
  await expectStill(story, ['E1 SYNC_DRIFT_REPORTED']);
});

sweep('holds roles in conflict together with their scope', async () => {
  const story = await openStory();
  story.configure({ conflicts: 'hold', users: { fields: MANAGERS } });
  story.deliver([person('E1', { scope: 'Oslo', role: 'plain' })]);
  await story.sync();
  await story.sync();
  await story.editUser('E1', { role: 'consultant', extra_roles: ['bidmanager'] });
  await story.refresh({ full: true });
  story.deliver([person('E1', { scope: 'Oslo' })]);
  await expectStill(story, []);
  expect((await story.plan()).json.conflicts).toMatchObject([{ key: 'E1', code: 'SYNC_CONFLICT' }]);
});

sweep('sends no scope for a person without the role, and sends it with the role', async () => {
  const story = await openStory();
  story.configure({ users: { fields: MANAGERS } });
  story.deliver([person('E1', { role: 'plain', scope: 'Oslo' })]);
  await story.sync();
  story.takeWrites();
  story.deliver([person('E1', { role: 'plain', scope: 'Bergen' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
  story.deliver([person('E1', { scope: 'Bergen' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ role_allowed_offices: ['no/Bergen'] });
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});
