import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { visitPages } from '../sandbox/pages/open-pages.js';
import { person } from './company.js';
import { openStory, summarise, UPDATE_USER } from './kit.js';

/* An edit on the account's pages looks to the worker like an edit by a colleague in the service. */

async function openWithVisitor() {
  const story = await openStory();
  story.deliver([person('E1', { title: 'Engineer', unit: 'north' }), person('E2')]);
  await story.sync();
  const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  story.takeWrites();
  return { story, path: `/users/${id}`, ...visitPages(story.sandbox) };
}

test("finds a name and titles changed on a user's page as drift, and restores them with one write", async () => {
  const { story, path, submit } = await openWithVisitor();
  expect((await submit(path, 'save', { 'title.en': 'Chief', 'title.no': 'Sjef', name: 'By Hand' })).status).toBe(303);
  expect(story.takeWrites()).toEqual([]);
  expect((await story.plan()).json.counts).toEqual({ users: { update: 1 } });
  const { json } = await story.explain('user', 'E1');
  expect(json.steps.action).toMatchObject({ fields: ['name', 'title'], reason: { kind: 'drifted' } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ name: 'Person E1', title: { en: 'Engineer' } });
  expect((await story.plan()).json.counts).toEqual({});
});

sweep('reports a user deactivated on the page where drift is reported, and writes nothing', async () => {
  const { story, path, submit } = await openWithVisitor();
  story.configure({ drift: 'report' });
  await story.sync();
  await submit(path, 'deactivate');
  story.takeWrites();
  const ran = await story.sync({ full: true });
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_DRIFT_REPORTED']);
  expect(story.takeWrites()).toEqual([]);
});

sweep('lists the calls of a run on the page of calls, with their key and people', async () => {
  const { story, load } = await openWithVisitor();
  story.deliver([person('E1', { title: 'Lead', unit: 'north' }), person('E2')]);
  await story.sync();
  const { text } = await load('/calls?method=PUT');
  expect(text).toMatch(/<b>PUT<\/b> <code>\/api\/v1\/users\/[0-9a-f]{24}\?use_legacy_codes=false<\/code>/);
  expect(text).toContain('<bdi>Person E1</bdi>');
  expect(text).toContain('<bdi>Admin</bdi>');
});
