import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { person } from './company.js';
import { onProject, openStaffing } from './staffing.js';

/** E1 is on the project. Then the same person arrives under another number, which the rows of projects use. */
async function openSeated() {
  const { story, staffing } = await openStaffing();
  story.deliverDeals([
    { id: 'P1', customer: 'C1', name: 'Dam' },
    { id: 'P2', customer: 'C1', name: 'Lock' },
  ]);
  staffing([onProject('S1', 'E1')]);
  while ((await story.sync()).json.done > 0);
  story.takeWrites();
  const again = { ...person('E1'), id: 'N1' };
  const seats = [onProject('S1', 'N1'), { ...onProject('S2', 'N1'), project: 'P2' }];
  return { story, staffing, again, seats };
}

test('relinks a person under another number with old and new staffing in one run', async () => {
  const { story, staffing, again, seats } = await openSeated();
  story.deliver([{ ...person('E1'), status: 'left' }, again, person('E2'), person('E3')]);
  staffing(seats);
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { counts: { users: { relink: 1 }, staffing: { create: 1 } }, held: [] } });
  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
});

sweep('holds the staffing with the new number while a guard holds that', async () => {
  const { story, staffing, again, seats } = await openSeated();
  story.configure({ guards: { users: { relink: { max: 0 } } } });
  story.deliver([{ ...person('E1'), status: 'left' }, again, person('E2'), person('E3')]);
  staffing(seats);
  expect(await story.sync()).toMatchObject({ code: 3, json: { done: 0, held: [] } });
  expect(story.takeWrites()).toEqual([]);
  await story.approve({ guard: 'users.relink' });
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
});
