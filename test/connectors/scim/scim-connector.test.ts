import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { ScimSourceConfig } from '../../../src/connectors/scim/resolve.js';
import { createScimConnector } from '../../../src/connectors/scim/scim-connector.js';
import { sweep } from '../../depth.js';
import {
  answerJson,
  buildContext,
  catchSyncError,
  OPEN_ACCESS,
  type Respond,
  readAll,
  scimConfig,
  servePages,
  startServer,
} from '../fixtures.js';

const user = (id: string) => ({ id, userName: `${id}@example.com` });
const five = ['a', 'b', 'c', 'd', 'e'].map(user);

async function connect(respond: Respond, rest: Partial<ScimSourceConfig> = {}) {
  const { baseUrl, requests } = await startServer(respond);
  const context = buildContext();
  return { connector: createScimConnector('idp', scimConfig(baseUrl, rest), context), context, requests, baseUrl };
}

describe('columns', () => {
  it('flattens a user of the core and the enterprise schema', async () => {
    const full = {
      id: '7',
      userName: 'jane',
      externalId: 'E7',
      active: 'False',
      displayName: 'Jane Doe',
      name: { givenName: 'Jane', familyName: 'Doe' },
      emails: [
        { type: 'work', value: 'w@example.com' },
        { type: 'home', primary: true, value: 'p@example.com' },
      ],
      phoneNumbers: [
        { type: 'work', value: '1' },
        { type: 'mobile', value: '2' },
      ],
      title: 'Consultant',
      addresses: [{ type: 'work', country: 'NO' }],
      locale: 'nb-NO',
      groups: [{ value: 'g1', display: 'All' }, { value: 'g2' }],
      meta: { lastModified: '2025-01-01T00:00:00Z' },
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
        department: 'Cloud',
        Division: 'North',
        organization: 'Acme',
        costCenter: '010',
        employeeNumber: '007',
        manager: { value: '3', displayName: 'Boss' },
      },
    };
    const { connector } = await connect(servePages([full]));
    const { records } = await readAll(connector);
    expect(records[0]?.cells).toEqual({
      id: '7',
      userName: 'jane',
      externalId: 'E7',
      active: false,
      displayName: 'Jane Doe',
      givenName: 'Jane',
      familyName: 'Doe',
      email: 'p@example.com',
      phone: '2',
      title: 'Consultant',
      department: 'Cloud',
      division: 'North',
      organization: 'Acme',
      costCenter: '010',
      employeeNumber: '007',
      manager: '3',
      country: 'NO',
      locale: 'nb-NO',
      groups: ['All', 'g2'],
      modified: new Date('2025-01-01T00:00:00Z'),
    });
  });

  it('takes a work address or a lone unlabelled one, never a home one, and active as the default', async () => {
    const emails = [
      [
        { type: 'home', value: 'h' },
        { type: 'Work', value: 'w' },
      ],
      [{ value: 'only' }],
      [{ type: 'home', value: 'h' }],
      [{ type: '', value: 'only' }],
      { primary: true, value: 'alone' },
      [
        { type: 'work', value: 'w' },
        { primary: 'TRUE', value: 'p' },
      ],
    ];
    const { connector } = await connect(servePages(emails.map((list, i) => ({ ...user(String(i)), emails: list }))));
    const { records } = await readAll(connector);
    expect(records.map(({ cells }) => [cells.email, cells.active])).toEqual([
      ['w', true],
      ['only', true],
      [undefined, true],
      ['only', true],
      ['alone', true],
      ['p', true],
    ]);
  });

  it('does not take an empty `active` as a sign of leaving', async () => {
    const said = ['', null, 'False', false].map((active, index) => ({ ...user(String(index)), active }));
    const { connector } = await connect(servePages(said));
    const { records } = await readAll(connector);
    expect(records.map(({ cells }) => cells.active)).toEqual([true, true, false, false]);
  });
});

describe('paging', () => {
  it('continues by the number of received rows, however few the server sends', async () => {
    const { connector, requests } = await connect(servePages(five, 2), { pageSize: 100 });
    const { records, evidence } = await readAll(connector);
    expect(records.map((record) => record.key)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(requests.map((url) => new URL(url, 'http://x').searchParams.get('startIndex'))).toEqual(['1', '3', '5']);
    expect(evidence).toMatchObject({ kind: 'live', complete: true, rows: 5, delivery: '2026-01-01T13:00:00.000Z' });
    expect((await readAll(connector)).evidence.digest).toBe(evidence.digest);
  });

  it('reads again if people moved between pages, and delivers nobody twice', async () => {
    let calls = 0;
    const { connector } = await connect((request, response) => {
      // The first pass misses `c`, because somebody before it was deleted between the pages.
      const list = ++calls === 1 ? ['x', 'a', 'b', 'c', 'd'].map(user) : ['a', 'b', 'c', 'd'].map(user);
      servePages(list)(request, response);
    });
    const { records, evidence } = await readAll(connector);
    expect(records.map((record) => record.key).sort()).toEqual(['a', 'b', 'c', 'd', 'x']);
    expect(evidence.complete).toBe(true);
  });

  it('stops and is not complete if the provider repeats itself', async () => {
    const { connector, requests } = await connect((_, response) =>
      answerJson(response, { totalResults: 5, Resources: five.slice(0, 2) }),
    );
    const { records, evidence } = await readAll(connector);
    expect(records).toHaveLength(2);
    expect(evidence).toMatchObject({
      complete: false,
      incompleteBecause: '2 different users arrived, but the provider counts 5',
    });
    expect(requests).toHaveLength(4);
  });

  sweep('reads until nothing new comes if there is no totalResults', async () => {
    const silent = await connect((request, response) => {
      const isFirst = new URL(request.url ?? '', 'http://x').searchParams.get('startIndex') === '1';
      answerJson(response, { Resources: isFirst ? five.slice(0, 2) : [] });
    });
    expect((await readAll(silent.connector)).evidence.complete).toBe(true);
    expect(silent.requests).toHaveLength(2);
  });

  it('is not complete without people', async () => {
    const empty = await connect(servePages([]));
    expect((await readAll(empty.connector)).evidence).toMatchObject({ complete: false, incompleteBecause: 'no rows' });
  });

  it('rejects a user without an id once', async () => {
    const { connector } = await connect(servePages([user('a'), { userName: 'nobody' }, user('c')]));
    const { rejected, evidence } = await readAll(connector);
    expect(rejected).toMatchObject([{ key: null, code: 'SYNC_ROW_KEY', place: { line: 2 } }]);
    expect(evidence).toMatchObject({ complete: false, rows: 3 });
  });
});

describe('faults', () => {
  const bearer = { bearer: new Secret('tok-SECRET') };

  it.each([401, 403])('reports %i immediately, without the token', async (status) => {
    const { connector, requests } = await connect((_, response) => answerJson(response, {}, status), {
      access: { ...OPEN_ACCESS, auth: bearer },
    });
    const error = await catchSyncError(connector.read(() => {}));
    expect(error.code).toBe('SYNC_SOURCE_DENIED');
    expect(error.place).toContain('/scim/v2/Users');
    expect(JSON.stringify([error.message, error.place, error.remedy, String(error.cause)])).not.toContain('SECRET');
    expect(requests).toHaveLength(1);
  });

  sweep('makes three attempts with pauses after 5xx and lost connections', async () => {
    const failing = await connect((_, response) => answerJson(response, {}, 503));
    expect((await catchSyncError(failing.connector.read(() => {}))).code).toBe('SYNC_SOURCE_DOWN');
    expect(failing.requests).toHaveLength(3);
    expect(failing.context.slept).toEqual([1_000, 4_000]);
    let calls = 0;
    const flaky = await connect((request, response) => {
      if (++calls === 1) response.destroy();
      else if (calls === 2) {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"totalResults":');
        setTimeout(() => response.destroy(), 20);
      } else servePages(five)(request, response);
    });
    expect((await readAll(flaky.connector)).evidence.complete).toBe(true);
  });

  it('waits after 429 as long as requested, in seconds or until a date', async () => {
    const waits = ['7', new Date(Date.UTC(2026, 0, 1, 13, 0, 9)).toUTCString()];
    const { connector, context } = await connect((request, response) => {
      const wait = waits.shift();
      if (wait === undefined) servePages(five)(request, response);
      else answerJson(response, {}, 429, { 'retry-after': wait });
    });
    expect((await readAll(connector)).evidence.complete).toBe(true);
    expect(context.slept).toEqual([7_000, 9_000]);
  });

  sweep('gives up if 429 never ends', async () => {
    const { connector, requests } = await connect((_, response) => answerJson(response, {}, 429));
    expect((await catchSyncError(connector.read(() => {}))).code).toBe('SYNC_SOURCE_DOWN');
    expect(requests).toHaveLength(10);
  });

  it.each([
    ['a web page', '<html>jane@example.com</html>'],
    ['another object', '{"users":[]}'],
    ['rows that are not a list', '{"totalResults":1,"Resources":{}}'],
  ])('reports %s as a format error without quoting it', async (_, body) => {
    const { connector } = await connect((__, response) => response.end(body));
    const error = await catchSyncError(connector.read(() => {}));
    expect(error.code).toBe('SYNC_SOURCE_FORMAT');
    expect(`${error.message}${String(error.cause)}`).not.toContain('jane');
  });

  it('does not follow a redirect', async () => {
    const { connector, requests } = await connect((_, response) =>
      response.writeHead(302, { location: '/login' }).end(),
    );
    expect((await catchSyncError(connector.read(() => {}))).code).toBe('SYNC_SOURCE_UNREADABLE');
    expect(requests).toHaveLength(1);
  });

  it('sends the credentials, and rejects a token unfit for a header without quoting it', async () => {
    const seen: (string | undefined)[] = [];
    const respond: Respond = (request, response) => {
      seen.push(request.headers.authorization);
      servePages(five)(request, response);
    };
    await (await connect(respond, { access: { ...OPEN_ACCESS, auth: bearer } })).connector.probe();
    await (
      await connect(respond, {
        access: { ...OPEN_ACCESS, auth: { basic: { username: 'u', password: new Secret('p') } } },
      })
    ).connector.probe();
    await (await connect(respond)).connector.probe();
    expect(seen).toEqual(['Bearer tok-SECRET', 'Basic dTpw', undefined]);
    const broken = await connect(respond, { access: { ...OPEN_ACCESS, auth: { bearer: new Secret('tok-SECRET\n') } } });
    const error = await catchSyncError(broken.connector.probe());
    expect(`${error.message}${String(error.cause)}`).not.toContain('SECRET');
  });
});
