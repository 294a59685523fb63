import { describe, expect, test } from 'vitest';
import { type Answer, ask, opened } from './ask.js';
import { createSalesforce, type Salesforce, type SalesforceOptions } from './salesforce.js';

// jsforce 3.6.4 (for Node.js 20; 109 packages, 102 MB, so not a devDependency) was run once against the imitation:
// client credentials, 4,500 rows by autoFetch, scanAll, find, retrieve, update of one and of many, destroy, its
// limitInfo, and the errors INVALID_FIELD and INVALID_QUERY_LOCATOR all arrived in the form it expects.

const NOON = Date.UTC(2026, 0, 1, 12);
const BASE = '/services/data/v62.0';

interface Result {
  readonly totalSize: number;
  readonly done: boolean;
  readonly nextRecordsUrl?: string;
  readonly records: readonly Record<string, unknown>[];
}

interface Session {
  readonly salesforce: Salesforce;
  readonly time: { now: number };
  readonly token: string;
}

async function logIn({ url, clientId, clientSecret }: Salesforce, secret = clientSecret) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const response = await fetch(`${url}/services/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function openSalesforce(options: SalesforceOptions = {}): Promise<Session> {
  const time = { now: NOON };
  const salesforce = opened(await createSalesforce({ now: () => time.now, ...options }));
  const { body } = await logIn(salesforce);
  return { salesforce, time, token: body.access_token ?? '' };
}

function query(
  { salesforce, token }: Session,
  soql: string,
  { all = false, batchSize = 2000 } = {},
): Promise<Answer<Result>> {
  const address = `${salesforce.url}${BASE}/${all ? 'queryAll' : 'query'}?q=${encodeURIComponent(soql)}`;
  return ask(address, { token, headers: { 'Sforce-Query-Options': `batchSize=${batchSize}` } });
}

async function readNames(session: Session, soql: string, options = {}): Promise<unknown[]> {
  return (await query(session, soql, options)).body.records.map((record) => record.Name);
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => ({ Name: `A${at}` }));

describe('the Salesforce imitation', () => {
  test('issues a token without a lifetime, and rejects a wrong secret', async () => {
    const { salesforce } = await openSalesforce();
    const { body } = await logIn(salesforce);
    expect(body).toMatchObject({ instance_url: salesforce.url, token_type: 'Bearer' });
    expect(body).not.toHaveProperty('expires_in');
    expect(await logIn(salesforce, 'wrong')).toMatchObject({ status: 400, body: { error: 'invalid_client' } });
  });

  test('rejects an expired session until a new token is issued', async () => {
    const session = await openSalesforce({ Account: numbered(1) });
    session.salesforce.expireSessions();
    expect(await query(session, 'SELECT Id FROM Account')).toMatchObject({
      status: 401,
      body: [{ errorCode: 'INVALID_SESSION_ID' }],
    });
    const { body } = await logIn(session.salesforce);
    expect((await query({ ...session, token: body.access_token ?? '' }, 'SELECT Id FROM Account')).status).toBe(200);
  });

  test('chooses the page size itself, and shows all pages as of the time of the query', async () => {
    const session = await openSalesforce({ Account: numbered(450) });
    const first = await query(session, 'SELECT Id, Name FROM Account', { batchSize: 10 });
    expect(first.body).toMatchObject({ totalSize: 450, done: false, nextRecordsUrl: expect.stringMatching(/-200$/) });
    session.salesforce.batchSize = 50;
    for (const { Id } of session.salesforce.data.rows('Account')) session.salesforce.data.remove('Account', Id);
    const second = await ask<Result>(`${session.salesforce.url}${first.body.nextRecordsUrl}`, session);
    expect(second.body.records).toHaveLength(50);
    expect(second.body.records[0]).toMatchObject({ Name: 'A200' });
    session.time.now += 2 * 24 * 60 * 60_000 + 1;
    const third = await ask(`${session.salesforce.url}${second.body.nextRecordsUrl}`, session);
    expect(third).toMatchObject({ status: 400, body: [{ errorCode: 'INVALID_QUERY_LOCATOR' }] });
  });

  test('shows deleted rows only to queryAll, until they are purged', async () => {
    const session = await openSalesforce({ Account: numbered(2) });
    const { data } = session.salesforce;
    const [first] = data.rows('Account');
    session.time.now += 1500;
    data.remove('Account', first?.Id ?? '');
    const changed = 'SELECT Name, IsDeleted FROM Account WHERE SystemModstamp > 2026-01-01T12:00:00Z';
    expect(await readNames(session, 'SELECT Name FROM Account')).toEqual(['A1']);
    expect((await query(session, changed, { all: true })).body.records).toMatchObject([
      { Name: 'A0', IsDeleted: true },
    ]);
    data.purge('Account', first?.Id ?? '');
    expect(await readNames(session, changed, { all: true })).toEqual([]);
  });

  test('shows parents as nested records, null without one, and times in seconds', async () => {
    const { salesforce, time, token } = await openSalesforce({
      User: [{ Id: '005a', Name: 'Kari', Email: 'kari@example.com' }],
    });
    time.now += 1234;
    salesforce.data.create('Account', { Id: '001a', Name: 'Port', OwnerId: '005a' });
    salesforce.data.create('Opportunity', { Id: '006a', Name: 'Crane', AccountId: '001a', OwnerId: '005gone' });
    const soql = 'SELECT Id, SystemModstamp, Account.Name, Account.Owner.Email, Owner.Email FROM Opportunity';
    expect((await query({ salesforce, time, token }, soql)).body.records).toEqual([
      {
        attributes: { type: 'Opportunity', url: `${BASE}/sobjects/Opportunity/006a` },
        Id: '006a',
        SystemModstamp: '2026-01-01T12:00:01.000+0000',
        Account: {
          attributes: { type: 'Account', url: `${BASE}/sobjects/Account/001a` },
          Name: 'Port',
          Owner: { attributes: { type: 'User', url: `${BASE}/sobjects/User/005a` }, Email: 'kari@example.com' },
        },
        Owner: null,
      },
    ]);
  });

  test.each([
    ["Name = 'port OF oslo'", ['Port of Oslo']],
    ["Name IN ('Fjord', 'D\\'Or')", ["D'Or", 'Fjord']],
    ["Name NOT IN ('Fjord') AND Type != null", ["D'Or"]],
    ["(Type = null OR Name LIKE 'f%') AND NOT Name = 'Fjord'", ['Port of Oslo']],
    ['NumberOfEmployees >= 10 AND IsDeleted = false', ["D'Or", 'Fjord']],
    ["Id > '001b'", ['Port of Oslo']],
  ])('finds by %s', async (where, names) => {
    const session = await openSalesforce({
      Account: [
        { Id: '001c', Name: 'Port of Oslo', NumberOfEmployees: 9 },
        { Id: '001b', Name: 'Fjord', Type: 'Customer', NumberOfEmployees: 10 },
        { Id: '001a', Name: "D'Or", Type: 'Customer', NumberOfEmployees: 11 },
      ],
    });
    expect(await readNames(session, `SELECT Name FROM Account WHERE ${where} ORDER BY Name`)).toEqual(names);
    expect((await query(session, `SELECT COUNT() FROM Account WHERE ${where}`)).body).toEqual({
      totalSize: names.length,
      done: true,
      records: [],
    });
  });

  test.each([
    ['SELECT FROM Account', 'MALFORMED_QUERY'],
    ["SELECT Id FROM Account WHERE Name = 'a' AND Name = 'b' OR Name = 'c'", 'MALFORMED_QUERY'],
    ['SELECT Id FROM Acount', 'INVALID_TYPE'],
    ['SELECT Nme FROM Account', 'INVALID_FIELD'],
    ['SELECT Account.Email FROM Opportunity', 'INVALID_FIELD'],
    ["SELECT Id FROM Account WHERE SystemModstamp > '2026-01-01T12:00:00Z'", 'INVALID_FIELD'],
  ])('rejects %s', async (soql, errorCode) => {
    const session = await openSalesforce();
    expect(await query(session, soql)).toMatchObject({ status: 400, body: [{ errorCode }] });
  });

  test('counts calls, and rejects those above the daily limit', async () => {
    const session = await openSalesforce({ apiLimit: 1 });
    const { headers } = await query(session, 'SELECT Id FROM Account');
    expect(headers.get('sforce-limit-info')).toBe('api-usage=1/1');
    expect(await query(session, 'SELECT Id FROM Account')).toMatchObject({
      status: 403,
      body: [{ errorCode: 'REQUEST_LIMIT_EXCEEDED' }],
    });
  });

  test('rejects an address that is too long', async () => {
    const session = await openSalesforce();
    const ids = Array.from({ length: 700 }, (_, at) => `'001Qz${String(at).padStart(13, '0')}'`);
    expect((await query(session, `SELECT Id FROM Account WHERE Id IN (${ids.join(',')})`)).status).toBe(414);
  });

  test('updates one record, and many with one result each or all-or-none', async () => {
    const { salesforce, token } = await openSalesforce({ Account: [{ Id: '001a' }, { Id: '001b' }] });
    const one = await ask(`${salesforce.url}${BASE}/sobjects/Account/001a`, {
      token,
      method: 'PATCH',
      json: { Name: 'One' },
    });
    expect(one.status).toBe(204);
    const records = ['001a', '001gone'].map((id) => ({ attributes: { type: 'Account' }, id, Name: 'Many' }));
    const update = (allOrNone: boolean) =>
      ask(`${salesforce.url}${BASE}/composite/sobjects`, { token, method: 'PATCH', json: { allOrNone, records } });
    const missing = { id: '001gone', success: false, errors: [{ statusCode: 'INVALID_CROSS_REFERENCE_KEY' }] };
    expect(await update(true)).toMatchObject({
      status: 200,
      body: [{ success: false, errors: [{ statusCode: 'ALL_OR_NONE_OPERATION_ROLLED_BACK' }] }, missing],
    });
    expect(salesforce.data.find('Account', '001a')?.Name).toBe('One');
    expect(await update(false)).toMatchObject({ body: [{ id: '001a', success: true, errors: [] }, missing] });
    expect(salesforce.data.find('Account', '001a')?.Name).toBe('Many');
  });
});
