import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { sectionsOf } from './cvs.js';
import { type Story, UPDATE_USER } from './kit.js';
import { onProject, openStaffing } from './staffing.js';

const linksOf = (story: Story, who: string): readonly object[] => sectionsOf(story, who, 'project_experiences');
const LINK = 'POST /api/v2/company/cv/customers/:customer_id/projects/:project_id/consultants';
const STAFF = [person('E1'), person('E2'), person('E3')];
/** The file of the return is a new file, not the earlier one. */
const RETURNED = [person('E1', { rank: '2' }), person('E2'), person('E3')];
const [ONE, , THREE] = STAFF as [object, object, object];

/** E2 has left, and the account is deactivated. */
async function openRehire() {
  const opened = await openStaffing();
  const { story } = opened;
  opened.staffing([onProject('s1', 'E1')]);
  expect((await story.sync()).code).toBe(0);
  story.deliver([ONE, person('E2', { status: 'left' }), THREE]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { deactivate: 1 } } } });
  story.takeWrites();
  return opened;
}

test('assigns a returning person to projects in the same run, and plans nothing more', async () => {
  const { story, staffing } = await openRehire();
  story.deliver(RETURNED);
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2', { role: 'Lead' })]);
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { reactivate: 1 }, staffing: { create: 1 } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(story.takeWrites().slice(0, 2)).toEqual([UPDATE_USER, LINK]);
  expect(linksOf(story, 'E2')).toHaveLength(1);
  expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('puts nothing on the CV while a guard holds the return; one approval releases both', async () => {
  const { story, staffing } = await openRehire();
  story.configure({ guards: { users: { reactivate: { max: 0 } } } });
  story.deliver(RETURNED);
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2')]);
  expect(await story.sync()).toMatchObject({ code: 3, json: { done: 0, held: [] } });
  expect(story.takeWrites()).toEqual([]);
  await story.approve({ guard: 'users.reactivate', reason: 'back from leave' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
  expect(story.takeWrites()).toEqual([UPDATE_USER, LINK]);
  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('does not assign a person who leaves in the same run, unless a guard holds the leaving', async () => {
  const { story, staffing } = await openStaffing();
  staffing([onProject('s1', 'E1')]);
  await story.sync();
  story.takeWrites();
  story.deliver([ONE, person('E2', { status: 'left' }), THREE]);
  staffing([onProject('s1', 'E1'), onProject('s2', 'E2')]);
  story.configure({ guards: { users: { deactivate: { max: 0 } } } });
  const plan = await story.plan();
  expect(plan.json.counts).toEqual({ users: { deactivate: 1 }, staffing: { create: 1 } });
  expect(await story.sync()).toMatchObject({ code: 3, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([LINK]);
  expect(linksOf(story, 'E2')).toHaveLength(1);

  staffing([onProject('s1', 'E1'), onProject('s2', 'E2', { role: 'Lead' }), onProject('s3', 'E3')]);
  await story.approve({ guard: 'users.deactivate', reason: 'has left' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2 } });
  expect(story.takeWrites().sort()).toEqual([LINK, UPDATE_USER].sort());
  expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('assigns a joiner to projects in the run that creates the account', async () => {
  const { story, staffing } = await openStaffing();
  story.deliver([...STAFF, person('E4')]);
  staffing([onProject('s4', 'E4')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 2, held: [] } });
  expect(linksOf(story, 'E4')).toHaveLength(1);
  expect(await story.plan({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});
