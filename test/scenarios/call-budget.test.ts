import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story } from './kit.js';

const staff = Array.from({ length: 6 }, (_, index) => person(`E${index + 1}`));

/** Counts the calls that reach the service during `work`. */
async function countCalls(story: Story, work: () => Promise<unknown>): Promise<number> {
  const before = story.sandbox.calls().length;
  await work();
  return story.sandbox.calls().length - before;
}

test.each(oneIn(1, [5, 7]))('never exceeds a budget of %i calls, and does the rest in the next run', async (budget) => {
  const story = await openStory();
  story.configure({ call_budget: budget });
  story.deliver(staff);
  let ran = await story.sync();
  expect(story.sandbox.calls().length).toBeLessThanOrEqual(budget);
  expect(ran).toMatchObject({ code: 3, json: { failed: [], stopped: expect.stringContaining(String(budget)) } });
  expect(ran.json.done + ran.json.left).toBe(6);
  // Each run sends three reads; all other calls are work.
  for (let run = 0; run < 6 && ran.code === 3; run++) {
    const calls = await countCalls(story, async () => {
      ran = await story.sync();
    });
    expect(calls).toBeLessThanOrEqual(budget);
    expect(ran.json.done).toBeGreaterThan(0);
  }
  expect(ran).toMatchObject({ code: 0, json: { left: 0, stopped: null } });
  expect(story.users()).toHaveLength(6);
  expect(story.sandbox.calls().filter(({ method }) => method === 'POST')).toHaveLength(6);
});

sweep('lists what a stopped run has done, not what it left', async () => {
  const story = await openStory();
  story.configure({ call_budget: 5 });
  story.deliver(staff);
  expect((await story.type('sync')).stdout).toMatch(/2 changes done\n {2}\+ create {6}2 users\n/);
});

sweep('does not begin a change of several calls unless all fit, and counts the look-ups of leavers', async () => {
  const story = await openStory();
  story.configure(CRM);
  story.deliver(staff.slice(0, 3));
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([]);
  await story.sync();
  story.deliver([person('E1'), person('E2', { status: 'left' }), person('E3', { status: 'left' })]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }]);
  for (const budget of [6, 7, 9]) {
    story.configure({ call_budget: budget });
    expect(await countCalls(story, () => story.sync())).toBeLessThanOrEqual(budget);
    const [project] = story.customers()[0]?.projects ?? [];
    if (project !== undefined) expect(project.owners).toEqual(['e1@example.com']);
  }
  story.configure({ call_budget: 50 });
  expect((await story.sync()).code).toBe(0);
  expect(story.users().filter(({ deactivated }) => deactivated)).toHaveLength(2);
  expect(story.customers()[0]?.projects).toHaveLength(1);
});
