import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { CREATE_USER, openStory, UPDATE_USER } from './kit.js';

/** HR has the first day of work in the column `rank`. */
async function openHiring() {
  const story = await openStory();
  story.configure({
    sources: { hr: { columns: { rank: { type: 'date', optional: true } } } },
    users: { joiner: { start: 'record.?rank', lead: '14d' } },
  });
  return story;
}

test("creates an account two weeks before a colleague's first day, not earlier", async () => {
  const story = await openHiring();
  story.deliver([person('E1', { rank: '2026-12-24' }), person('E2', { rank: '2026-12-01' }), person('E3')]);
  const early = await story.sync({ asOf: '2026-12-09' });
  expect(early).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.users().map(({ external_unique_id }) => external_unique_id)).toEqual(['E2', 'E3']);
  story.takeWrites();
  expect((await story.explain('user', 'E1')).json.steps.joiner?.result).toEqual({
    kind: 'value',
    value: '2026-12-24',
  });
  await story.sync({ asOf: '2026-12-10' });
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect((await story.sync({ asOf: '2026-12-10' })).json.counts).toEqual({});
});

sweep(
  'updates an existing account before the first day, and keeps a deactivated one deactivated until then',
  async () => {
    const story = await openHiring();
    story.deliver([person('E1'), person('E2')]);
    await story.sync({ asOf: '2026-12-01' });
    story.deliver([person('E1'), person('E2', { status: 'left' })]);
    await story.sync({ asOf: '2026-12-01' });
    story.takeWrites();
    story.deliver([
      person('E1', { title: 'Lead', rank: '2027-03-01' }),
      person('E2', { title: 'Lead', rank: '2027-03-01' }),
    ]);
    await story.sync({ asOf: '2026-12-02' });
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect([story.user('E1').title, story.user('E2').deactivated]).toEqual([{ en: 'Lead' }, true]);
    await story.sync({ asOf: '2027-02-15' });
    expect(story.takeWrites()).toEqual([UPDATE_USER]);
    expect([story.user('E2').title, story.user('E2').deactivated]).toEqual([{ en: 'Lead' }, false]);
  },
);

test('creates nobody who cancels before the first day, and deactivates such a colleague', async () => {
  const story = await openHiring();
  story.configure({ users: { leaver: { when: 'record.?status.orValue("") == "left"' } } });
  story.deliver([person('E1'), person('E2'), person('E3')]);
  await story.sync({ asOf: '2026-12-01' });
  const cancelled = { rank: '2027-03-01', status: 'left' };
  story.deliver([person('E1'), person('E2', cancelled), person('E3', { title: 'Lead' }), person('E4', cancelled)]);
  const ran = await story.sync({ asOf: '2026-12-02' });
  expect(ran).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.users().map(({ external_unique_id: id, deactivated }) => [id, deactivated])).toEqual([
    ['E1', false],
    ['E2', true],
    ['E3', false],
  ]);
  expect((await story.sync({ asOf: '2026-12-03' })).json.counts).toEqual({});
});
