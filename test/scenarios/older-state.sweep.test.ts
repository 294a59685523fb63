import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStores } from '../../src/store/open-stores.js';
import type { Link } from '../../src/store/state/link-store.js';
import { ageState } from '../older-state.js';
import { CRM, person } from './company.js';
import { openStory, type Story, UPDATE_USER } from './kit.js';

function readLinks({ folder }: Story): readonly (Link | null)[] {
  const { links, close } = openStores(join(folder, 'var'));
  const people = ['E1', 'E2', 'E3'].map((key) => links.find('users', key));
  const found = [...people, links.find('projects', 'P1'), links.find('customers', 'C1')];
  close();
  return found;
}

test('opens a state of an older version without a full read, proposals or doubles', async () => {
  const story = await openStory();
  story.configure({
    ...CRM,
    users: { fields: { tags: { unit: 'record.?unit' }, telephone: { value: 'record.?phone', authority: 'service' } } },
  });
  const staff = [person('E1', { unit: 'north' }), person('E2'), person('E3')];
  story.deliver(staff);
  story.deliverCompanies([{ id: 'C1', name: 'Fjord Power' }]);
  story.deliverDeals([{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }]);
  await story.sync();
  await story.sync();
  story.takeWrites();
  const before = readLinks(story);
  ageState(join(story.folder, 'var'));
  story.takeReads();

  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  expect(readLinks(story)).toEqual(before);
  expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
  expect(story.takeWrites()).toEqual([]);
  expect(story.takeReads().filter((call) => call.includes('users/search'))).toEqual([]);
  expect(readdirSync(join(story.folder, 'var', 'backups')).join()).toContain('before-0010');

  story.deliver([person('E1', { unit: 'south' }), ...staff.slice(1)]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});
