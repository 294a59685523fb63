import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { openStory } from './kit.js';

test('gives a person a token that is shown once, and revokes it with all log-ins', async () => {
  const story = await openStory();
  story.configure({ web: { state: './web', roles: [{ role: 'viewer', groups: ['staff'] }] } });
  const without = await story.type('operator', 'add', 'jane@example.com');
  expect(without).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('jane@example.com has no role.'),
  });

  const added = await story.type('operator', 'add', ' Jane@Example.com', '--role', 'approver', '--tenant', 'acme');
  const token = /ts_[\w-]{43}/.exec(added.stdout)?.[0] ?? '';
  expect(token).not.toBe('');
  const listed = await story.type('operator', 'list');
  expect(listed.stdout).toContain('jane@example.com: approver of acme, 0 log-ins');
  expect(listed.stdout).not.toContain(token);
  expect(JSON.parse((await story.type('operator', 'list', '--json')).stdout)).toMatchObject({
    operators: [
      { who: 'jane@example.com', roles: [{ role: 'approver', tenants: ['acme'] }], tokens: [{ used: null }] },
    ],
  });

  const removed = await story.type('operator', 'remove', 'JANE@example.com');
  expect(removed).toMatchObject({ code: 0, stdout: 'Ended: 1 token and 0 log-ins of jane@example.com.\n' });
  expect((await story.type('operator', 'list')).stdout).toBe('Nobody has a token or a log-in.\n');
  expect((await story.type('operator', 'remove', 'jane@example.com')).code).toBe(1);
});

sweep('rejects operator commands without pages', async () => {
  const story = await openStory();
  const { code, stderr } = await story.type('operator', 'list');
  expect([code, stderr]).toEqual([1, expect.stringContaining('There are no operator pages.')]);
});
