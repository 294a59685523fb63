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

it('a paging cookie that lapsed has the listing begin again, and nobody comes twice', async () => {
  const company = await openDynamics(2_300);
  const error = { code: '0x80041129', message: 'Paging Cookie And Query Do Not Match' };
  let pages = 0;
  const third = Object.assign(/./, { test: (asked: string) => asked.endsWith('accounts') && ++pages === 3 });
  company.server.failNext({ status: 400, body: { error } }, third);
  const read = await company.feed.read();
  expect(read.complete).toBe(true);
  expect(read.records).toHaveLength(2_300);
  expect(read.asked.filter((call) => call.endsWith('accounts'))).toHaveLength(6);
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
