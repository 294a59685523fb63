import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { openBoth, PHONE_OF_SERVICE, questionsOf } from '../../scenarios/both.js';
import { HOUR, person } from '../../scenarios/company.js';
import { openStory } from '../../scenarios/kit.js';
import { openReceiver } from './receiver.js';

const PEOPLE = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'];

test('messages follow a hold to its outcome, with links to the pages of the daemon', async () => {
  const story = await openStory();
  const receiver = await openReceiver();
  writeFileSync(
    join(story.folder, 'daemon.yaml'),
    // The secret is the daemon's; a command neither has nor needs it.
    `web:
  state: ./web
  public_url: https://sync.example.com
  login: { openid: { issuer: https://id.example.com, client_id: pages, client_secret: { env: NOT_SET } } }
`,
  );
  story.configure({
    guards: { users: { deactivate: { max: 2 } } },
    notify: { channels: { ops: receiver.channel } },
  });
  story.deliver(PEOPLE.map((id) => person(id)));
  await story.sync();
  story.deliver(PEOPLE.map((id, index) => person(id, index < 5 ? { status: 'left' } : {})));
  expect((await story.sync()).code).toBe(3);
  const declined = ['--who', 'user:E5', '--until', '2099-12-31', '--reason', 'works until then'];
  expect((await story.type('decline', ...declined)).code).toBe(0);
  await story.approve({ guard: 'users.deactivate', reason: 'an office was closed' });
  await story.sync();
  expect(receiver.take()).toEqual([
    'began 5 people to deactivate, held for an approval',
    'ended Ended: 5 people to deactivate, held for an approval',
  ]);
  const at = 'https://sync.example.com/tenants/talent-sync';
  expect(receiver.tried.map(({ link }) => link)).toEqual([`${at}/plans/newest#guards`, `${at}/audit`]);
  expect(receiver.tried[1]?.events[0]).toMatchObject({
    outcome: {
      partial: false,
      decisions: expect.arrayContaining([
        { what: 'approved', count: 4, carried_out: 4, until: null, by: [] },
        { what: 'declined', count: 1, carried_out: 0, until: expect.stringMatching(/^2099-12-3/), by: [] },
      ]),
    },
  });
  expect(JSON.stringify(receiver.tried)).not.toMatch(/office was closed|works until|Person|E5/);
});

sweep('a conflict links to its own page, and its end names the chosen side, and the person if allowed', async () => {
  const { story, deliver } = await openBoth({ telephone: PHONE_OF_SERVICE });
  const receiver = await openReceiver();
  story.configure({
    conflicts: 'hold',
    notify: { names: true, link: 'https://sync.example.com', channels: { ops: receiver.channel } },
  });
  deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  await story.sync();
  story.clock.advance(HOUR);
  await story.editUser('E1', { telephone: '2' });
  deliver(['E1', { phone: '3' }], ['E2', { phone: '1' }]);
  const [question = ''] = questionsOf(await story.sync());
  const { waiting } = JSON.parse((await story.type('status', '--json')).stdout) as { waiting: { id: string }[] };
  expect(waiting).toHaveLength(1);
  await story.type('holds', 'resolve', question, '--take', 'source', '--reason', 'asked her');
  await story.sync();
  const at = 'https://sync.example.com/tenants/talent-sync';
  expect(receiver.tried.map(({ link }) => link)).toEqual([`${at}/waiting/${waiting[0]?.id}`, `${at}/audit`]);
  expect(receiver.tried[1]?.events[0]).toMatchObject({
    outcome: { decisions: [{ what: 'source', count: 1, by: [userInfo().username] }] },
  });
  expect(JSON.stringify(receiver.tried)).not.toContain('asked her');
});
