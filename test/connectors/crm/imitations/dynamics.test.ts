import { describe, expect, test } from 'vitest';
import { type Answer, ask, opened } from './ask.js';
import { createDynamics, type Dynamics, type DynamicsOptions } from './dynamics.js';

// dynamics-web-api, the client that most programs use, is run against the imitation too:
// test/connectors/crm/vendor-clients.test.ts.

const NOON = Date.UTC(2026, 0, 1, 12);
const KARI = '00000000-0000-0000-0000-0000000000f1';
const MAX_PAGE = (rows: number) => ({ prefer: `odata.maxpagesize=${rows}` });
const TRACKED = { prefer: 'odata.track-changes,odata.maxpagesize=2' };
const DAY = 24 * 60 * 60_000;

interface Listing {
  readonly value: readonly Record<string, unknown>[];
  readonly '@odata.nextLink'?: string;
  readonly '@odata.deltaLink'?: string;
}

interface Session {
  readonly dynamics: Dynamics;
  readonly time: { now: number };
  readonly token: string;
}

const idOf = (number: number) => `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ accountid: idOf(at), name: `A${at}`, _ownerid_value: KARI }));

async function logIn({ url, tokenUrl, clientId, clientSecret }: Dynamics, secret = clientSecret) {
  const form = {
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: secret,
    scope: `${url}/.default`,
  };
  const response = await fetch(tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

async function openDynamics(options: DynamicsOptions = {}): Promise<Session> {
  const time = { now: NOON };
  const systemusers = [{ systemuserid: KARI, fullname: 'Kari Nordmann', internalemailaddress: 'kari@example.com' }];
  const dynamics = opened(await createDynamics({ now: () => time.now, systemusers, ...options }));
  const { body } = await logIn(dynamics);
  return { dynamics, time, token: body.access_token ?? '' };
}

function get({ dynamics, token }: Session, path: string, headers = {}): Promise<Answer<Listing>> {
  return ask(path.startsWith('http') ? path : `${dynamics.url}/api/data/v9.2/${path}`, { token, headers });
}

function patch({ dynamics, token }: Session, path: string, json: object, headers = {}): Promise<Answer<unknown>> {
  return ask(`${dynamics.url}/api/data/v9.2/${path}`, { token, headers, json, method: 'PATCH' });
}

const namesOf = ({ body }: Answer<Listing>) => body.value.map(({ name }) => name);

describe('the Dynamics imitation', () => {
  test('issues a token for an hour, only for the correct secret, and rejects it afterwards', async () => {
    const session = await openDynamics();
    expect((await logIn(session.dynamics)).body).toMatchObject({ token_type: 'Bearer', expires_in: 3599 });
    expect(await logIn(session.dynamics, 'wrong')).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    session.time.now += 3_599_000;
    const refused = await get(session, 'accounts');
    expect([refused.status, refused.body]).toEqual([401, '']);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer authorization_uri=');
  });

  test('continues after the last row shown, with the page size of each request', async () => {
    const session = await openDynamics({ accounts: numbered(7) });
    const first = await get(session, 'accounts?$select=name&$orderby=name desc', MAX_PAGE(2));
    session.dynamics.data.remove('accounts', idOf(6));
    const link = first.body['@odata.nextLink'] ?? '';
    expect(link).toMatch(/^http:.*\$select=name&.*\$skiptoken=/);
    const second = await get(session, link, MAX_PAGE(2));
    const third = await get(session, second.body['@odata.nextLink'] ?? '');
    expect([first, second, third].map(namesOf)).toEqual([
      ['A6', 'A5'],
      ['A4', 'A3'],
      ['A2', 'A1', 'A0'],
    ]);
    expect(third.body).not.toHaveProperty('@odata.nextLink');
    expect(first.headers.get('preference-applied')).toBe('odata.maxpagesize=2');
  });

  test('shows the selected columns and the key, expands the owner, and adds display texts', async () => {
    const session = await openDynamics({ accounts: numbered(1) });
    const path = 'accounts?$select=name,statecode,_ownerid_value&$expand=owninguser($select=internalemailaddress)';
    const { body } = await get(session, path, { prefer: 'odata.include-annotations="*"' });
    expect(body.value).toEqual([
      {
        '@odata.etag': expect.stringMatching(/^W\/"\d+"$/),
        name: 'A0',
        'statecode@OData.Community.Display.V1.FormattedValue': 'Active',
        statecode: 0,
        '_ownerid_value@Microsoft.Dynamics.CRM.lookuplogicalname': 'systemuser',
        '_ownerid_value@OData.Community.Display.V1.FormattedValue': 'Kari Nordmann',
        _ownerid_value: KARI,
        accountid: idOf(0),
        owninguser: {
          '@odata.etag': expect.any(String),
          systemuserid: KARI,
          internalemailaddress: 'kari@example.com',
        },
      },
    ]);
  });

  test.each([
    ["name eq 'port OF oslo'", ['Port of Oslo']],
    ["contains(name,'o') and not (name eq 'Fjord')", ["D'Or", 'Port of Oslo']],
    ["name eq 'D''Or' or statecode eq 1", ["D'Or", 'Fjord']],
    ['numberofemployees gt 9', ['Fjord']],
    ['numberofemployees eq null', ["D'Or"]],
    [`_ownerid_value eq ${KARI}`, ['Port of Oslo']],
    ["owninguser/internalemailaddress eq 'kari@example.com'", ['Port of Oslo']],
    ['modifiedon ge 2026-01-01T12:00:00Z', ["D'Or", 'Fjord']],
  ])('finds by %s', async (filter, names) => {
    const session = await openDynamics({
      accounts: [
        { name: 'Port of Oslo', numberofemployees: 9, _ownerid_value: KARI, modifiedon: '2025-12-31T23:59:59Z' },
        { name: 'Fjord', numberofemployees: 10, statecode: 1 },
        { name: "D'Or" },
      ],
    });
    const query = new URLSearchParams({ $filter: filter, $orderby: 'name' });
    expect(namesOf(await get(session, `accounts?${query}`))).toEqual(names);
  });

  test('lists changes and deletions since the first page of a tracked listing', async () => {
    const session = await openDynamics({ accounts: numbered(4) });
    const { data } = session.dynamics;
    const first = await get(session, 'accounts?$select=name', TRACKED);
    data.update('accounts', idOf(0), { name: 'New' });
    const second = await get(session, first.body['@odata.nextLink'] ?? '', TRACKED);
    expect(first.body).not.toHaveProperty('@odata.deltaLink');
    expect(namesOf(second)).toEqual(['A2', 'A3']);
    data.remove('accounts', idOf(1));
    data.create('accounts', { name: 'Newest' });
    const changes = await get(session, second.body['@odata.deltaLink'] ?? '');
    expect(changes.body.value).toMatchObject([
      { accountid: idOf(0), name: 'New' },
      {
        '@odata.context': `${session.dynamics.url}/api/data/v9.2/$metadata#accounts/$deletedEntity`,
        id: idOf(1),
        reason: 'deleted',
      },
      { name: 'Newest' },
    ]);
    expect((await get(session, changes.body['@odata.deltaLink'] ?? '')).body.value).toEqual([]);
  });

  test('rejects an expired delta link, and accepts a new one', async () => {
    const session = await openDynamics({ accounts: numbered(1) });
    const deltaLink = async () => (await get(session, 'accounts', TRACKED)).body['@odata.deltaLink'] ?? '';
    const expired = { status: 400, body: { error: { code: '0x80044352' } } };
    const first = await deltaLink();
    session.dynamics.expireDeltaLinks();
    expect(await get(session, first)).toMatchObject(expired);
    const second = await deltaLink();
    expect((await get(session, second)).status).toBe(200);
    session.time.now += 30 * DAY + 1;
    const { body } = await logIn(session.dynamics);
    expect(await get({ ...session, token: body.access_token ?? '' }, second)).toMatchObject(expired);
  });

  test.each([
    ['accounts?$select=nme', 400],
    ['accounts?$filter=name like 1', 400],
    ['accounts?$skip=10', 400],
    ['accounts?$skiptoken=2', 400],
    ['accounts?$expand=nobody', 400],
    ['nonsense', 404],
    [`accounts(${idOf(9)})`, 404],
  ])('rejects %s', async (path, status) => {
    const refused = await get(await openDynamics(), path);
    expect(refused).toMatchObject({ status, body: { error: { code: expect.stringMatching(/^0x/) } } });
  });

  test('rejects change tracking of a filtered listing', async () => {
    expect((await get(await openDynamics(), "accounts?$filter=name eq 'a'", TRACKED)).status).toBe(400);
  });

  test('limits its calls, and says for how long', async () => {
    const session = await openDynamics({ requestsPerFiveMinutes: 1 });
    await get(session, 'WhoAmI');
    session.time.now += 1000;
    const refused = await get(session, 'WhoAmI');
    expect(refused).toMatchObject({ status: 429, body: { error: { code: '0x80072322' } } });
    expect(refused.headers.get('retry-after')).toBe('299');
    session.time.now += 299_000;
    expect((await get(session, 'WhoAmI')).status).toBe(200);
  });

  test('updates a row only in the expected version, and creates none if it must exist', async () => {
    const session = await openDynamics({ accounts: numbered(1) });
    const path = `accounts(${idOf(0)})`;
    const [row] = (await get(session, 'accounts')).body.value;
    const etag = { 'if-match': String(row?.['@odata.etag']) };
    const owner = { 'ownerid@odata.bind': `/systemusers(${KARI})` };
    expect((await patch(session, path, { name: 'B', ...owner }, etag)).status).toBe(204);
    expect((await patch(session, path, { name: 'C' }, etag)).status).toBe(412);
    expect(session.dynamics.data.find('accounts', idOf(0))?.columns).toMatchObject({ name: 'B', _ownerid_value: KARI });
    const missing = `accounts(${idOf(5)})`;
    expect((await patch(session, missing, { name: 'D' }, { 'if-match': '*' })).status).toBe(404);
    expect((await patch(session, missing, { name: 'D' })).status).toBe(204);
    expect(session.dynamics.data.rows('accounts')).toHaveLength(2);
  });
});
