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

/** Waits until this many signalled runs have ended. */
async function ranBySignal(daemon: DaemonProcess, runs: number): Promise<void> {
  await daemon.logged('a change was signalled: a run starts', runs);
  await waitUntil('its run has ended', async () => {
    const ended = await daemon.metric('talent_sync_signal_seconds_count{kind="file"}');
    return (ended ?? 0) >= runs;
  });
}

test('starts a run for a new file, and takes three files in one afternoon as no proof that people left', async () => {
  const { story, ids, daemon } = await open({ on_change: true });
  // The first file is left to the schedule.
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
  // The same read by the schedule or by hand does count.
  daemon.send('SIGTERM');
  await daemon.ended;
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(true);
});

sweep('without on_change, leaves a new file to the schedule', async () => {
  const { story, ids, daemon } = await open({});
  story.deliver([...ids, 'N1'].map((id) => person(id)));
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(daemon.log().filter(({ msg }) => msg.includes('signalled'))).toEqual([]);
  expect(story.takeWrites()).toEqual([]);
});

sweep('finds an edit in the service between runs, and corrects it soon', async () => {
  const { story, daemon } = await open({ watch_service: '1s' });
  await story.editUser('E2', { name: 'Somebody Else' });
  await daemon.logged('a change was signalled: a run starts');
  await waitUntil('it is corrected', () => story.user('E2').name === 'Person E2');
});
