import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, summarise, UPDATE_USER } from './kit.js';

const oslo = { country: 'no', office: 'Oslo' };

test('never deactivates an administrator or changes role and e-mail, but writes other fields', async () => {
  const story = await openStory({
    users: [
      {
        ...oslo,
        email: 'chief@example.com',
        name: 'Person E1',
        external_unique_id: 'E1',
        roles: ['internationalmanager'],
      },
      { ...oslo, email: 'e2@example.com', name: 'Person E2', external_unique_id: 'E2' },
    ],
  });
  story.configure({ users: { fields: { roles: '["consultant"]' } } });
  story.deliver([person('E1', { title: 'Chief' }), person('E2')]);
  const ran = await story.sync();
  // The run reports the fields that an administrator keeps; the row has no error.
  expect(ran.code).toBe(0);
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_ACCOUNT_PROTECTED']);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({
    email: 'chief@example.com',
    roles: ['internationalmanager'],
    title: { en: 'Chief' },
  });

  story.deliver([person('E1', { status: 'left' }), person('E2')]);
  expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_ACCOUNT_PROTECTED']);
  story.deliver([person('E2')]);
  expect(summarise((await story.sync()).json.held)).toEqual(['E1 SYNC_ACCOUNT_PROTECTED']);
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1').deactivated).toBe(false);
});

sweep('does not deactivate a person who became an administrator after the last read', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  story.clock.advance(5_000);
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  await story.sync();
  // Roles do not appear in the feed, so only the look before the deactivation can show this.
  await story.editUser('E1', { role: 'internationalmanager' });
  story.takeWrites();
  story.deliver([person('E2')]);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(ran.json.failed).toMatchObject([{ key: 'E1', code: 'SYNC_ACCOUNT_PROTECTED' }]);
  expect(story.takeWrites()).toEqual([]);
  expect(story.user('E1').deactivated).toBe(false);
});

sweep('does not touch an account that `protect` names, and says so', async () => {
  const story = await openStory({
    users: [{ ...oslo, email: 'e1@board.example.com', name: 'Board', external_unique_id: 'E1' }],
  });
  story.configure({ users: { protect: ['user.email.endsWith("@board.example.com")'] } });
  story.deliver([person('E1', { title: 'Chair', email: 'e1@board.example.com' }), person('E2')]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_ACCOUNT_PROTECTED']);
  expect(ran.json.held[0]?.reason).toContain('@board.example.com');
  story.deliver([person('E2')]);
  await story.sync();
  expect(story.user('E1')).toMatchObject({ name: 'Board', title: {}, deactivated: false });
});

sweep('holds nothing for an administrator without a difference', async () => {
  const story = await openStory({
    users: [
      {
        ...oslo,
        email: 'e1@example.com',
        name: 'Person E1',
        external_unique_id: 'E1',
        roles: ['internationalmanager'],
      },
    ],
  });
  story.deliver([person('E1')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: {} } });
});
