import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const CREATE_OFFICE = 'POST /api/v1/countries/:country_id/offices';
const CREATE_TAG = 'POST /api/v1/masterdata/custom_tags/custom_tag';

async function openNaming(): Promise<Story> {
  const story = await openStory();
  story.configure({
    tags: { create_missing: true },
    users: {
      fields: {
        office: { country: 'record.country', name: 'record.office', create_missing: true },
        tags: { unit: 'record.?unit' },
      },
    },
  });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();
  return story;
}

test('neither counts nor creates offices and tags that only held records need', async () => {
  const story = await openNaming();
  story.deliver([
    person('E1'),
    person('E2'),
    // Two new people share one address: neither is created, and nothing for them.
    person('E8', { email: 'same@example.com', office: 'Atlantis', unit: 'deep' }),
    person('E9', { email: 'same@example.com', office: 'Utopia', unit: 'far' }),
    // The country does not exist, so neither this person nor the tag is created.
    person('E7', { country: 'xx', office: 'Oslo', unit: 'lost' }),
  ]);
  const plan = await story.plan();
  expect(plan.json).toMatchObject({ counts: {}, cost: { writes: 0 } });
  const ran = await story.sync();
  expect([...new Set(summarise(ran.json.held).map((line) => line.slice(0, 2)))]).toEqual(['E7', 'E8', 'E9']);
  expect(ran.json).toMatchObject({ counts: {}, done: 0 });
  expect(story.takeWrites()).toEqual([]);
});

sweep('withholds what only withheld people need, but not what others need too', async () => {
  const story = await openNaming();
  story.configure({ guards: { users: { create: { max: 0 } } } });
  story.deliver([
    person('E1', { office: 'Trondheim' }),
    person('E2'),
    person('E3', { office: 'Trondheim', unit: 'west' }),
    person('E4', { office: 'Hamar' }),
  ]);
  const plan = await story.plan();
  expect(plan.json).toMatchObject({ cost: { writes: 2 }, guards: [{ guard: 'users.create', held: 2 }] });
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 3, json: { done: 2 } });
  expect(story.takeWrites()).toEqual([CREATE_OFFICE, UPDATE_USER]);
  expect(story.offices()).not.toContain('no/Hamar');
  expect(story.user('E1').office).toBe('no/Trondheim');

  await story.approve({ guard: 'users.create' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 4 } });
  expect(story.takeWrites()).toEqual([CREATE_OFFICE, CREATE_TAG, CREATE_USER, CREATE_USER]);
  expect(story.user('E4').office).toBe('no/Hamar');
});
