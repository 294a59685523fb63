import { expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { person } from './company.js';
import { openCvStory } from './cvs.js';
import type { Story } from './kit.js';
import { killAtWrite } from './program.js';
import { expectProven } from './proof.js';
import { expectQuiet } from './quiet.js';
import { FJORD, openRich } from './reference-projects.js';

const ALWAYS = 20;

function tagsOf(story: Story): unknown {
  return (story.customers()[0] as { readonly tags?: unknown } | undefined)?.tags;
}

/** A customer with the tag `north`, in a category that no read of a customer shows. */
async function openHidden(): Promise<Story> {
  const story = await openRich();
  story.configure({ service: { timeout: '500ms', rate_limit: { concurrency: 1 } } });
  story.deliverDeals([{ id: 'P9', customer: 'C1', name: 'Mill' }]);
  story.deliverCompanies([{ ...FJORD, region: 'north' }]);
  for (let run = 0; run < 2; run++) await story.sync();
  expect(tagsOf(story)).toEqual(['hidden/north']);
  return story;
}

/** E1 has the tag `north`, and no read shows people's tags. */
async function openTagged(): Promise<Story> {
  const story = await openCvStory({ tagsOnCvs: false });
  story.configure({
    service: { timeout: '500ms', rate_limit: { concurrency: 1 } },
    users: { fields: { tags: { unit: 'record.?unit' } } },
  });
  story.deliver([person('E0'), person('E1', { unit: 'north' })]);
  for (let run = 0; run < 2; run++) await story.sync();
  expect(story.user('E1').tags).toEqual(['unit/north']);
  return story;
}

test.each(oneIn(1, ['south', 'north']))(
  'keeps only the right hidden tag when the second of two calls never comes, and the source says %s then',
  async (region) => {
    const story = await openHidden();
    story.deliverCompanies([{ ...FJORD, region: 'south' }]);
    const path = '^/api/v2/.*/custom_tags/';
    story.sandbox.faults.add({ kind: 'status', status: 500, method: 'DELETE', path, times: ALWAYS });
    expect((await story.sync()).code).toBe(4);
    // Meanwhile the customer always has a tag.
    expect(tagsOf(story)).toEqual(['hidden/north', 'hidden/south']);
    story.sandbox.faults.clear();
    await expectRegion(story, region);
  },
);

const KILLS = [
  [1, 'before', ['hidden/north']],
  [1, 'after', ['hidden/north', 'hidden/south']],
  [2, 'after', ['hidden/south']],
] as const;

test.each(
  oneIn(
    2,
    KILLS.flatMap((kill) => [[...kill, 'south'] as const, [...kill, 'north'] as const]),
    3,
  ),
)(
  'moves a hidden tag right after a kill at call %i, %s it was carried out (%j), if the source says %s then',
  async (at, moment, left, region) => {
    const story = await openHidden();
    story.deliverCompanies([{ ...FJORD, region: 'south' }]);
    await killAtWrite(story, at, moment);
    expect(tagsOf(story)).toEqual(left);
    await expectRegion(story, region);
  },
);

async function expectRegion(story: Story, region: string): Promise<void> {
  story.deliverCompanies([{ ...FJORD, region }]);
  expect((await story.sync()).code).toBe(0);
  expect(tagsOf(story)).toEqual([`hidden/${region}`]);
  expectProven(await story.audit());
  await expectQuiet(story);
}

test.each(oneIn(1, ['reset_after', 'killed'] as const))(
  'restores an earlier hidden tag of a person after an unknown outcome (%s)',
  async (how) => {
    const story = await openTagged();
    story.deliver([person('E0'), person('E1', { unit: 'south' })]);
    if (how === 'killed') await killAtWrite(story, 1, 'after');
    else {
      story.sandbox.faults.add({ kind: how, method: 'PUT', path: '/api/v1/users', times: ALWAYS });
      expect((await story.sync()).code).toBe(4);
      story.sandbox.faults.clear();
    }
    expect(story.user('E1').tags).toEqual(['unit/south']);
    story.deliver([person('E0'), person('E1', { unit: 'north' })]);
    await story.sync();
    expect((await story.sync()).code).toBe(0);
    expect(story.user('E1').tags).toEqual(['unit/north']);
    expectProven(await story.audit());
    await expectQuiet(story);
  },
);

test('restores an earlier scope after neither an answer nor a look showed the outcome', async () => {
  const story = await openTagged();
  const roles = '["consultant", "departmentmanager"]';
  const role_allowed_offices = [{ country: 'record.country', name: 'record.?scope' }];
  story.configure({ users: { fields: { roles, role_allowed_offices } } });
  const give = (scope: string) => story.deliver(['E0', 'E1'].map((id) => person(id, { unit: 'north', scope })));
  give('Oslo');
  for (let run = 0; run < 2; run++) expect((await story.sync()).code).toBe(0);
  give('Bergen');
  story.sandbox.faults.add({ kind: 'reset_after', method: 'PUT', path: '/api/v1/users', times: ALWAYS });
  story.sandbox.faults.add({
    kind: 'status',
    status: 500,
    method: 'GET',
    path: '^/api/v1/users/\\w{8}',
    times: 99,
    skip: 2,
  });
  expect((await story.sync()).code).toBe(4);
  story.sandbox.faults.clear();
  give('Oslo');
  expect((await story.sync()).code).toBe(0);
  for (const id of ['E0', 'E1']) expect(story.user(id)).toMatchObject({ role_allowed_offices: ['no/Oslo'] });
  await expectQuiet(story);
});
