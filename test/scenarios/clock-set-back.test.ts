import { expect, test } from 'vitest';
import { IS_THOROUGH, oneIn, sweep } from '../depth.js';
import { HEADER, HOUR, line, person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';

const FULL = 'GET /api/v2/users/search';
const isFull = (story: Story): boolean => story.takeReads().includes(FULL);

async function openQuiet(variant: 'exclude' | 'keyset'): Promise<Story> {
  const story = await openStory({ account: { after_id: variant } });
  // A full read never comes due while this story lasts.
  story.configure({ schedule: { full_read: '0 3 29 2 *' } });
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  await story.sync();
  story.clock.advance(5_000);
  expect((await story.sync()).code).toBe(0);
  story.takeReads();
  return story;
}

test.each(oneIn(1, ['exclude', 'keyset'] as const))(
  'reads a service whose clock is set back completely, once (%s)',
  async (variant) => {
    const story = await openQuiet(variant);
    story.clock.advance(-2 * HOUR);
    // This change is stamped two hours before everything in the feed.
    await story.editUser('E1', { title: { en: 'Chief' } });
    story.takeWrites();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(isFull(story)).toBe(true);
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect(story.user('E1').title).toEqual({ en: 'Lead' });

    // From then on the feed reports changes again, though E2 is stamped two hours ahead.
    story.clock.advance(60_000);
    await story.editUser('E1', { title: { en: 'Boss' } });
    story.takeWrites();
    story.takeReads();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
    expect(isFull(story)).toBe(false);
    expect(story.user('E1').title).toEqual({ en: 'Lead' });
    for (const ms of IS_THOROUGH ? [0, HOUR, 2 * HOUR] : [2 * HOUR]) {
      story.clock.advance(ms);
      expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0 } });
      expect(isFull(story)).toBe(false);
    }
  },
);

sweep('reads nobody again when clocks differ by seconds or days bring no change', async () => {
  const story = await openQuiet('exclude');
  for (const ms of [-3_000, 0, 2_000, 20 * 60_000]) {
    story.clock.advance(ms);
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0 } });
    expect(isFull(story)).toBe(false);
  }
});

sweep('does not call a source complete in a guard if its read was not', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { create: { max: 2 } } } });
  const keyless = line({ ...person('E9'), id: '', first: '', last: '', email: '' });
  story.deliverText(`${[HEADER, ...['E1', 'E2', 'E3'].map((id) => line(person(id))), keyless].join('\n')}\n`);
  const { json } = await story.plan();
  expect(json.guards).toMatchObject([{ guard: 'users.create', found: 3 }]);
  expect(json.guards[0]?.detail).not.toContain('is complete');
  expect(json.guards[0]?.detail).toContain('was not read completely');
});
