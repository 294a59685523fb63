import { describe, expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { CRM, merge, person } from './company.js';
import { CERTIFICATIONS, createStream, cvOf, openCvStory, STAFFING, STREAMS, sectionsOf } from './cvs.js';
import type { Story } from './kit.js';
import { killAtWrite } from './program.js';
import { expectQuiet } from './quiet.js';

/** The joiner, the fields of the CV, its tag, a certificate, the link, two roles. */
const WRITES = 7;

/** One joiner with each kind of CV content. One call at a time gives a known order. */
async function openJoiner(): Promise<Story> {
  const story = await openCvStory({
    tagsOnCvs: false,
    users: [{ country: 'no', office: 'Oslo', email: 'e0@example.com', external_unique_id: 'E0', name: 'Person E0' }],
    customers: [
      {
        external_unique_id: 'C1',
        customer_name: { en: 'Fjord Power' },
        projects: [{ external_unique_id: 'P1', project_name: { en: 'Dam' } }],
      },
    ],
  });
  const feeds = merge(merge(merge(STREAMS, CRM), STAFFING), CERTIFICATIONS) as typeof STREAMS;
  story.configure({
    ...feeds,
    service: { rate_limit: { concurrency: 1 } },
    users: {
      fields: { place_of_residence: 'record.?phone', cv_tags: { unit: 'has(record.unit) ? [record.unit] : []' } },
    },
  });
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam' }]);
  createStream(story, 'certificates')([{ id: 'K1', person: 'E1', name: 'Cloud' }]);
  createStream(
    story,
    'staffing',
  )([
    { id: 's1', project: 'P1', person: 'E1', role: 'Lead' },
    { id: 's2', project: 'P1', person: 'E1', role: 'Coder' },
  ]);
  story.deliver([person('E0'), person('E1', { phone: 'Oslo', unit: 'north' })]);
  return story;
}

async function expectWhole(story: Story): Promise<void> {
  expect(story.users()).toHaveLength(2);
  expect(story.user('E1')).toMatchObject({ place_of_residence: { en: 'Oslo' } });
  expect(cvOf(story, 'E1').tags).toEqual(['unit/north']);
  expect(sectionsOf(story, 'E1', 'certifications')).toMatchObject([{ external_unique_id: 'K1' }]);
  const experiences = sectionsOf(story, 'E1', 'project_experiences');
  expect(experiences).toHaveLength(1);
  expect(experiences[0]?.parts.roles?.map(({ texts }) => texts.name.en).toSorted()).toEqual(['Coder', 'Lead']);
  expect((await story.status()).json.open_intents).toBe(0);
  expect((await story.verify()).json.ok).toBe(true);
  await expectQuiet(story);
}

test('makes seven writes without a crash', async () => {
  const story = await openJoiner();
  expect((await story.plan()).json.cost.writes).toBe(WRITES);
  expect(await story.sync()).toMatchObject({ code: 0, json: { calls: { writes: WRITES } } });
  expect(story.takeWrites()).toHaveLength(WRITES);
  await expectWhole(story);
});

describe.each(oneIn(1, ['after', 'before'] as const))(
  'kills at a write, %s the service has carried it out',
  (moment) => {
    const places = Array.from({ length: WRITES }, (_, index) => index + 1);
    test.each(oneIn(4, places, moment === 'before' ? 0 : 2))('recovers from a kill at write %i', async (at) => {
      const story = await openJoiner();
      const gate = await killAtWrite(story, at, moment);
      expect(gate.writes()).toBe(at);
      expect((await story.status()).json.open_intents).toBe(1);
      expect((await story.sync()).code).toBe(0);
      await expectWhole(story);
    });
  },
);
