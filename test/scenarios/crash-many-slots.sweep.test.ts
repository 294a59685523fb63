import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import { openGate } from './gate.js';
import { openStory, type Story } from './kit.js';
import { killAtWrite, startProgram } from './program.js';
import { expectQuiet } from './quiet.js';

const SLOTS = 4;
const KEYS = Array.from({ length: 12 }, (_, index) => `E${10 + index}`);
/** Half of them are new; the others get another title. */
const isNew = (key: string): boolean => Number(key.slice(1)) % 2 === 0;

async function openChange(): Promise<Story> {
  const story = await openStory();
  story.configure({ service: { rate_limit: { concurrency: SLOTS } }, guards: { users: { update: 'off' } } });
  story.deliver(KEYS.filter((key) => !isNew(key)).map((key) => person(key)));
  await story.sync();
  story.deliver(KEYS.map((key) => person(key, { title: isNew(key) ? 'Junior' : 'Lead' })));
  story.takeWrites();
  return story;
}

describe.each(oneIn(1, ['after', 'before'] as const))(
  'kills at a write with several slots, %s the service has carried it out',
  (moment) => {
    test.each(oneIn(3, [1, 3, 5, 7, 9, 11], moment === 'before' ? 0 : 1))(
      'recovers from a kill at write %i',
      async (at) => {
        const story = await openChange();
        await killAtWrite(story, at, moment);
        // The calls in flight, one drawn ahead per other slot, and outcomes that had not reached the disk.
        const { open_intents: open } = (await story.status()).json;
        expect(open).toBeGreaterThan(0);
        expect(open).toBeLessThanOrEqual(4 * SLOTS);

        expect((await story.sync()).code).toBe(0);
        expect(
          story
            .users()
            .map((user) => `${user.external_unique_id} ${user.title.en}`)
            .sort(),
        ).toEqual(KEYS.map((key) => `${key} ${isNew(key) ? 'Junior' : 'Lead'}`));
        const done = (await story.audit()).filter(({ result, action }) => result === 'done' && action !== undefined);
        const ends = done.map(({ action, key }) => `${action} ${key}`).sort();
        const earlier = KEYS.filter((key) => !isNew(key));
        const expected = [...KEYS.map((key) => `create ${key}`), ...earlier.map((key) => `update ${key}`)].sort();
        expect(ends).toEqual(expected);
        // Each person appears once, however many calls were in flight.
        expect(story.takeWrites()).toHaveLength(KEYS.length);
        expect((await story.status()).json.open_intents).toBe(0);
        expect((await story.verify()).json.ok).toBe(true);
        await expectQuiet(story);
      },
    );
  },
);

sweep('ends calls in flight at a first SIGTERM, and leaves no intent open that was drawn ahead', async () => {
  const story = await openChange();
  let child: ChildProcess | undefined;
  const gate = await openGate(story.sandbox.url, 3, async (forward) => {
    child?.kill('SIGTERM');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await forward();
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  child = startProgram(story);
  expect((await once(child, 'exit'))[0]).toBe(3);
  expect((await story.status()).json.open_intents).toBe(0);
  const sent = gate.writes();
  expect(sent).toBeLessThan(KEYS.length);
  expect((await story.sync()).json).toMatchObject({ done: KEYS.length - sent, failed: [] });
  expect(story.takeWrites()).toHaveLength(KEYS.length);
  await expectQuiet(story);
});
