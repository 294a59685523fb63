import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { openGate } from './gate.js';
import { openStory, type Story, summarise, UPDATE_USER } from './kit.js';

const REPORTED = ['E1 SYNC_DRIFT_REPORTED'];

async function openReporting(): Promise<Story> {
  const story = await openStory();
  story.configure({ drift: 'report' });
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  await story.sync();
  return story;
}

async function expectReportedOnly(story: Story): Promise<void> {
  story.takeWrites();
  for (const full of [true, false]) {
    const ran = await story.sync({ full });
    expect(ran).toMatchObject({ code: 0, json: { counts: {} } });
    expect(summarise(ran.json.held)).toEqual(REPORTED);
  }
  expect(story.takeWrites()).toEqual([]);
}

sweep('reports an account deleted by hand under drift: report, and does not create it again', async () => {
  const story = await openReporting();
  const found = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  await story.others('DELETE', `/api/v1/users/${found.id}`);
  await expectReportedOnly(story);
  expect(story.users().map(({ external_unique_id }) => external_unique_id)).toEqual(['E2']);
});

test('reports an account deactivated by hand under drift: report, until the source changes', async () => {
  const story = await openReporting();
  await story.editUser('E1', { deactivated: true });
  await expectReportedOnly(story);
  expect(story.user('E1').deactivated).toBe(true);
  story.deliver([person('E1', { title: 'Back' }), person('E2')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ deactivated: false, title: { en: 'Back' } });
});

/** The run writes the title of E1 while a colleague deactivates E1: the answer shows both. */
async function writeWhileDeactivated(story: Story): Promise<void> {
  const gate = await openGate(story.sandbox.url, 1, async (forward) => {
    await story.editUser('E1', { deactivated: true });
    await forward();
    return true;
  });
  story.configure({ service: { base_url: gate.url } });
  story.deliver([person('E1', { title: 'Lead' }), person('E2')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.user('E1')).toMatchObject({ deactivated: true, title: { en: 'Lead' } });
  story.takeWrites();
}

sweep('reactivates an account in the next run that the answer to a write shows as deactivated by hand', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  await writeWhileDeactivated(story);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { reactivate: 1 } } } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(false);
});

sweep(
  'only reports an account under drift: report that the answer to a write shows as deactivated by hand',
  async () => {
    const story = await openReporting();
    await writeWhileDeactivated(story);
    await expectReportedOnly(story);
  },
);
