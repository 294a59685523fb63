import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { openStory, UPDATE_USER } from './kit.js';

sweep('reads a deleted mirror again, proposes nothing and doubles nobody', async () => {
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

test('recognises everyone by their keys after the entire state is lost, and writes nothing again', async () => {
  const story = await openStory();
  story.configure({ users: { fields: { tags: { unit: 'record.?unit' } } } });
  story.deliver([person('E1', { unit: 'north' }), person('E2')]);
  await story.sync();
  story.takeWrites();
  rmSync(join(story.folder, 'var'), { recursive: true });
  expect((await story.plan()).json.counts).toEqual({});
  for (const full of [false, true]) await story.sync({ full });
  expect([story.takeWrites(), story.users().length]).toEqual([[], 2]);
});

sweep('creates a person again whom others deleted in the service while the source has them', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  const found = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  await story.others('DELETE', `/api/v1/users/${found.id}`);
  const ran = await story.sync({ full: true });
  expect(ran).toMatchObject({ code: 0, json: { counts: { users: { create: 1 } }, done: 1 } });
  expect(story.users()).toHaveLength(2);
  expect((await story.plan()).json.counts).toEqual({});
});
