import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person, type Row } from './company.js';
import { openStory } from './kit.js';

const staff = (count: number, prefix = 'E'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => person(`${prefix}${100 + index}`));

test('a first load of any size passes, over several runs; what comes after it is counted', async () => {
  const story = await openStory();
  story.configure({ call_budget: 40 });
  story.deliver(staff(60));
  const first = await story.sync();
  expect([first.code, first.json.guards]).toEqual([3, []]);
  expect(first.json.done).toBeGreaterThan(5);
  expect(first.json.done).toBeLessThan(60);
  // A newer file arrives in between, with still more people.
  story.deliver(staff(90));
  story.configure({ call_budget: 5000 });
  expect(await story.sync()).toMatchObject({ code: 0, json: { guards: [] } });
  expect(story.users().length).toBeGreaterThanOrEqual(90);

  // Seasonal joiners: 20, or a fifth of the company.
  story.deliver([...staff(90), ...staff(20, 'S')]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { create: 20 } }, guards: [] } });

  story.deliver([...staff(90), ...staff(20, 'S'), ...staff(23, 'T')]);
  const held = await story.sync();
  expect(held).toMatchObject({
    code: 3,
    json: { done: 0, guards: [{ guard: 'users.create', limit: 22, found: 43, held: 23, cause: 'real events' }] },
  });
  expect(held.json.guards[0]?.detail).toMatch(
    /^43 would be created today: 23 in this run, 20 earlier today \(run r\w+-\w+\); 22 allowed; /,
  );
  await story.approve({ guard: 'users.create', reason: 'a company was bought' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 23, guards: [] } });
});

sweep('ends a first load despite a bad row or a person whom the service rejects', async () => {
  const story = await openStory();
  story.deliver([...staff(5), person(''), person('E999', { email: 'x@elsewhere.org' })]);
  expect((await story.sync()).json).toMatchObject({
    done: 5,
    failed: [{ key: 'E999' }],
    incomplete: [{ source: 'hr' }],
  });
  story.deliver(staff(30));
  expect(await story.sync()).toMatchObject({ code: 3, json: { guards: [{ guard: 'users.create', found: 25 }] } });
});

sweep('counts earlier people of the account as a first load', async () => {
  const story = await openStory({
    users: staff(3).map(({ id = '', email = '' }) => ({
      ...{ email, external_unique_id: id, name: `Person ${id}`, country: 'no', office: 'Oslo' },
    })),
  });
  story.deliver(staff(3));
  await story.sync();
  story.deliver(staff(40));
  expect(await story.sync()).toMatchObject({ code: 3, json: { guards: [{ guard: 'users.create', found: 37 }] } });
});

sweep('guards customers and projects, but not offices and tags', async () => {
  const story = await openStory();
  story.configure({
    customers: CRM.customers ?? null,
    projects: CRM.projects ?? null,
    sources: CRM.sources ?? null,
    guards: { users: { update: 'off' } },
    users: { fields: { office: { country: 'record.country', name: 'record.office', create_missing: true } } },
  });
  const companies = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `C${i}`, name: `Company ${i}` }));
  const deals = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ id: `D${i}`, customer: 'C0', name: `Deal ${i}` }));
  story.deliver(staff(30));
  story.deliverCompanies(companies(2));
  story.deliverDeals(deals(2));
  expect((await story.sync()).code).toBe(0);
  story.deliver(staff(30).map((row, i) => ({ ...row, office: `Office ${i}` })));
  story.deliverCompanies(companies(25));
  story.deliverDeals(deals(25));
  const ran = await story.sync();
  expect(ran.json.guards.map(({ guard }) => guard)).toEqual(['customers.create', 'projects.create']);
  expect(story.offices().length).toBeGreaterThan(20);
});
