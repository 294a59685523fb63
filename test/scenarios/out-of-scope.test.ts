import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HEADER, HOUR, line, person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';

const [anna, berit, carl] = [person('E1', { unit: 'a' }), person('E2', { unit: 'a' }), person('E3', { unit: 'a' })];
const SCOPE = 'record.?unit.orValue("") != "z"';

/** The scope has every unit except z, and a person who moves to z has left. */
async function openCompany(users: Readonly<Record<string, string>> = { out_of_scope: 'deactivate' }): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { scope: SCOPE, ...users } });
  story.deliver([anna, berit, carl]);
  expect((await story.sync()).code).toBe(0);
  story.takeWrites();
  return story;
}

sweep('leaves a person out of scope alone by default', async () => {
  const story = await openCompany({});
  story.deliver([anna, berit, { ...carl, unit: 'z' }]);
  expect((await story.sync()).json).toMatchObject({ counts: {}, guards: [] });
  expect(story.takeWrites()).toEqual([]);
});

sweep('deactivates after one complete read out of scope under `out_of_scope`, and reactivates on return', async () => {
  const story = await openCompany();
  story.deliver([anna, berit, { ...carl, unit: 'z' }]);
  const plan = await story.plan();
  expect(plan.json).toMatchObject({ counts: { users: { deactivate: 1 } }, guards: [] });
  const { action } = (await story.explain('user', 'e3@example.com')).json.steps;
  expect(action?.reason).toEqual({ kind: 'out_of_scope', text: `in hr, but not in scope: ${SCOPE}` });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E3').deactivated).toBe(true);

  // The order differs: the same file again would be held as older content.
  story.deliver([carl, berit, anna]);
  await story.sync();
  expect(story.user('E3').deactivated).toBe(false);
});

sweep('proves nothing by an incomplete read, and waits for the grace period', async () => {
  const story = await openCompany();
  story.configure({ users: { leaver: { grace: '1d' } } });
  const rows = [anna, berit, { ...carl, unit: 'z' }];
  story.deliverText(`${[HEADER, ...rows.map(line), line({ ...person('E9'), id: '' })].join('\n')}\n`);
  expect((await story.sync()).json.counts).toEqual({});
  story.deliver(rows);
  expect((await story.sync()).json.counts).toEqual({});
  story.clock.advance(25 * HOUR);
  expect((await story.sync()).json.counts).toEqual({ users: { deactivate: 1 } });
});

sweep('counts people out of scope for the guard of deactivations, like other leavers', async () => {
  const story = await openCompany();
  story.configure({ guards: { users: { deactivate: { max: 1 } } } });
  story.deliver([anna, { ...berit, unit: 'z' }, { ...carl, unit: 'z' }]);
  expect((await story.sync()).json.guards).toMatchObject([
    { guard: 'users.deactivate', found: 2, held: 2, cause: 'real events' },
  ]);
});

test('holds each person lost to a narrowed scope until an approval, however few they are', async () => {
  const story = await openCompany();
  story.configure({ users: { scope: 'record.id != "E3"' } });
  const held = await story.sync();
  expect(held.code).toBe(3);
  expect(held.json.guards).toMatchObject([
    {
      guard: 'users.out_of_scope',
      limit: 0,
      found: 1,
      held: 1,
      cause: 'configuration changed',
      preview: { before: 0, now: 1, paths: ['users.scope'] },
    },
  ]);
  // A second run does not make it the new normal.
  story.deliver([anna, berit, carl]);
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.out_of_scope', held: 1 }]);
  expect(story.takeWrites()).toEqual([]);

  await story.approve({ guard: 'users.out_of_scope', reason: 'E3 is an intern' });
  expect((await story.sync()).json).toMatchObject({ done: 1, guards: [] });
  expect(story.user('E3').deactivated).toBe(true);
});

sweep('asks about people long out of scope when an edit turns that into leaving', async () => {
  const story = await openCompany({});
  story.deliver([anna, berit, { ...carl, unit: 'z' }]);
  await story.sync();
  story.configure({ users: { out_of_scope: 'deactivate' } });
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.out_of_scope', found: 1, held: 1 }]);
  // Once the edit is undone, nothing is held. The scope counts as known only after another edit.
  story.configure({ users: { out_of_scope: 'keep' } });
  expect((await story.sync()).json.guards).toEqual([]);
  story.configure({ users: { out_of_scope: 'deactivate' } });
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'users.out_of_scope', held: 1 }]);
  expect(story.takeWrites()).toEqual([]);
});

sweep('accepts an edited scope that loses nobody without a question', async () => {
  const story = await openCompany();
  story.configure({ users: { scope: 'record.?unit.orValue("") != "y"' } });
  expect((await story.sync()).json.guards).toEqual([]);
  story.deliver([anna, berit, { ...carl, unit: 'y' }]);
  expect((await story.sync()).json).toMatchObject({ done: 1, guards: [] });
  expect(story.user('E3').deactivated).toBe(true);
});
