import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';

const staff = Array.from({ length: 10 }, (_, index) => person(`E${index + 1}`, { title: 'Consultant', phone: '1' }));

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.configure({ guards: { users: { fields: { title: { percent: 20, min: 1 } } } } });
  story.deliver(staff);
  await story.sync();
  story.takeWrites();
  return story;
}

test("holds changes to a field of too many people, releases others, and takes an approval by the field's name", async () => {
  const story = await openCompany();
  const renamed = staff.slice(0, 8).map((row) => ({ ...row, title: 'Adviser' }));
  story.deliver([...renamed, { ...person('E9', { title: 'Consultant' }), last: 'Moved' }, person('E10')]);
  const ran = await story.sync();
  expect(ran.code).toBe(3);
  expect(ran.json.guards).toMatchObject([
    { guard: 'users.fields.title', limit: 2, found: 8, held: 8, cause: 'real events' },
  ]);
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E9').name).toBe('Person Moved');
  expect(story.user('E1').title).toEqual({ en: 'Consultant' });

  expect((await story.approve({ guard: 'users.fields.title', reason: 'new grades' })).json.approved).toBe(8);
  const passed = await story.sync();
  expect(passed).toMatchObject({ code: 0, json: { done: 8, guards: [] } });
  expect(story.user('E1').title).toEqual({ en: 'Adviser' });
});

sweep('approves a change that two field guards hold only for both', async () => {
  const story = await openCompany();
  story.configure({ guards: { users: { fields: { name: { max: 0 } } } } });
  story.deliver(staff.map((row) => ({ ...row, title: 'Adviser', last: 'New' })));
  expect((await story.plan()).json.guards.map(({ guard }) => guard)).toEqual([
    'users.fields.name',
    'users.fields.title',
  ]);
  const refused = await story.approve({ guard: 'users.fields.title' });
  expect(refused.error).toMatchObject({ code: 'SYNC_APPROVAL_NOTHING' });
  expect(refused.error?.remedy).toContain('--guard users.fields.name,users.fields.title');
  expect((await story.approve({ guard: 'users.fields.title,users.fields.name' })).json.approved).toBe(10);
  expect((await story.sync()).json).toMatchObject({ done: 10, guards: [] });
});

sweep('compares an edited mapping with the old one on the same data', async () => {
  const story = await openCompany();
  const first = (await story.runs()).json.runs.at(-1)?.id;
  // One real change, and an edit that changes the nine others.
  story.deliver([{ ...person('E1', { phone: '1' }), title: 'Lead' }, ...staff.slice(1)]);
  story.configure({ users: { fields: { title: { en: '"Senior " + record.?title.orValue("")' } } } });
  const plan = await story.plan();
  const [trip] = plan.json.guards;
  expect(trip).toMatchObject({
    guard: 'users.fields.title',
    found: 10,
    cause: 'configuration changed',
    preview: { before: 1, now: 10, paths: ['users.fields.title.en'], run: first },
  });
  expect(trip?.detail).toBe(
    `under the configuration of run ${first} it would be 1, now 10: 9 of them come from the change of users.fields.title.en`,
  );
  const approved = await story.approve({ guard: 'users.fields.title' });
  expect(approved.json).toMatchObject({ causes: [{ guard: 'users.fields.title', preview: { before: 1, now: 10 } }] });
});

sweep('does not blame an edit without effect: the old configuration makes the same number of changes', async () => {
  const story = await openCompany();
  story.deliver(staff.map((row) => ({ ...row, title: 'Adviser' })));
  story.configure({ users: { fields: { telephone: 'record.?phone' } }, guards: { users: { update: 'off' } } });
  const [trip] = (await story.plan()).json.guards;
  expect(trip).toMatchObject({ guard: 'users.fields.title', cause: 'real events', preview: { before: 10, now: 10 } });
  expect(trip?.detail).toContain('users.fields.telephone changed since run');
});

sweep('sends only reads to the service for a preview, and changes no counter', async () => {
  const story = await openCompany();
  story.configure({ users: { fields: { title: { en: '"X"' } } } });
  const before = story.sandbox.calls().length;
  await story.plan();
  const reads = story.sandbox.calls().slice(before);
  expect(reads.map(({ method }) => method)).toEqual(reads.map(() => 'GET'));
  // Offices, tags and the feed: the same reads as any plan.
  expect(reads).toHaveLength(3);
  expect(story.takeWrites()).toEqual([]);
});

sweep('compares with the last run that went through until somebody decides', async () => {
  const story = await openCompany();
  story.configure({ users: { fields: { title: { en: '"X"' } } } });
  await story.sync();
  const again = await story.sync();
  expect(again.json.guards).toMatchObject([{ cause: 'configuration changed', preview: { before: 0, now: 10 } }]);
});

sweep('does not compare with the configuration of a run for one object', async () => {
  const story = await openCompany();
  story.configure({ users: { fields: { title: { en: '"X"' } } } });
  await story.plan();
  await story.approve({ who: 'user:e1@example.com' });
  expect(await story.sync({ only: 'user:e1@example.com' })).toMatchObject({ json: { done: 1 } });
  // The old configuration would revert the new title of that one object.
  const plan = await story.plan();
  expect(plan.json.guards).toMatchObject([{ found: 9, cause: 'configuration changed', preview: { before: 1 } }]);
});

sweep('still reads an edited column the old way for the old mapping', async () => {
  const story = await openCompany();
  story.configure({
    sources: { hr: { columns: { title: { type: 'list', separator: ',', optional: true } } } },
    users: { fields: { title: { en: 'record.?title.orValue(["none"])[0] + "!"' } } },
  });
  const [trip] = (await story.plan()).json.guards;
  expect(trip?.preview).toMatchObject({ before: 0, now: 10 });
  expect(trip?.preview?.paths).toContain('sources.hr.columns.title.type');
});

sweep('previews a new mapping of customers like one of people', async () => {
  const story = await openStory();
  story.configure({ ...CRM, guards: { customers: { fields: { customer_url: { max: 1 } } } } });
  story.deliver(staff);
  story.deliverCompanies([1, 2, 3].map((n) => ({ id: `C${n}`, name: `Company ${n}` })));
  story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Deal' }]);
  expect((await story.sync()).code).toBe(0);
  story.configure({ customers: { fields: { customer_url: '"https://" + record.id' } } });
  const [trip] = (await story.plan()).json.guards;
  expect(trip).toMatchObject({
    guard: 'customers.fields.customer_url',
    found: 3,
    cause: 'configuration changed',
    preview: { before: 0, now: 3, paths: ['customers.fields.customer_url'] },
  });
});
