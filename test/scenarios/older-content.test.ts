import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, HOUR, line, person, type Row } from './company.js';
import { openStory, type Story } from './kit.js';

const DAY = 24 * HOUR;
const IDS = ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'];
const JANUARY = IDS.map((id) => person(id, { title: 'Consultant', status: 'active' }));
/** One person has left, one is new, one has another title. */
const FEBRUARY = [
  ...JANUARY.map((row) =>
    row.id === 'E6' ? { ...row, status: 'left' } : row.id === 'E1' ? { ...row, title: 'Lead' } : row,
  ),
  person('E7', { status: 'active' }),
];
const PROMOTED = JANUARY.map((row) => (row.id === 'E1' ? { ...row, title: 'Lead' } : row));

async function openAfter(...deliveries: readonly (readonly Row[])[]): Promise<Story> {
  const story = await openStory();
  for (const rows of deliveries) {
    story.deliver(rows);
    expect((await story.sync()).code).toBe(0);
    story.clock.advance(DAY);
  }
  story.takeWrites();
  return story;
}

test('holds last month’s file under a newer name until somebody approves it', async () => {
  const story = await openAfter(JANUARY, FEBRUARY);
  story.clock.advance(3 * DAY);
  const file = story.deliver(JANUARY);
  for (const run of [() => story.plan(), () => story.sync(), () => story.sync({ full: true })]) {
    const ran = await run();
    expect(ran.code).toBe(3);
    expect(ran.json.guards).toMatchObject([
      {
        guard: expect.stringMatching(/^sources\.hr\.older_content:[0-9a-f]{64}$/),
        cause: 'older content',
        detail: expect.stringMatching(
          /later delivery replaced.*reactivate 1, deactivate 1.*the delivery in between was active for more than 3 days/,
        ),
        remedy: expect.stringMatching(
          /^If it corrects .* `talent-sync approve --guard sources\.hr\.older_content:.*old file.* `talent-sync decline --guard sources\.hr\.older_content:/,
        ),
      },
    ]);
    expect(ran.json.counts).toEqual({});
  }
  const { stdout } = await story.type('status');
  expect(stdout).toContain('older_content');
  expect(story.takeWrites()).toEqual([]);
  expect([story.user('E6').deactivated, story.user('E7').deactivated]).toEqual([true, false]);
  const [held] = (await story.plan()).json.guards;
  expect(held?.detail).toBeDefined();
  await story.approve({ guard: held?.guard ?? '', reason: `HR really means ${file}` });
  const ran = await story.sync();
  expect(ran.json.counts).toMatchObject({ users: { reactivate: 1, deactivate: 1 } });
  // This is the last content now, so the same file again raises no question.
  story.deliver(JANUARY);
  expect((await story.plan()).json.guards.filter(({ cause }) => cause === 'older content')).toEqual([]);
});

sweep('replaces a held delivery with a newer one', async () => {
  const story = await openAfter(JANUARY, FEBRUARY);
  story.clock.advance(3 * DAY);
  story.deliver(JANUARY);
  expect((await story.sync()).code).toBe(3);
  story.deliver([...FEBRUARY, person('E8')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { create: 1 } } } });
});

sweep('uses and shows a reverted title, and the right file after a wrong one', async () => {
  const story = await openAfter(JANUARY, PROMOTED);
  story.deliver(JANUARY);
  const plan = await story.plan();
  expect(plan).toMatchObject({
    code: 0,
    json: { counts: { users: { update: 1 } }, older_content: [{ source: 'hr', used: expect.any(String) }] },
  });
  expect((await story.type('plan')).stdout).toMatch(/content of \d{4}-\d\d-\d\d again/);
  expect(await story.sync()).toMatchObject({ code: 0, json: { older_content: [{ source: 'hr' }] } });
  const again = await story.sync();
  expect(again.code).toBe(0);
  expect(again.json).not.toHaveProperty('older_content');
});

sweep('shows nothing when the same file comes daily, even if people become due in the meantime', async () => {
  const story = await openAfter(JANUARY, FEBRUARY, FEBRUARY);
  story.deliver(FEBRUARY);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { counts: {}, guards: [] } });
  expect(ran.json).not.toHaveProperty('older_content');
});

sweep('does not count a wrong file that was never used as a replacement', async () => {
  const story = await openAfter(JANUARY);
  story.configure({ sources: { hr: { shrink: { percent: 20 } } } });
  story.deliverText(`${[HEADER, ...JANUARY.slice(0, 2).map(line)].join('\n')}\n`);
  expect((await story.sync()).code).toBe(3);
  story.deliver(JANUARY);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { counts: {} } });
  expect(ran.json).not.toHaveProperty('older_content');
});

sweep('a file that is corrected the next day is used, and the same two once more are held', async () => {
  const story = await openAfter(JANUARY, FEBRUARY);
  story.deliver(JANUARY);
  expect((await story.plan()).json.guards).toEqual([]);
  const ran = await story.sync();
  expect(ran).toMatchObject({
    code: 0,
    json: { counts: { users: { reactivate: 1, deactivate: 1 } }, older_content: [{ source: 'hr' }] },
  });
  expect([story.user('E6').deactivated, story.user('E7').deactivated]).toEqual([false, true]);
  // Two exporters take turns.
  story.clock.advance(DAY);
  story.deliver(FEBRUARY);
  expect((await story.sync()).json.guards).toMatchObject([
    { cause: 'older content', detail: expect.stringContaining('part of a correction before') },
  ]);
});

sweep.each<[string, (story: Story) => Promise<void>, RegExp]>([
  [
    'other deliveries came in between',
    async (story) => {
      story.deliver([...FEBRUARY, person('E8', { status: 'active' })]);
      expect((await story.sync()).code).toBe(0);
    },
    /several other deliveries came in between/,
  ],
  [
    'it would reactivate more people than the guard allows',
    async (story) => story.configure({ guards: { users: { reactivate: { max: 0 } } } }),
    /it would reactivate 1, and users\.reactivate allows 0/,
  ],
])('does not accept a file as a correction if %s', async (_, meanwhile, because) => {
  const story = await openAfter(JANUARY, FEBRUARY);
  await meanwhile(story);
  story.deliver(JANUARY);
  expect((await story.sync()).json.guards).toMatchObject([
    { cause: 'older content', detail: expect.stringMatching(because) },
  ]);
});
