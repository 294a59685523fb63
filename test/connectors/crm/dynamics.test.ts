import { expect, it } from 'vitest';
import { sweep } from '../../depth.js';
import { catchSyncError } from '../fixtures.js';
import { openDynamics, passMinutes } from './companies-of-vendors.js';

it('reads everything again, only once, after a delta link expires', async () => {
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

sweep('restarts the listing after a paging cookie expires, and delivers no row twice', async () => {
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

sweep('explains how to turn on change tracking for a table, and can read without it', async () => {
  const company = await openDynamics(2);
  const error = { code: '0x80044353', message: "Entity 'account' is not enabled for change tracking." };
  company.server.failNext({ status: 400, body: { error } }, /accounts/);
  const refused = await catchSyncError(company.feed.read());
  expect(refused).toMatchObject({ code: 'SYNC_SOURCE_UNREADABLE', place: expect.stringContaining('/accounts') });
  expect(refused.message).toContain('not enabled for change tracking');
  expect(refused.remedy).toBe(
    'An administrator must switch it on for that table: Power Apps, Tables, the table, Properties, Advanced options, Track changes. Until then `incremental: { full_every: 0s }` in the stream reads everything each time.',
  );
  const whole = await openDynamics(2, undefined, { streams: '{ companies: { incremental: { full_every: 0s } } }' });
  await whole.feed.read();
  const preferences = whole.server.requests.map(({ headers }) => String(headers.prefer ?? ''));
  expect(preferences.filter((one) => one.includes('track-changes'))).toEqual([]);
});

it('starts each read of changes where the previous one ended', async () => {
  const company = await openDynamics(5);
  await company.feed.read();
  for (const name of ['one', 'two', 'three']) {
    company.rename(company.ids[2] ?? '', name);
    expect((await company.feed.read()).names.get(company.ids[2] ?? '')).toBe(name);
  }
  const links = company.server.requests.flatMap(({ query }) => query.get('$deltatoken') ?? []);
  expect(new Set(links).size).toBe(3);
});

sweep('checks a table without the merge property, as a read does', async () => {
  const company = await openDynamics(2);
  const error = {
    code: '0x0',
    message: "Could not find a property named 'merged' on type 'Microsoft.Dynamics.CRM.account'.",
  };
  company.server.failNext({ status: 400, body: { error } }, /accounts/);
  expect((await company.feed.connector.probe()).detail).toBe('2 rows on the first page');
  const selected = company.server.requests.flatMap(({ query }) => query.get('$select') ?? []);
  expect(selected.map((names) => names.includes('merged'))).toEqual([true, false]);
  // The writer’s check does not need that property.
  await company.feed.writer.probe();
  expect(company.server.requests.at(-1)?.query.get('$select')).not.toContain('merged');
});
