import { expect, it } from 'vitest';
import { catchSyncError } from '../fixtures.js';
import { openHubspot, passMinutes } from './companies-of-vendors.js';
import { searchRows } from './imitations/hubspot-search.js';

it('more than 10,000 changes are all found, though the search ends there', async () => {
  const company = await openHubspot(10_450);
  await company.feed.read();
  passMinutes(company, 30);
  for (const id of company.ids) company.rename(id, `new ${id}`);
  const read = await company.feed.read();
  expect(read.names.size).toBe(10_450);
  expect([...read.names].filter(([id, name]) => name !== `new ${id}`)).toEqual([]);
  // No search was refused for its limit of five a second.
  expect(read.asked.filter((call) => call.endsWith('/search'))).toHaveLength(53);
  const body = { limit: 200, after: 9_900, filterGroups: [] };
  expect(() => searchRows('companies', [], body)).toThrow();
});

it('what the index shows late is found by the next read', async () => {
  const company = await openHubspot(3);
  await company.feed.read();
  passMinutes(company, 30);
  company.rename('100', 'first');
  company.hubspot.indexLagMs = 60_000;
  passMinutes(company, 2);
  company.rename('101', 'late');
  const early = await company.feed.read();
  expect([early.names.get('100'), early.names.get('101')]).toEqual(['first', 'c1']);
  passMinutes(company, 2);
  expect((await company.feed.read()).names.get('101')).toBe('late');
});

it('a company that is restored is no longer gone', async () => {
  const company = await openHubspot(3);
  await company.feed.read();
  company.remove('100');
  expect((await company.feed.read()).gone).toEqual(['100']);
  passMinutes(company, 30);
  company.hubspot.data.restore('companies', '100');
  const read = await company.feed.read();
  expect(read.gone).toEqual([]);
  expect(read.names.get('100')).toBe('c0');
});

it('the limit of the day is not waited for', async () => {
  const company = await openHubspot(3);
  company.hubspot.failNext({ status: 429, body: { errorType: 'RATE_LIMIT', policyName: 'DAILY' } });
  const error = await catchSyncError(company.feed.read());
  expect([error.code, company.feed.slept]).toEqual(['SYNC_SOURCE_DOWN', []]);
  expect(error.message).toContain('DAILY');
});

it('deals come with their company and typed values', async () => {
  const company = await openHubspot(1, 'deals');
  company.hubspot.data.create('deals', {
    id: '7',
    properties: { dealname: 'Bridge', hs_primary_associated_company: '100', amount: '12.5', hs_is_closed_won: 'true' },
  });
  const { records } = await company.feed.read();
  expect(records[0]?.cells).toMatchObject({ id: '7', name: 'Bridge', customer_id: '100', amount: 12.5, is_won: true });
});
