import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { CREATE_USER, openStory, UPDATE_USER } from './kit.js';

test('sends one write each for a joiner, a mover across countries, a rename, a leaver and a rehire', async () => {
  const story = await openStory();
  story.configure({
    users: {
      fields: {
        roles: 'record.?role.orValue("") == "bid" ? ["consultant", "bidmanager"] : ["consultant"]',
        tags: { unit: 'record.?unit' },
      },
    },
  });
  const [anna, berit, carl] = [person('E1'), person('E2'), person('E3')];
  story.deliver([anna, berit, carl]);
  await story.sync();
  story.takeWrites();

  // A joiner with a role, an office and a tag.
  const dora = person('E4', { role: 'bid', office: 'Bergen', unit: 'north' });
  story.deliver([anna, berit, carl, dora]);
  expect((await story.sync()).json).toMatchObject({ counts: { users: { create: 1 } }, done: 1 });
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(story.user('E4')).toMatchObject({
    office: 'no/Bergen',
    roles: ['consultant', 'bidmanager'],
    tags: ['unit/north'],
  });

  // A mover: office, country, title and role in one call.
  const moved = person('E1', { country: 'se', office: 'Stockholm', title: 'Lead', role: 'bid' });
  story.deliver([moved, berit, carl, dora]);
  expect((await story.sync()).json).toMatchObject({ counts: { users: { update: 1 } }, done: 1 });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({
    office: 'se/Stockholm',
    title: { en: 'Lead' },
    roles: ['consultant', 'bidmanager'],
  });

  // A rename, with the new e-mail.
  const renamed = person('E2', { last: 'Berg', email: 'berit.berg@example.com' });
  story.deliver([moved, renamed, carl, dora]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E2')).toMatchObject({ name: 'Person Berg', email: 'berit.berg@example.com' });

  // A leaver by status: the run deactivates the account and writes nothing else of the row.
  const left = { ...carl, status: 'left', title: 'Gone' };
  story.deliver([moved, renamed, left, dora]);
  expect((await story.sync()).json).toMatchObject({ counts: { users: { deactivate: 1 } }, done: 1 });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E3')).toMatchObject({ deactivated: true, title: {} });

  // The same delivery again changes nothing about the leaver.
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);

  // A rehire with a new title, in one call. Nobody is created.
  const back = { ...carl, title: 'Partner' };
  story.deliver([moved, renamed, back, dora]);
  expect((await story.sync()).json).toMatchObject({ counts: { users: { reactivate: 1 } }, done: 1 });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E3')).toMatchObject({ deactivated: false, title: { en: 'Partner' } });

  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
  expect(story.users()).toHaveLength(4);
});

sweep('sends no notifications unless configured', async () => {
  const story = await openStory();
  const anna = person('E1');
  story.deliver([anna]);
  await story.sync();
  story.deliver([{ ...anna, status: 'left' }]);
  await story.sync();
  story.deliver([anna]);
  await story.sync();
  expect(story.sandbox.state().mails).toEqual([]);

  story.configure({ notify_people: { create: true } });
  story.deliver([anna, person('E2')]);
  await story.sync();
  expect(story.sandbox.state().mails).toMatchObject([{ to: 'e2@example.com' }]);
});

sweep('deactivates a leaver only after the grace period', async () => {
  const story = await openStory();
  story.configure({ users: { leaver: { grace: '48h' } } });
  const anna = person('E1');
  story.deliver([anna, person('E2')]);
  await story.sync();
  story.takeWrites();

  story.deliver([{ ...anna, status: 'left' }, person('E2')]);
  await story.sync();
  story.clock.advance(47 * HOUR);
  await story.sync();
  expect(story.takeWrites()).toEqual([]);
  const setting = async () => (await story.explain('user', 'E1')).json.steps.setting;
  expect(await setting()).toBe('users.leaver.grace');

  story.clock.advance(2 * HOUR);
  const { run } = (await story.sync()).json;
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1').deactivated).toBe(true);

  // After an undo, the pin keeps the person, not the grace.
  story.configure({ users: { leaver: { grace: '0d' } } });
  expect((await story.undo(run)).code).toBe(0);
  expect(await setting()).toBeNull();
});

sweep('deactivates a person on the day after the end date, by the day of the run', async () => {
  const story = await openStory();
  story.configure({
    timezone: 'Europe/Oslo',
    sources: { hr: { columns: { rank: { type: 'date', format: 'dd.MM.yyyy', optional: true } } } },
    users: { leaver: { when: 'has(record.rank) && record.rank < today' } },
  });
  story.deliver([person('E1', { rank: '31.01.2030' }), person('E2')]);
  await story.sync();
  expect((await story.plan({ asOf: '2030-01-31' })).json.counts).toEqual({});
  expect((await story.plan({ asOf: '2030-02-01' })).json.counts).toEqual({ users: { deactivate: 1 } });
  await story.sync({ asOf: '2030-02-01' });
  expect(story.user('E1').deactivated).toBe(true);
  expect((await story.plan({ asOf: 'tomorrow' })).error).toMatchObject({ code: 'SYNC_CLI_USAGE', place: '--as-of' });
});
