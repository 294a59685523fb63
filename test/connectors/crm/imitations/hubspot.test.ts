import { describe, expect, test } from 'vitest';
import { ask, opened } from './ask.js';
import { createHubspot, type Hubspot, type HubspotOptions } from './hubspot.js';

// HubSpot’s own client (@hubspot/api-client 13.5.0, the last for Node.js 20; 54 MB, so not a devDependency) was run
// once against the imitation: getAll and getPage with associations and archived rows, doSearch, owners, batch read and
// update, update, archive, associations v4, and its errors for 400, 401 and 404 all arrived in the form the client
// expects.

const NOON = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;

describe('the HubSpot imitation', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, at) => ({ properties: { name: `C${at}` } }));

  async function openHubspot(options: HubspotOptions = {}): Promise<{ hubspot: Hubspot; time: { now: number } }> {
    const time = { now: NOON };
    return { hubspot: opened(await createHubspot({ now: () => time.now, ...options })), time };
  }

  interface Page {
    readonly total?: number;
    readonly results: readonly { readonly id: string; readonly properties: Record<string, string | null> }[];
    readonly paging?: { readonly next: { readonly after: string; readonly link: string } };
  }

  const get = ({ url, token }: Hubspot, path: string) => ask<Page>(`${url}${path}`, { token });
  const search = ({ url, token }: Hubspot, json: object, type = 'companies') =>
    ask<Page>(`${url}/crm/v3/objects/${type}/search`, { token, json });

  test('pages by the last id seen, so that a deletion between two pages hides no row', async () => {
    const { hubspot } = await openHubspot({ companies: numbered(5) });
    const first = await get(hubspot, '/crm/v3/objects/companies?limit=2&properties=name');
    hubspot.data.archive('companies', first.body.results[0]?.id ?? '');
    const second = await ask<Page>(first.body.paging?.next.link ?? '', { token: hubspot.token });
    const after = encodeURIComponent(second.body.paging?.next.after ?? '');
    const third = await get(hubspot, `/crm/v3/objects/companies?limit=2&properties=name&after=${after}`);
    const names = [first, second, third].flatMap(({ body }) => body.results.map((row) => row.properties.name));
    expect(names).toEqual(['C0', 'C1', 'C2', 'C3', 'C4']);
    expect(third.body.paging).toBeUndefined();
  });

  test('rejects more than 100 rows per page, unknown objects and foreign cursors', async () => {
    const { hubspot } = await openHubspot({ companies: numbered(1) });
    for (const path of ['companies?limit=101', 'companies?after=abc', 'nonsense']) {
      const { status, body } = await get(hubspot, `/crm/v3/objects/${path}`);
      expect([status, body]).toMatchObject([400, { status: 'error', category: 'VALIDATION_ERROR' }]);
    }
  });

  test('shows the named properties, null for unknown ones, and three standard ones', async () => {
    const { hubspot } = await openHubspot({ deals: [{ id: '7', properties: { dealname: 'Port', amount: '100' } }] });
    const { body } = await get(hubspot, '/crm/v3/objects/deals?properties=dealname,nonsense');
    const time = '2026-01-01T12:00:00.000Z';
    expect(body.results[0]?.properties).toEqual({
      dealname: 'Port',
      nonsense: null,
      createdate: time,
      hs_lastmodifieddate: time,
      hs_object_id: '7',
    });
  });

  test('lists archived rows separately, with their time, and a deal’s company twice', async () => {
    const { hubspot } = await openHubspot({
      companies: [{ id: '1' }],
      deals: [{ id: '7', associations: { companies: ['1'] } }, { id: '8' }],
    });
    hubspot.data.archive('deals', '8');
    expect((await get(hubspot, '/crm/v3/objects/deals?archived=true')).body.results).toMatchObject([
      { id: '8', archived: true, archivedAt: '2026-01-01T12:00:00.000Z' },
    ]);
    expect((await get(hubspot, '/crm/v3/objects/deals?associations=companies')).body.results).toMatchObject([
      {
        id: '7',
        associations: {
          companies: {
            results: [
              { id: '1', type: 'deal_to_company' },
              { id: '1', type: 'deal_to_company_unlabeled' },
            ],
          },
        },
      },
    ]);
  });

  test('searches by time, in order, and finds a write only after the index lag', async () => {
    const { hubspot, time } = await openHubspot({ companies: numbered(3), indexLagMs: MINUTE });
    const since = {
      filterGroups: [{ filters: [{ propertyName: 'hs_lastmodifieddate', operator: 'GTE', value: String(NOON + 1) }] }],
      sorts: [{ propertyName: 'hs_lastmodifieddate', direction: 'DESCENDING' }],
      properties: ['name'],
    };
    time.now += 1000;
    hubspot.data.update('companies', '1002', { name: 'New' });
    expect((await search(hubspot, since)).body).toEqual({ total: 0, results: [] });
    time.now += MINUTE;
    hubspot.data.update('companies', '1001', { name: 'Newer' });
    expect((await search(hubspot, since)).body).toMatchObject({ total: 1, results: [{ properties: { name: 'New' } }] });
    hubspot.indexLagMs = 0;
    const { body } = await search(hubspot, since);
    expect(body.results.map((row) => row.id)).toEqual(['1001', '1002']);
  });

  test('searches no further than 10,000 results, 200 per page, and counts all of them', async () => {
    const { hubspot } = await openHubspot({ companies: numbered(10_001) });
    const last = await search(hubspot, { limit: 200, after: '9800' });
    expect(last.body).toMatchObject({ total: 10_001, paging: { next: { after: '10000' } } });
    expect((await search(hubspot, { limit: 200, after: '10000' })).status).toBe(400);
    expect((await search(hubspot, { limit: 201 })).status).toBe(400);
    const filters = Array.from({ length: 7 }, () => ({ propertyName: 'name', operator: 'HAS_PROPERTY' }));
    expect((await search(hubspot, { filterGroups: [{ filters }] })).status).toBe(400);
  });

  test.each([
    ['IN', { values: ['port of oslo'] }, ['1']],
    ['NOT_IN', { values: ['port of oslo'] }, ['2', '3']],
    ['EQ', { value: 'PORT OF OSLO' }, ['1']],
    ['HAS_PROPERTY', {}, ['1', '2']],
    ['NOT_HAS_PROPERTY', {}, ['3']],
    ['BETWEEN', { value: 'a', highValue: 'n' }, ['2']],
  ])('finds by %s', async (operator, rest, ids) => {
    const { hubspot } = await openHubspot({
      companies: [
        { id: '1', properties: { name: 'Port of Oslo' } },
        { id: '2', properties: { name: 'Fjord' } },
        { id: '3' },
      ],
    });
    const { body } = await search(hubspot, {
      filterGroups: [{ filters: [{ propertyName: 'name', operator, ...rest }] }],
    });
    expect(body.results.map((row) => row.id)).toEqual(ids);
  });

  test('reads batches, their associations and owners, and names the missing ones', async () => {
    const { hubspot } = await openHubspot({
      companies: [{ id: '1' }],
      deals: [{ id: '7', associations: { companies: ['1'] } }],
      owners: [{ id: '9', email: 'kari@example.com', firstName: 'Kari', lastName: 'Nordmann', archived: false }],
    });
    const { url, token } = hubspot;
    const json = { inputs: [{ id: '7' }, { id: '8' }] };
    expect(await ask(`${url}/crm/v3/objects/deals/batch/read`, { token, json })).toMatchObject({
      status: 207,
      body: { results: [{ id: '7' }], numErrors: 1, errors: [{ context: { ids: ['8'] } }] },
    });
    expect(await ask(`${url}/crm/v4/associations/deals/companies/batch/read`, { token, json })).toMatchObject({
      body: { results: [{ from: { id: '7' }, to: [{ toObjectId: 1 }] }], numErrors: 1 },
    });
    expect((await get(hubspot, '/crm/v3/owners?limit=500')).body.results).toMatchObject([
      { email: 'kari@example.com' },
    ]);
    expect((await get(hubspot, '/crm/v3/owners/9?archived=true')).status).toBe(404);
  });

  test('updates one record or a batch, and omits, names or rejects missing records as configured', async () => {
    const { hubspot } = await openHubspot({ companies: [{ id: '1' }, { id: '2' }] });
    const { url, token } = hubspot;
    const patched = await ask(`${url}/crm/v3/objects/companies/1`, {
      token,
      method: 'PATCH',
      json: { properties: { name: 'A' } },
    });
    expect(patched).toMatchObject({ status: 200, body: { id: '1', properties: { name: 'A' } } });
    const inputs = [
      { id: '2', properties: { name: 'B' } },
      { id: '3', properties: { name: 'C' } },
    ];
    const batch = (json: object) => ask(`${url}/crm/v3/objects/companies/batch/update`, { token, json });
    expect(await batch({ inputs })).toMatchObject({ status: 207, body: { results: [{ id: '2' }] } });
    expect(await batch({ inputs: inputs.slice(0, 1) })).toMatchObject({ status: 200, body: { status: 'COMPLETE' } });
    expect(hubspot.data.find('companies', '2')?.properties).toEqual({ name: 'B' });
    for (const [missing, status, numErrors] of [
      ['named', 207, 1],
      ['refused', 404, undefined],
    ] as const) {
      const { hubspot: other } = await openHubspot({ companies: [{ id: '2' }], missing });
      const path = `${other.url}/crm/v3/objects/companies/batch/update`;
      const { status: found, body } = await ask<{ numErrors?: number }>(path, { token, json: { inputs } });
      expect([found, body.numErrors]).toEqual([status, numErrors]);
    }
  });

  test('rejects the entire batch for an invalid value, and clears a property set to empty text', async () => {
    const validate = (_: string, value: string) => (value === 'bad' ? 'INVALID_OPTION' : null);
    const { hubspot } = await openHubspot({
      companies: [{ id: '1', properties: { name: 'A' } }, { id: '2' }],
      validate,
    });
    const path = `${hubspot.url}/crm/v3/objects/companies/batch/update`;
    const update = (...names: readonly string[]) =>
      ask(path, {
        token: hubspot.token,
        json: { inputs: names.map((name, place) => ({ id: String(place + 1), properties: { name } })) },
      });
    const message = expect.stringContaining('"error":"INVALID_OPTION","name":"name"');
    expect(await update('B', 'bad')).toMatchObject({ status: 400, body: { category: 'VALIDATION_ERROR', message } });
    expect(hubspot.data.find('companies', '1')?.properties).toEqual({ name: 'A' });
    expect((await update('', 'B')).status).toBe(200);
    expect(hubspot.data.rows('companies').map(({ properties }) => properties.name)).toEqual([null, 'B']);
  });

  test('rejects requests above its limits, and shows how many are left', async () => {
    const { hubspot, time } = await openHubspot({ requestsPerTenSeconds: 3, searchesPerSecond: 1 });
    const page = await get(hubspot, '/crm/v3/objects/companies');
    expect(page.headers.get('x-hubspot-ratelimit-remaining')).toBe('2');
    expect((await search(hubspot, {})).headers.has('x-hubspot-ratelimit-remaining')).toBe(false);
    expect(await search(hubspot, {})).toMatchObject({ status: 429, body: { policyName: 'SECONDLY' } });
    await get(hubspot, '/crm/v3/objects/companies');
    expect(await get(hubspot, '/crm/v3/objects/companies')).toMatchObject({
      status: 429,
      body: { errorType: 'RATE_LIMIT', policyName: 'TEN_SECONDLY_ROLLING' },
    });
    time.now += 10_000;
    expect((await get(hubspot, '/crm/v3/objects/companies')).status).toBe(200);
  });

  test('rejects a foreign token and an expired one', async () => {
    const { hubspot, time } = await openHubspot();
    const path = `${hubspot.url}/crm/v3/objects/companies`;
    expect(await ask(path, { token: 'other' })).toMatchObject({
      status: 401,
      body: { category: 'INVALID_AUTHENTICATION' },
    });
    hubspot.tokenExpiresAt = time.now;
    expect(await ask(path, { token: hubspot.token })).toMatchObject({
      status: 401,
      body: { category: 'EXPIRED_AUTHENTICATION', context: { 'expire time': ['2026-01-01T12:00:00.000Z'] } },
    });
  });

  test('applies each fault once, to the intended request', async () => {
    const { hubspot } = await openHubspot();
    hubspot.failNext('reset', /search/);
    hubspot.failNext('truncated');
    hubspot.failNext('html');
    hubspot.failNext(503);
    const path = '/crm/v3/objects/companies';
    await expect(get(hubspot, path)).rejects.toThrow('terminated');
    expect((await get(hubspot, path)).headers.get('content-type')).toContain('text/html');
    expect(await get(hubspot, path)).toMatchObject({ status: 503, body: { category: 'INTERNAL_ERROR' } });
    await expect(search(hubspot, {})).rejects.toThrow('fetch failed');
    expect((await search(hubspot, {})).status).toBe(200);
    expect(hubspot.faults).toEqual([]);
    expect(hubspot.requests).toHaveLength(5);
  });
});
