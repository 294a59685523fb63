import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { HEADER, HOUR, line, person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';

const FULL = 'GET /api/v2/users/search';
const isFull = (story: Story): boolean => story.takeReads().includes(FULL);

async function openQuiet(variant: 'exclude' | 'keyset'): Promise<Story> {
  const story = await openStory({ account: { after_id: variant } });
  // Whatever the time is: not while this story lasts.
  story.configure({ schedule: { full_read: '0 3 29 2 *' } });
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  await story.sync();
  story.clock.advance(5_000);
  expect((await story.sync()).code).toBe(0);
  story.takeReads();
  return story;
}

test.each(oneIn(1, ['exclude', 'keyset'] as const))(
  'a service whose clock is set back is read whole once (%s)',
  async (variant) => {
    const story = await openQuiet(variant);
    story.clock.advance(-2 * HOUR);
    // Stamped two hours before all that the feed has told.
    await story.editUser('E1', { title: { en: 'Chief' } });
    story.takeWrites();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(isFull(story)).toBe(true);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1').title).toEqual({ en: 'Lead' });

    // From then on the feed tells again, though E2 is stamped two hours ahead.
    story.clock.advance(60_000);
    await story.editUser('E1', { title: { en: 'Boss' } });
    story.takeWrites();
    story.takeReads();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(isFull(story)).toBe(false);
    expect(story.user('E1').title).toEqual({ en: 'Lead' });
    for (const ms of [0, HOUR, 2 * HOUR]) {
      story.clock.advance(ms);
      expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0 } });
      expect(isFull(story)).toBe(false);
    }
  },
);

sweep('clocks that differ by a few seconds, and days without a change, read nobody again', async () => {
  const story = await openQuiet('exclude');
  for (const ms of [-3_000, 0, 2_000, 20 * 60_000]) {
    story.clock.advance(ms);
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0 } });
    expect(isFull(story)).toBe(false);
  }
});

sweep('a guard never calls a source whole that was not read whole', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { create: { max: 2 } } } });
  const keyless = line({ ...person('E9'), id: '', first: '', last: '', email: '' });
  story.deliverText(`${[HEADER, ...['E1', 'E2', 'E3'].map((id) => line(person(id))), keyless].join('\n')}\n`);
  const { json } = await story.plan();
  expect(json.guards).toMatchObject([{ guard: 'users.create', found: 3 }]);
  expect(json.guards[0]?.detail).not.toContain('is whole');
  expect(json.guards[0]?.detail).toContain('was not read whole');
});
