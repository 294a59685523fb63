import { describe, expect, it } from 'vitest';
import { oneIn, sweep } from '../../depth.js';
import { catchSyncError } from '../fixtures.js';
import { write, writeAll } from '../writing.js';
import { openHubspot, passMinutes } from './companies-of-vendors.js';
import { searchRows } from './imitations/hubspot-search.js';

sweep('finds more than 10,000 changes although one search ends there', async () => {
  const company = await openHubspot(10_450);
  await company.feed.read();
  passMinutes(company, 30);
  for (const id of company.ids) company.rename(id, `new ${id}`);
  const read = await company.feed.read();
  expect(read.names.size).toBe(10_450);
  expect([...read.names].filter(([id, name]) => name !== `new ${id}`)).toEqual([]);
  // The reader stays within HubSpot’s limit of five searches per second, so none was repeated.
  expect(read.asked.filter((call) => call.endsWith('/search'))).toHaveLength(53);
  const body = { limit: 200, after: 9_900, filterGroups: [] };
  expect(() => searchRows('companies', [], body)).toThrow();
});

it('finds a late entry of the index at the next read', async () => {
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

it('stops reporting a company as gone after it is restored', async () => {
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

it('does not wait for the daily limit to end', async () => {
  const company = await openHubspot(3);
  company.hubspot.failNext({ status: 429, body: { errorType: 'RATE_LIMIT', policyName: 'DAILY' } });
  const error = await catchSyncError(company.feed.read());
  expect([error.code, company.feed.slept]).toEqual(['SYNC_SOURCE_DOWN', []]);
  expect(error.message).toContain('DAILY');
});

it('reads deals with their company and typed values', async () => {
  const company = await openHubspot(1, 'deals');
  company.hubspot.data.create('deals', {
    id: '7',
    properties: { dealname: 'Bridge', hs_primary_associated_company: '100', amount: '12.5', hs_is_closed_won: 'true' },
  });
  const { records } = await company.feed.read();
  expect(records[0]?.cells).toMatchObject({ id: '7', name: 'Bridge', customer_id: '100', amount: 12.5, is_won: true });
});

describe('the API version', () => {
  it('is a dated version by default, for reads, searches and writes', async () => {
    const company = await openHubspot(1);
    const read = await company.feed.read();
    expect(read.asked).toEqual(['GET /crm/objects/2026-09/companies', 'GET /crm/objects/2026-09/companies']);
    passMinutes(company, 1);
    expect((await company.feed.read()).asked).toContain('POST /crm/objects/2026-09/companies/search');
    await writeAll(company.feed.writer, [write(company.ids[0] ?? '', { name: 'n' })]);
    expect(company.server.requests.at(-1)?.path).toBe('/crm/objects/2026-09/companies/batch/update');
  });

  it('can be the previous version', async () => {
    const company = await openHubspot(1, 'companies', undefined, { version: 'v3' });
    expect((await company.feed.read()).asked[0]).toBe('GET /crm/v3/objects/companies');
    await writeAll(company.feed.writer, [write(company.ids[0] ?? '', { name: 'n' })]);
    expect(company.server.requests.at(-1)?.path).toBe('/crm/v3/objects/companies/batch/update');
  });

  it('rejects only the record that breaks a rule of the account, and names the missing property', async () => {
    const requires = ({ phone, city }: { phone?: string; city?: string }) => (phone === '1' && !city ? 'city' : null);
    const company = await openHubspot(8, 'companies', undefined, { requires });
    const cells = (at: number) => (at === 3 ? { phone: '1' } : at === 4 ? { phone: '1', city: 'Ås' } : { phone: '2' });
    const writes = company.ids.map((id, at) => write(id, cells(at)));
    const { statuses, say } = await writeAll(company.feed.writer, writes);
    expect(company.ids.map((id) => statuses[id])).toEqual(company.ids.map((_, at) => (at === 3 ? 'refused' : 'done')));
    expect(say(company.ids[3] ?? '')).toBe(
      'HubSpot answered 400: Validation rules were not met: city is required (REQUIRED_PROPERTY_MISSING).',
    );
  });
});

describe('many properties', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `a_property_with_a_rather_long_name_${at}`);
  const properties = (count: number) => Object.fromEntries(names(count).map((name, at) => [name, `v${at}`]));
  const open = (count: number, companies: number) =>
    openHubspot(companies, 'companies', undefined, { streams: `{ companies: { properties: [${names(count)}] } }` });

  it.each(
    oneIn(1, [
      ['exceed a search', 100],
      ['exceed both a search and an address', 300],
    ]),
  )('that %s are read by record id', async (_, count) => {
    const company = await open(count, 450);
    const id = company.ids[440] ?? '';
    company.hubspot.data.update('companies', id, properties(count));
    passMinutes(company, 30);
    const whole = await company.feed.read();
    expect(whole).toMatchObject({ complete: true, rejected: [] });
    expect(whole.records.find(({ key }) => key === id)?.cells).toMatchObject({ name: 'c440', ...properties(count) });
    passMinutes(company, 30);
    for (const one of company.ids) company.rename(one, `new ${one}`);
    const changed = await company.feed.read();
    expect(changed.because).toContain('only changes since');
    expect([...changed.names].filter(([one, name]) => name !== `new ${one}`)).toEqual([]);
    expect(changed.records.find(({ key }) => key === id)?.cells).toMatchObject(properties(count));
    // There are 450 changes: three searches of 200, each followed by reads of a hundred records.
    const [searches, batches] = ['/search', '/batch/read'].map((end) =>
      changed.asked.filter((one) => one.endsWith(end)),
    );
    expect([searches?.length, batches?.length]).toEqual([3, 5]);
  });

  it('that fit cost no extra calls', async () => {
    const company = await open(40, 3);
    await company.feed.read();
    passMinutes(company, 30);
    company.rename(company.ids[0] ?? '', 'n');
    expect((await company.feed.read()).asked).toHaveLength(2);
  });

  it('leaves a read unproven if a record is deleted before it is read completely', async () => {
    const company = await open(300, 3);
    const [gone = ''] = company.ids;
    const later = Object.assign(/./, {
      test: (asked: string) => {
        if (asked.endsWith('/batch/read')) company.hubspot.data.archive('companies', gone);
        return false;
      },
    });
    company.server.failNext('reset', later);
    const read = await company.feed.read();
    expect(read).toMatchObject({ complete: false, gone: [gone] });
    expect(read.because).toContain('disappeared before they were read completely: 1');
    expect(read.names.size).toBe(2);
    company.server.faults.pop();
    expect(await company.feed.read()).toMatchObject({ complete: true, gone: [gone] });
  });
});
