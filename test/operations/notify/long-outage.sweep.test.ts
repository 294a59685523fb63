import { expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { HOUR, person } from '../../scenarios/company.js';
import { openStory, type Story } from '../../scenarios/kit.js';
import { openReceiver, type Receiver } from './receiver.js';

const PEOPLE = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'];
const HELD = '5 people to deactivate, held for an approval';
const DOWN = 'Channel ops: messages do not arrive';

/** A guard holds five leavers while no message can be sent. */
async function open(): Promise<{ readonly story: Story; readonly receiver: Receiver }> {
  const story = await openStory();
  const receiver = await openReceiver();
  story.configure({
    guards: { users: { deactivate: { max: 2 } } },
    notify: { lapse_after: '3d', remind_after: '30d', channels: { ops: receiver.channel } },
  });
  story.deliver(PEOPLE.map((id) => person(id)));
  await story.sync();
  receiver.status = 503;
  story.deliver(PEOPLE.map((id, index) => person(id, index < 5 ? { status: 'left' } : {})));
  return { story, receiver };
}

async function runFor(story: Story, hours: number, every: number): Promise<void> {
  for (let gone = 0; gone < hours; gone += every) {
    expect((await story.sync()).code).toBe(3);
    story.clock.advance(every * HOUR);
  }
}

async function channelOf(story: Story): Promise<object> {
  const { stdout } = await story.type('notify', 'list', '--json');
  return (JSON.parse(stdout) as { readonly channels: readonly object[] }).channels[0] ?? {};
}

sweep('sends a message that waited for two days once, under its first id', async () => {
  const { story, receiver } = await open();
  await runFor(story, 48, 6);
  expect(receiver.tried.length).toBeGreaterThan(3);
  expect(receiver.take()).toEqual([]);
  receiver.status = 200;
  await story.sync();
  // The outage and its end are also reported.
  expect(receiver.take()).toEqual([`began ${HELD}`, `began ${DOWN}`]);
  const ids = receiver.tried
    .filter(({ events }) => events.some(({ headline }) => headline === HELD))
    .map(({ id }) => id);
  expect([ids.length > 3, new Set(ids).size]).toEqual([true, 1]);
  await story.sync();
  expect(receiver.take()).toEqual([`ended Ended: ${DOWN}`]);
  expect(await channelOf(story)).toMatchObject({ waiting: 0, lapsed: 0 });
});

test('drops and counts messages older than `lapse_after`, without delaying runs', async () => {
  const { story, receiver } = await open();
  await runFor(story, 96, 24);
  receiver.status = 200;
  await story.sync();
  expect(receiver.take()).not.toContain(`began ${HELD}`);
  expect(await channelOf(story)).toMatchObject({ waiting: 0, lapsed: 2 });
  await story.approve({ guard: 'users.deactivate' });
  expect((await story.sync()).code).toBe(0);
});
