import { expect, it } from 'vitest';
import { openDynamics, passMinutes } from './companies-of-vendors.js';

it('a delta link that lapsed has everything read again, once', async () => {
  const company = await openDynamics(5);
  await company.feed.read();
  company.dynamics.expireDeltaLinks();
  company.remove(company.ids[0] ?? '');
  const again = await company.feed.read();
  expect(again.complete).toBe(true);
  expect(again.names.size).toBe(4);
  expect(again.asked).toHaveLength(2);
  passMinutes(company, 5);
  company.rename(company.ids[1] ?? '', 'renamed');
  const changed = await company.feed.read();
  expect([changed.complete, changed.asked.length]).toEqual([false, 1]);
  expect(changed.names.get(company.ids[1] ?? '')).toBe('renamed');
});

it('each read of changes begins where the one before ended', async () => {
  const company = await openDynamics(5);
  await company.feed.read();
  for (const name of ['one', 'two', 'three']) {
    company.rename(company.ids[2] ?? '', name);
    expect((await company.feed.read()).names.get(company.ids[2] ?? '')).toBe(name);
  }
  const links = company.server.requests.flatMap(({ query }) => query.get('$deltatoken') ?? []);
  expect(new Set(links).size).toBe(3);
});
