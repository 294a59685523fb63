import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { CREATE_USER, openStory, type Story, UPDATE_USER } from './kit.js';

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  story.takeWrites();
  return story;
}

sweep('carries out a saved plan, which is then empty', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  const plan = await story.plan();
  const ran = await story.apply(plan.json.plan);
  expect(ran).toMatchObject({ code: 0, json: { plan: plan.json.plan, done: 2, left_out: [] } });
  expect(story.takeWrites().sort()).toEqual([CREATE_USER, UPDATE_USER]);
  expect((await story.plan()).json.counts).toEqual({});
});

sweep('applies the newest plan without a name, and accepts a path instead of an id', async () => {
  const story = await openCompany();
  story.deliver([person('E1'), person('E2'), person('E3')]);
  await story.plan();
  story.deliver([person('E1'), person('E2'), person('E4')]);
  const newest = await story.plan();
  expect((await story.apply()).json.plan).toBe(newest.json.plan);
  expect(story.user('E4').deactivated).toBe(false);
  expect((await story.apply(newest.json.file)).code).toBe(0);
});

sweep('leaves changes that the plan does not contain for the next plan', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  const plan = await story.plan();
  story.deliver([person('E1', { title: 'Lead' }), person('E2', { title: 'Partner' }), person('E3')]);
  const ran = await story.apply(plan.json.plan);
  expect(ran.json).toMatchObject({ done: 1, left_out: [] });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({ en: 'Lead' });
  expect(story.user('E2').title).toEqual({});
  expect((await story.plan()).json.counts).toEqual({ users: { create: 1, update: 1 } });
});

sweep('leaves out changes that are no longer derived, and names them', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2', { title: 'Partner' }), person('E3')]);
  const plan = await story.plan();
  // E1's title is reverted, and E3 does not join after all.
  story.deliver([person('E1'), person('E2', { title: 'Partner' })]);
  const ran = await story.apply(plan.json.plan);
  expect(ran.json.done).toBe(1);
  expect(ran.json.left_out?.map(({ label, because }) => `${label}: ${because}`).sort()).toEqual([
    'users create Person E3 <e3@example.com>: no longer derived',
    'users update Person E1 <e1@example.com>: no longer derived',
  ]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').title).toEqual({});
});

test('leaves out a change that would now do something else because the value in the service changed', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  const plan = await story.plan();
  await story.editUser('E1', { title: { en: 'Chief' } });
  const ran = await story.apply(plan.json.plan);
  expect(ran.json.done).toBe(0);
  expect(ran.json.left_out).toMatchObject([{ because: 'derived differently by now' }]);
  expect(story.takeWrites()).toEqual([]);
});

sweep('leaves out a change with the change that it needs', async () => {
  const story = await openCompany();
  // E2 gets the address that E1 gives up, and E1 gets a different one than planned.
  story.deliver([person('E1', { email: 'new@example.com' }), person('E2', { email: 'e1@example.com' })]);
  const plan = await story.plan();
  story.deliver([person('E1', { email: 'newer@example.com' }), person('E2', { email: 'e1@example.com' })]);
  const ran = await story.apply(plan.json.plan);
  expect(ran).toMatchObject({ code: 0, json: { done: 0, failed: [], left: 0 } });
  expect(ran.json.left_out?.map(({ label, because }) => `${label}: ${because}`)).toEqual([
    'users update Person E1 <e1@example.com>: derived differently by now',
    'users update Person E2 <e2@example.com>: needs users:E1, which waits for the next plan',
  ]);
  expect(story.takeWrites()).toEqual([]);
  await story.sync();
  expect(story.user('E2').email).toBe('e1@example.com');
});

sweep('leaves out as changed what an edited configuration derives differently', async () => {
  const story = await openCompany();
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  const plan = await story.plan();
  story.configure({ users: { leaver: { grace: '1d' } } });
  const ran = await story.apply(plan.json.plan);
  expect(ran.json).toMatchObject({ done: 0, left_out: [{ because: 'derived differently by now' }] });
});

sweep('rejects an expired plan', async () => {
  const story = await openCompany();
  story.deliver([person('E1'), person('E2'), person('E3')]);
  const plan = await story.plan();
  story.clock.advance(25 * HOUR);
  const ran = await story.apply(plan.json.plan);
  expect(ran.code).toBe(1);
  expect(ran.error).toMatchObject({ code: 'SYNC_PLAN_EXPIRED', place: plan.json.file });
  expect(ran.error?.remedy).toContain('talent-sync plan');
  expect(story.takeWrites()).toEqual([]);
});

sweep.each([
  ['truncated', (text: string) => text.slice(0, text.length / 2)],
  ['a change removed', (text: string) => text.replace(/\n\{"action":"create".*"E3".*\},?\n/, '\n')],
  ['an id edited', (text: string) => text.replace(/"id":"[0-9a-f]{4}/, '"id":"0000')],
] as const)('rejects a damaged plan: %s', async (_, damage) => {
  const story = await openCompany();
  story.deliver([person('E1'), person('E2'), person('E3'), person('E4')]);
  const { file, plan } = (await story.plan()).json;
  const whole = readFileSync(file, 'utf8');
  writeFileSync(file, damage(whole));
  expect(readFileSync(file, 'utf8')).not.toBe(whole);
  const ran = await story.apply(plan);
  expect(ran.code).toBe(1);
  expect(ran.error).toMatchObject({ code: 'SYNC_PLAN_DAMAGED', place: file });
  expect(story.takeWrites()).toEqual([]);
});

sweep('reports a missing plan with a remedy', async () => {
  const story = await openCompany();
  const ran = await story.apply('p19990101T000000Z-000000');
  expect(ran.code).toBe(1);
  expect(ran.error).toMatchObject({ code: 'SYNC_PLAN_MISSING' });
});

sweep('leaves out changes that a guard holds, and applies them once approved', async () => {
  const story = await openCompany();
  story.configure({ guards: { users: { create: { max: 1 } } } });
  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3'), person('E4')]);
  const plan = await story.plan();
  const first = await story.apply(plan.json.plan);
  expect(first).toMatchObject({ code: 3, json: { done: 1 } });
  expect(first.json.left_out?.map(({ because }) => because)).toEqual([
    'waits for users.create',
    'waits for users.create',
  ]);
  await story.approve({ action: 'create' });
  const second = await story.apply(plan.json.plan);
  expect(second).toMatchObject({ code: 0, json: { done: 2 } });
  expect(story.users()).toHaveLength(4);
});

sweep('plans with --only one person and what that person needs', async () => {
  const story = await openCompany();
  story.configure({
    users: { fields: { office: { country: 'record.country', name: 'record.office', create_missing: true } } },
  });
  story.deliver([person('E1'), person('E2'), person('E3'), person('E4', { office: 'Trondheim' })]);
  const ran = await story.sync({ only: 'user:e4@example.com' });
  expect(ran.json).toMatchObject({ counts: { offices: { create: 1 }, users: { create: 1 } }, done: 2 });
  expect(story.users().map(({ external_unique_id }) => external_unique_id)).toEqual(['E1', 'E2', 'E4']);
});
