import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { BID, deliverBids, openBidding } from './bids.js';
import { person } from './company.js';
import { CERTIFICATIONS, createStream, openCvStory, STREAMS } from './cvs.js';
import { openStory, type Story } from './kit.js';
import { DAM, openRich } from './reference-projects.js';
import { onProject, openStaffing } from './staffing.js';

/** Counts the calls that reach the service during `work`. */
async function count(story: Story, work: () => Promise<unknown>): Promise<readonly string[]> {
  const before = story.sandbox.calls().length;
  await work();
  return story.sandbox
    .calls()
    .slice(before)
    .map(({ method, route }) => `${method} ${route}`);
}

function isRead(call: string): boolean {
  return call.startsWith('GET ') || call.includes('/api/v4/');
}

/**
 * Compares a plan's forecast with the calls that a run then sends, without the reads that the plan took itself.
 * It counts a second plan, since the first one brings the mirror up to date.
 */
async function expectForecast(
  story: Story,
  plan: () => Promise<{ json: { cost: { reads: number; writes: number } } }>,
  run: () => Promise<{ code: number }>,
): Promise<void> {
  await plan();
  let cost = { reads: -1, writes: -1 };
  const planned = await count(story, async () => {
    cost = (await plan()).json.cost;
  });
  const ran = await count(story, run);
  const sent = {
    reads: ran.filter(isRead).length - planned.length,
    writes: ran.filter((call) => !isRead(call)).length,
  };
  expect(cost.writes).toBeGreaterThan(0);
  expect(sent).toEqual({ reads: cost.reads, writes: cost.writes });
}

async function expectSync(story: Story, full = false): Promise<void> {
  await expectForecast(
    story,
    () => story.plan({ full }),
    () => story.sync({ full }),
  );
}

const STAFF = ['E1', 'E2', 'E3', 'E4'].map((id) => person(id));

test.each(oneIn(1, [false, true]))(
  'forecasts people who join, change, leave and return (full read: %s)',
  async (full) => {
    const story = await openStory();
    story.deliver(STAFF);
    await expectSync(story, full);
    story.deliver([person('E1', { title: 'Lead' }), person('E2', { status: 'left' }), person('E5')]);
    await expectSync(story, full);
    story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3'), person('E5')]);
    await expectSync(story, full);
  },
);

sweep('forecasts offices and tags that records name', async () => {
  const story = await openStory();
  story.configure({
    tags: { create_missing: true },
    users: {
      fields: {
        office: { country: 'record.country', name: 'record.office', create_missing: true },
        tags: { grade: 'record.?rank' },
      },
    },
  });
  story.deliver([person('E1', { office: 'Trondheim', rank: 'g1' }), person('E2', { rank: 'g2' })]);
  await expectSync(story);
});

sweep('forecasts projects with every kind of field, created and changed', async () => {
  const story = await openRich();
  story.deliverDeals([DAM]);
  await expectSync(story);
  story.deliverDeals([
    { ...DAM, owners: ['e2@example.com'], problems: ['Water'], answers: [], sector: ['roads'], heads: 7, text: 'Wall' },
  ]);
  await expectSync(story);
  story.deliverDeals([{ ...DAM, owners: [] }]);
  await expectSync(story);
});

sweep('forecasts customers with tags and an industry', async () => {
  const story = await openRich();
  story.deliverCompanies([
    { id: 'C1', name: 'Fjord', segment: ['large'], region: 'north' },
    { id: 'C2', name: 'Lake', segment: ['small', 'large'] },
  ]);
  await expectSync(story);
});

sweep('forecasts sections, fields and tags on CVs', async () => {
  const story = await openCvStory();
  story.configure({ ...STREAMS, ...CERTIFICATIONS });
  story.configure({
    users: { fields: { place_of_residence: { en: 'record.?title' }, tags: { unit: 'record.?unit' } } },
  });
  story.deliver([person('E1', { title: 'Oslo', unit: 'north' }), person('E2')]);
  const certificates = createStream(story, 'certificates');
  certificates([{ id: 'X1', person: 'E1', name: 'Diver' }]);
  await expectSync(story);
  story.deliver([person('E1', { title: 'Bergen', unit: 'south' }), person('E2')]);
  certificates([
    { id: 'X1', person: 'E1', name: 'Diver II' },
    { id: 'X2', person: 'E2', name: 'Driver' },
  ]);
  await expectSync(story);
});

sweep('forecasts people on projects', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1', { role: 'Lead' }), onProject('s2', 'E2')]);
  await expectSync(story);
  staffing([
    onProject('s1', 'E1', { role: 'Lead' }),
    onProject('s2', 'E2', { role: 'Coder' }),
    onProject('s3', 'E3', { copy: true }),
  ]);
  await expectSync(story);
});

sweep('forecasts proposals and their contents', async () => {
  const story = await openBidding();
  await expectSync(story);
  deliverBids(story, [
    { ...BID, name: 'Dam bid 2', owner: 'E3', people: ['E1', 'E3'], projects: ['P1', 'P2'], team: ['E1'] },
  ]);
  await expectSync(story);
});

sweep('forecasts an undo of people and of proposals', async () => {
  const story = await openBidding();
  deliverBids(story, [{ ...BID, people: ['E1'], projects: [] }]);
  await story.sync();
  deliverBids(story, [BID]);
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3', { status: 'left' }), person('E4')]);
  const { run } = (await story.sync()).json;
  await expectForecast(
    story,
    () => story.planUndo(run),
    () => story.undo(run),
  );
});
