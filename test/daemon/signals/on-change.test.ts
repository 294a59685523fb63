import { expect, test } from 'vitest';
import { sweep } from '../../depth.js';
import { person } from '../../scenarios/company.js';
import { CREATE_USER, openStory, UPDATE_USER } from '../../scenarios/kit.js';
import { type DaemonProcess, settleIn, startDaemon, waitUntil, YEARLY } from '../daemon-process.js';

async function open(schedule: object) {
  const story = await openStory();
  const ids = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'];
  story.deliver(ids.map((id) => person(id)));
  await settleIn(story, { schedule: { ...YEARLY, ...schedule } });
  // The feed is followed from the first read that has shown people.
  await story.sync();
  story.takeWrites();
  const daemon = startDaemon(story);
  await daemon.url();
  await daemon.logged('tenant ready');
  return { story, ids, daemon };
}

/** Resolves when that number of runs that signals started have ended. */
async function ranBySignal(daemon: DaemonProcess, runs: number): Promise<void> {
  await daemon.logged('a change was signalled: a run starts', runs);
  await waitUntil('its run has ended', async () => {
    const ended = await daemon.metric('talent_sync_signal_seconds_count{kind="file"}');
    return (ended ?? 0) >= runs;
  });
}

test('a new file starts a run, and three files in one afternoon are no proof that anyone has left', async () => {
  const { story, ids, daemon } = await open({ on_change: true });
  // The file that was there before is for the schedule.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  story.deliver([...ids, 'N1'].map((id) => person(id)));
  await ranBySignal(daemon, 1);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  for (const missing of ['E1', 'E1']) {
    story.deliver([...ids, 'N1'].filter((id) => id !== missing).map((id) => person(id)));
  }
  await ranBySignal(daemon, 2);
  expect(story.takeWrites()).toEqual([]);
  expect((await story.explain('user', 'E1')).json.steps.absence).toBeNull();
  expect((await story.status()).json.signals).toMatchObject({ count: 2, median_seconds: expect.any(Number) });
  // The same by the schedule, or by hand, counts.
  daemon.send('SIGTERM');
  await daemon.ended;
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(true);
});

sweep('without on_change a new file waits for the schedule', async () => {
  const { story, ids, daemon } = await open({});
  story.deliver([...ids, 'N1'].map((id) => person(id)));
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(daemon.log().filter(({ msg }) => msg.includes('signalled'))).toEqual([]);
  expect(story.takeWrites()).toEqual([]);
});

sweep('an edit in the service is found between runs, and corrected soon', async () => {
  const { story, daemon } = await open({ watch_service: '1s' });
  await story.editUser('E2', { name: 'Somebody Else' });
  await daemon.logged('a change was signalled: a run starts');
  await waitUntil('it is corrected', () => story.user('E2').name === 'Person E2');
});
