import { expect, test } from 'vitest';
import { person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

async function openCompany(...rows: readonly Row[]): Promise<Story> {
  const story = await openStory();
  story.deliver(rows);
  expect((await story.sync()).code).toBe(0);
  return story;
}

async function decline(story: Story, ...words: readonly string[]): Promise<string> {
  const declined = await story.type('decline', ...words, '--reason', 'stays, ticket 4711');
  expect([declined.code, declined.stderr]).toEqual([0, '']);
  return declined.stdout;
}

test('keeps a declined leaver active, shows who declined it, and ends with 0', async () => {
  const story = await openCompany(person('E1'), person('E2'));
  story.deliver([person('E1', { status: 'left' }), person('E2')]);
  await story.plan();
  const said = await decline(story, '--who', 'user:E1');
  expect(said).toMatch(/^Declined 1 change of plan \S+, as d\S+:\n {2}deactivate users: Person E1 <e1@example.com>/);
  const plan = await story.plan();
  expect(plan.code).toBe(0);
  expect(plan.json.counts).toEqual({});
  expect(plan.json).toMatchObject({
    declined: [{ of: 'users', action: 'deactivate', reason: 'stays, ticket 4711', until: null }],
  });
  expect((await story.sync()).code).toBe(0);
  expect(story.user('E1')).toMatchObject({ deactivated: false });
});
