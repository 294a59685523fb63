import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, type Story } from './kit.js';

const STAFF = Array.from({ length: 12 }, (_, i) => person(`E${100 + i}`));
const COMPANIES = Array.from({ length: 22 }, (_, i) => ({ id: `C${i}`, name: `Company ${i}` }));

async function openCompany(): Promise<Story> {
  const story = await openStory();
  story.configure({ customers: CRM.customers ?? null, sources: CRM.sources ?? null });
  story.deliver(STAFF);
  story.deliverCompanies([{ id: 'C99', name: 'Old' }]);
  await story.sync();
  story.takeWrites();
  return story;
}

test('counts the deletions of an undo by the guard of the entity, and makes them after an approval', async () => {
  const story = await openCompany();
  story.deliverCompanies([{ id: 'C99', name: 'Old' }, ...COMPANIES]);
  await story.plan();
  await story.approve({ guard: 'customers.create' });
  const { run } = (await story.sync()).json;
  expect(story.customers()).toHaveLength(23);
  story.takeWrites();

  const planned = await story.planUndo(run);
  expect(planned).toMatchObject({ code: 3, json: { guards: [{ guard: 'customers.delete', limit: 3, found: 22 }] } });
  const undone = await story.undo(run);
  expect(undone).toMatchObject({
    code: 3,
    json: { done: 0, guards: [{ guard: 'customers.delete', found: 22, held: 22, cause: 'undo' }] },
  });
  expect(story.takeWrites()).toEqual([]);

  expect((await story.approve({ guard: 'customers.delete', reason: 'wrong file' })).json.approved).toBe(22);
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 22, guards: [] } });
  expect(story.customers()).toHaveLength(1);
});

sweep('counts people whom an undo deactivates as deactivations', async () => {
  const story = await openCompany();
  story.deliver([...STAFF, ...Array.from({ length: 15 }, (_, i) => person(`N${100 + i}`))]);
  const { run } = (await story.sync()).json;
  const undone = await story.undo(run);
  expect(undone).toMatchObject({ code: 3, json: { done: 0, guards: [{ held: 15, cause: 'undo' }] } });
});

sweep('taking back a wrong run activates everybody again; a source that does it waits', async () => {
  const story = await openCompany();
  story.configure({ guards: { users: { deactivate: 'off' } } });
  const left = STAFF.map((row, i) => (i < 6 ? { ...row, status: 'left' } : row));
  story.deliver(left);
  const { run } = (await story.sync()).json;
  const active = (): number => story.users().filter((user) => !user.deactivated).length;
  expect(active()).toBe(6);
  expect(await story.undo(run)).toMatchObject({ code: 0, json: { done: 6, guards: [] } });
  expect(active()).toBe(12);

  // The undone deactivations are not repeated. Other people leave, and their return is counted.
  story.deliver(STAFF.map((row, i) => (i >= 8 ? { ...row, status: 'left' } : row)));
  expect((await story.sync()).code).toBe(0);
  // The content differs from the first delivery, which would be an older file.
  story.deliver(STAFF.map((row) => ({ ...row, rank: '1' })));
  expect(await story.sync()).toMatchObject({
    code: 3,
    json: { guards: [{ guard: 'users.reactivate', limit: 3, found: 4, held: 4 }] },
  });
  story.deliver(STAFF.map((row, i) => (i >= 11 ? { ...row, status: 'left' } : row)));
  // The number is below the limit now, but a guard has held these people: a person decides.
  expect(await story.sync()).toMatchObject({
    code: 3,
    json: { counts: { users: { reactivate: 3 } }, guards: [{ guard: 'users.reactivate', held: 3 }] },
  });
});
