import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { merge, person } from './company.js';
import { CERTIFICATIONS, createStream, openCvStory, STREAMS } from './cvs.js';
import type { Story } from './kit.js';
import { killAtWrite } from './program.js';
import { expectProven } from './proof.js';
import { expectQuiet } from './quiet.js';

/** E1 works here. Then come a new title, another place and another tag on the CV: three calls of one change. */
async function openMover(): Promise<Story> {
  const story = await openCvStory({ tagsOnCvs: false });
  const fields = { place_of_residence: 'record.?phone', cv_tags: { unit: 'has(record.unit) ? [record.unit] : []' } };
  story.configure({ service: { rate_limit: { concurrency: 1 } }, users: { fields } });
  story.deliver([person('E1', { phone: 'Oslo' })]);
  for (let run = 0; run < 2; run++) await story.sync();
  story.deliver([person('E1', { title: 'Lead', phone: 'Bergen', unit: 'north' })]);
  return story;
}

const PLACES = [
  [1, 'before', ['lost', 'done'], 1],
  [1, 'after', ['in part', 'done'], 1],
  [2, 'before', ['in part', 'done'], 2],
  [2, 'after', ['in part', 'done'], 2],
  [3, 'before', ['in part', 'done'], 3],
  [3, 'after', ['done'], 3],
] as const;

test.each(oneIn(2, PLACES, 1))(
  'records a kill at write %i, %s it was carried out, as %j in the audit',
  async (at, moment, results, calls) => {
    const story = await openMover();
    await killAtWrite(story, at, moment);
    expect((await story.sync()).code).toBe(0);
    const entries = (await story.audit()).filter(({ action }) => action === 'update');
    expect(entries.map(({ result }) => result)).toEqual(results);
    // Answered calls have their status and request id.
    expect(entries[0]?.calls).toHaveLength(calls);
    for (const { status, request_id: id } of entries[0]?.calls.slice(0, -1) ?? [])
      expect([status, id]).toEqual([200, expect.any(String)]);
    expectProven(entries);
    await expectQuiet(story);
  },
);

sweep('records a create that was killed before its CV was filled as partly done, and owns the person', async () => {
  const story = await openMover();
  story.deliver([person('E1', { phone: 'Oslo' }), person('E2', { phone: 'Oslo', unit: 'north' })]);
  await killAtWrite(story, 2, 'before');
  expect((await story.sync()).code).toBe(0);
  const entries = (await story.audit()).filter(({ key }) => key === 'E2');
  expect(entries.map(({ action, result }) => [action, result])).toEqual([
    ['create', 'in part'],
    ['update', 'done'],
  ]);
  expect(story.users()).toHaveLength(2);
  await expectQuiet(story);
});

sweep('keeps the proof of an earlier call when the process dies at the next call', async () => {
  const story = await openMover();
  await story.sync();
  story.deliver([person('E1', { title: 'Lead', phone: 'Bergen', unit: 'north' }), person('E2', { phone: 'Oslo' })]);
  story.sandbox.faults.add({ kind: 'reset_after', method: 'POST', path: '^/api/v1/users' });
  await killAtWrite(story, 2, 'after');
  expect((await story.sync()).code).toBe(0);
  const entries = (await story.audit()).filter(({ key }) => key === 'E2');
  expect(entries).toMatchObject([{ action: 'create', result: 'done' }]);
  expect(entries[0]?.calls.map(({ proved_by: proof }) => typeof proof)).toEqual(['string', 'string']);
  expectProven(entries);
  await expectQuiet(story);
});

sweep("shows a person's current tags in explain, and none of a CV that no mapping keeps up to date", async () => {
  const story = await openCvStory({ tagsOnCvs: true });
  story.configure({
    ...(merge(STREAMS, CERTIFICATIONS) as typeof STREAMS),
    users: { fields: { tags: { unit: 'record.?unit' } } },
  });
  createStream(story, 'certificates')([{ id: 'K1', person: 'E1', name: 'Cloud' }]);
  story.deliver([person('E1', { unit: 'north' })]);
  await story.sync();
  await story.sync({ full: true });
  story.deliver([person('E1', { unit: 'south' })]);
  await story.sync();
  const { mirror } = (await story.explain('user', 'E1')).json.steps;
  expect(mirror?.values.tags).toEqual({ unit: 'south' });
  expect(mirror?.values).not.toHaveProperty('cv_tags');
});
