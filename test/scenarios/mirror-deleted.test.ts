import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, UPDATE_USER } from './kit.js';

sweep('the mirror may be deleted between runs: it is read again, nothing is proposed, nobody is doubled', async () => {
  const story = await openStory();
  story.configure({ ...CRM, users: { fields: { tags: { unit: 'record.?unit' } } } });
  const staff = [person('E1', { unit: 'north' }), person('E2')];
  story.deliver(staff);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }]);
  await story.sync();
  story.takeWrites();
  for (const ending of ['', '-wal', '-shm']) rmSync(join(story.folder, 'var', `mirror.db${ending}`), { force: true });

  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
  expect(story.takeWrites()).toEqual([]);
  expect(story.users()).toHaveLength(2);

  story.deliver([person('E1', { unit: 'south' }), person('E2')]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

test('the whole state lost: everybody is recognised again by the keys, and only unreadable tags are written once more', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { tags: { unit: 'record.?unit' } } } });
  story.deliver([person('E1', { unit: 'north' }), person('E2')]);
  await story.sync();
  story.takeWrites();
  rmSync(join(story.folder, 'var'), { recursive: true });
  const plan = await story.plan();
  // The forecast of design section 4: a lost state costs one rewrite of what cannot be read.
  expect(plan.json.counts).toEqual({ users: { update: 1 } });
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.users()).toHaveLength(2);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
});

sweep(
  'somebody deleted in the service by somebody else is created again, as the source says that they are there',
  async () => {
    const story = await openStory();
    story.deliver([person('E1'), person('E2')]);
    await story.sync();
    const found = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
    await story.others('DELETE', `/api/v1/users/${found.id}`);
    const ran = await story.sync({ full: true });
    expect(ran).toMatchObject({ code: 0, json: { counts: { users: { create: 1 } }, done: 1 } });
    expect(story.users()).toHaveLength(2);
    expect((await story.plan()).json.counts).toEqual({});
  },
);
