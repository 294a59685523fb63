import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.js';
import { tenant } from '../daemon/web/operator/facts.js';
import { openHeldLeavers } from '../daemon/web/operator/held-leavers.js';
import { Browser, openPages } from '../daemon/web/operator/pages.js';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openStory, type Story } from './kit.js';

const DAY = 24 * 3_600_000;
const HELD = { guards: { users: { create: { max: 0 } } } };

async function openHeld(more: object = {}): Promise<Story> {
  const story = await openStory();
  story.configure({ ...HELD, ...more });
  story.deliver([person('E1'), person('E2')]);
  return story;
}

/** Saves a plan. @returns its id */
async function newPlan(story: Story, ...words: readonly string[]): Promise<string> {
  const { stdout } = await story.type('plan', '--json', ...words);
  return (JSON.parse(stdout) as { readonly plan: string }).plan;
}

const approve = (story: Story, ...words: readonly string[]) =>
  story.type('approve', ...words, '--guard', 'users.create', '--reason', 'seen');

sweep('explains in approve OLDPLAN how each change ended, and approves only what still waits', async () => {
  const story = await openHeld();
  const old = await newPlan(story);
  await story.type('approve', '--who', 'user:E1', '--reason', 'seen');
  const { run } = (await story.sync()).json;
  story.deliver([person('E1'), person('E2', { title: 'Lead' }), person('E3')]);
  const newest = await newPlan(story);
  const over = await approve(story, old);
  expect(over.stdout + over.stderr).toContain('SYNC_APPROVAL_OVER');
  const told = (over.stdout + over.stderr).replace(/\s+/g, ' ');
  expect(told).toContain(`1 change carried out by run ${run}, 1 change replaced by plan ${newest}`);
  expect((await story.approve({ list: true })).json.approvals).toEqual([]);
});

sweep('approves through an older plan whose change the newest plan still holds', async () => {
  const story = await openHeld();
  const old = await newPlan(story);
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  await newPlan(story);
  const given = await approve(story, old, '--json');
  expect(JSON.parse(given.stdout)).toMatchObject({
    ...{ approved: 1, plan: old },
    left_out: [{ changes: 1, because: expect.stringContaining('replaced by plan') }],
  });
});

sweep(
  'takes no decision on a plan of one object or another day, unless the newest complete plan holds the same',
  async () => {
    const story = await openHeld();
    await newPlan(story, '--only', 'user:E1');
    const alone = await approve(story);
    expect(alone.stdout + alone.stderr).toContain('SYNC_PLAN_MISSING');
    expect(alone.stdout + alone.stderr).toContain('talent-sync plan');
    const all = await newPlan(story);
    const part = await newPlan(story, '--only', 'user:E1');
    await newPlan(story, '--as-of', '2030-01-01');
    expect(JSON.parse((await approve(story, part, '--json')).stdout)).toMatchObject({ approved: 1 });
    expect(JSON.parse((await approve(story, '--json')).stdout)).toMatchObject({ approved: 1, already: 1, plan: all });
  },
);

sweep('asks for a new plan first after the configuration is edited', async () => {
  const story = await openHeld();
  await newPlan(story);
  story.configure({ ...HELD, drift: 'report' });
  const edited = await approve(story);
  expect(edited.stdout + edited.stderr).toContain('The configuration was edited after plan');
});

sweep('shows on the page of a run how its changes ended, and takes no approval for finished ones', async () => {
  const held = await openHeldLeavers();
  const { story, pages } = held;
  const browser = new Browser(pages.url);
  const path = `/tenants/acme/runs/${await held.run()}`;
  const approver = held.headers('approver');
  const before = (await browser.get(path, approver)).text;
  expect(before).toContain('49 waiting');
  const action = /action="([^"]*\/approve)"/.exec(before)?.[1] ?? '';
  await browser.postAs(action, { guard: 'users.deactivate', reason: 'site closed' }, approver);
  expect((await browser.get(path, approver)).text).toContain('49 approved');
  const { run } = (await story.sync()).json;
  await story.type('undo', run, '--reason', 'wrong site');

  const after = (await browser.get(path, approver)).text;
  expect(after).not.toContain('49 waiting');
  expect(after).toContain('49 carried out');
  expect(after).toContain(`<bdi>by run ${run}</bdi>`);
  expect(after).not.toContain('name="change"');
  expect(after).not.toContain('value="users.deactivate"');
  const again = await browser.postAs(action, { guard: 'users.deactivate', reason: 'again' }, approver);
  expect([again.status, again.text]).toEqual([409, expect.stringContaining('None of it is pending any more')]);
});

sweep('keeps an approval of Friday in force on Monday, until a run that may write has ended', async () => {
  const story = await openHeld({ schedule: { every: '0 8 * * 1' }, approvals: { expires: '1d' }, quiet_hours: [] });
  await newPlan(story);
  const given = await approve(story);
  expect(given.stdout.replace(/\s+/g, ' ')).toContain('and for one more run if no run has written by then');
  story.clock.advance(3 * DAY);
  story.configure({ quiet_hours: ['Mon-Sun 00:00-24:00'] });
  await story.type('sync');
  expect((await story.approve({ list: true })).json.approvals).toMatchObject([{ changes: 2, until_next_run: true }]);
  story.configure({ quiet_hours: [] });
  expect((await story.sync()).json.done).toBe(2);
});

sweep('keeps an approval without a schedule for approvals.expires, seven days by default', async () => {
  const story = await openHeld();
  await newPlan(story);
  await approve(story);
  story.clock.advance(7 * DAY - 1_000);
  expect((await story.approve({ list: true })).json.approvals).toMatchObject([{ until_next_run: false }]);
  story.clock.advance(2_000);
  expect((await story.approve({ list: true })).json.approvals).toEqual([]);
});

test('takes no approval on pages without a log-in under four_eyes, because they identify nobody', async () => {
  const story = await openHeld({ approvals: { four_eyes: true } });
  const plan = await newPlan(story);
  const config = loadConfig(`${story.folder}/talent-sync.yaml`, story.env);
  const start = new Date(story.clock.now()).toISOString();
  const pages = await openPages({ isLocal: true, tenants: [{ ...tenant('acme'), config }], start });
  const browser = new Browser(pages.url);
  await approve(story);
  const path = `/tenants/acme/plans/${plan}`;
  const page = (await browser.get(path)).text;
  expect(page).toContain('These pages do not know who you are');
  expect(page).not.toContain('name="change"');
  const refused = await browser.post(`${path}/approve`, { guard: 'users.create', reason: 'seen' }, '/tenants/acme');
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('nothing proves who you are')]);
});
