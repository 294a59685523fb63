import { expect } from 'vitest';
import { person, type Row } from '../scenarios/company.js';
import { CREATE_USER, openStory, type Story } from '../scenarios/kit.js';
import { oweRun, settleIn } from './daemon-process.js';

/** E0 has an account and the joiners have none. Each joiner takes one write, one after the other, and a run is due. */
export async function openDue(joiners: readonly Row[]): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E0')]);
  await settleIn(story, { service: { timeout: '30s', rate_limit: { concurrency: 1 } } });
  story.deliver([person('E0'), ...joiners]);
  oweRun(story);
  return story;
}

/** Checks that all work is done exactly once and no call is left open. */
export async function expectAllDoneOnce(story: Story, joiners: readonly Row[]): Promise<void> {
  const everybody = ['E0', ...joiners.map(({ id }) => id)];
  expect(story.takeWrites()).toEqual(joiners.map(() => CREATE_USER));
  expect(story.users().map((user) => user.external_unique_id)).toEqual(everybody);
  const done = (await story.audit()).filter(({ result }) => result === 'done').map(({ key }) => key);
  expect(done.toSorted()).toEqual(everybody);
  expect((await story.status()).json.open_intents).toBe(0);
  expect((await story.verify()).json.ok).toBe(true);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
}
