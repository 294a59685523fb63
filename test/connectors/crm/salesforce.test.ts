import { expect, it } from 'vitest';
import { sweep } from '../../depth.js';
import { catchSyncError } from '../fixtures.js';
import { openSalesforce, passMinutes } from './companies-of-vendors.js';

const pages = (asked: readonly string[]): number => asked.filter((call) => !call.endsWith('/token')).length;

it('restarts the listing after a locator expires, and delivers no row twice', async () => {
  const company = await openSalesforce(430);
  const lapse = [{ errorCode: 'INVALID_QUERY_LOCATOR', message: 'invalid query locator' }];
  company.server.failNext({ status: 400, body: lapse }, /query(All)?\/.+/);
  const read = await company.feed.read();
  expect(read.records).toHaveLength(430);
  expect(read.complete).toBe(true);
  expect(pages(read.asked)).toBe(5);
});

sweep('proves nothing if every locator expires', async () => {
  const company = await openSalesforce(430);
  const lapse = [{ errorCode: 'INVALID_QUERY_LOCATOR', message: 'invalid query locator' }];
  for (let times = 0; times < 4; times++) company.server.failNext({ status: 400, body: lapse }, /query(All)?\/.+/);
  const read = await company.feed.read();
  expect(read.complete).toBe(false);
  expect(read.because).toContain('lost 4 times');
  expect(read.records).toHaveLength(200);
});

it('leaves the last daily calls to other programs', async () => {
  const company = await openSalesforce(430, { apiLimit: 1_000 });
  company.salesforce.apiUsage = 949;
  const error = await catchSyncError(company.feed.read());
  expect(error.code).toBe('SYNC_SOURCE_DOWN');
  expect(error.message).toContain('of the 1000 calls');
});

it('reports an exhausted daily limit as such, not as missing permissions', async () => {
  const company = await openSalesforce(3);
  company.server.failNext({ status: 403, body: [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'x' }] }, /queryAll/);
  expect((await catchSyncError(company.feed.read())).message).toContain('REQUEST_LIMIT_EXCEEDED');
});

it('renews an expired session', async () => {
  const company = await openSalesforce(3);
  await company.feed.read();
  company.salesforce.expireSessions();
  passMinutes(company, 1);
  expect((await company.feed.read()).names.size).toBe(3);
});

sweep('quotes Salesforce on a field that does not exist', async () => {
  const company = await openSalesforce(3, { streams: '{ companies: { properties: [Segmnt__c] } }' });
  const error = await catchSyncError(company.feed.read());
  expect(error.code).toBe('SYNC_SOURCE_UNREADABLE');
  expect(error.message).toContain('Segmnt__c');
});

it('applies a filter to reads of changes, and reads related objects', async () => {
  const company = await openSalesforce(0, {
    streams: `{ companies: { filter: "Type = 'Customer'", columns: { parent: { type: string, optional: true, from: /Parent/Name } } } }`,
  });
  const root = company.salesforce.data.create('Account', {
    Name: 'Root',
    Type: 'Customer',
    Phone: null,
    BillingCity: null,
    Description: null,
    NumberOfEmployees: null,
  });
  const make = (Name: string, Type: string) =>
    company.salesforce.data.create('Account', { Name, Type, ParentId: root.Id });
  make('A', 'Customer');
  make('B', 'Partner');
  const whole = await company.feed.read();
  expect([...whole.names.values()]).toEqual(['Root', 'A']);
  expect(whole.records[1]?.cells.parent).toBe('Root');
  passMinutes(company, 30);
  make('C', 'Customer');
  make('D', 'Partner');
  expect([...(await company.feed.read()).names.values()]).toEqual(['Root', 'A', 'C']);
});

sweep('quotes Salesforce on a rejected log-in', async () => {
  const company = await openSalesforce(1);
  const refusal = { error: 'invalid_grant', error_description: 'no client credentials user enabled' };
  company.server.failNext({ status: 400, body: refusal }, /token/);
  const error = await catchSyncError(company.feed.read());
  expect(error).toMatchObject({ code: 'SYNC_SOURCE_DENIED', place: expect.stringContaining('/oauth2/token') });
  expect(error.message).toBe('The token endpoint answered 400: invalid_grant: no client credentials user enabled.');
  expect(error.remedy).toContain('client_id');
});
