import { describe, expect, it } from 'vitest';
import { sweep } from '../../depth.js';
import { write, writeAll } from '../writing.js';
import { openDynamics, openHubspot, openSalesforce } from './companies-of-vendors.js';

/** The bodies of all writes, as JSON. */
const bodiesOf = ({
  requests,
}: {
  readonly requests: readonly { readonly method: string; readonly path: string; readonly body: string }[];
}) =>
  requests
    .filter(({ method, path }) => method === 'PATCH' || path.endsWith('batch/update'))
    .map(({ body }) => JSON.parse(body) as { inputs?: unknown[]; records?: unknown[] });

describe('HubSpot', () => {
  const validate = (property: string, value: string): string | null =>
    property === 'nonsense' ? 'PROPERTY_DOESNT_EXIST' : value.includes('bad') ? 'INVALID_OPTION' : null;
  const streams =
    '{ companies: { write_back: true, columns: { nonsense: { type: string, optional: true }, tags: { type: list, optional: true }, founded: { type: date, optional: true }, seen: { type: datetime, optional: true }, vip: { type: bool, optional: true } } } }';

  it.each(['left out', 'named', 'refused'] as const)(
    'reports a missing record that HubSpot has %s, and writes the others',
    async (missing) => {
      const company = await openHubspot(8, 'companies', undefined, { missing });
      const ids = [...company.ids.slice(0, 5), '999', ...company.ids.slice(5)];
      const { statuses, error } = await writeAll(
        company.feed.writer,
        ids.map((id) => write(id, { name: `n${id}` })),
      );
      expect([statuses, error]).toEqual([
        { ...Object.fromEntries(ids.map((id) => [id, 'done'])), 999: 'refused' },
        null,
      ]);
      expect(company.ids.map((id) => company.nameOf(id))).toEqual(company.ids.map((id) => `n${id}`));
    },
  );

  it('rejects only the record with an invalid value, and finds it by halving', async () => {
    const company = await openHubspot(64, 'companies', undefined, { validate });
    const bad = [company.ids[7], company.ids[40]];
    const writes = company.ids.map((id) => write(id, { name: bad.includes(id) ? 'bad' : 'good' }));
    const { outcomes, error } = await writeAll(company.feed.writer, writes);
    expect(error).toBeNull();
    for (const id of company.ids) {
      expect([id, outcomes.get(id)?.status]).toEqual([id, bad.includes(id) ? 'refused' : 'done']);
      expect(company.nameOf(id)).toBe(bad.includes(id) ? `c${company.ids.indexOf(id)}` : 'good');
    }
    expect(outcomes.get(bad[0] ?? '')).toMatchObject({
      message: expect.stringContaining('Property values were not valid'),
      requestId: expect.any(String),
      at: 'POST /crm/objects/2026-09/companies/batch/update',
    });
    // With two bad records of 64: the call, and two per halving on the way to each, some of them shared.
    expect(bodiesOf(company.hubspot).length).toBeLessThan(2 * 2 * Math.log2(64));
  });

  it('rejects all records that set an unknown property, after one call', async () => {
    const company = await openHubspot(6, 'companies', undefined, { validate, streams });
    const writes = company.ids.map((id, place) => write(id, place < 2 ? { name: 'x', nonsense: 'y' } : { name: 'x' }));
    const { statuses } = await writeAll(company.feed.writer, writes);
    expect(Object.values(statuses)).toEqual(['refused', 'refused', 'done', 'done', 'done', 'done']);
    expect(bodiesOf(company.hubspot).map(({ inputs }) => inputs?.length)).toEqual([6, 4]);
  });

  it('sends all values as text, in HubSpot’s format', async () => {
    const company = await openHubspot(1, 'companies', undefined, { streams });
    const [id = ''] = company.ids;
    const cells = {
      employees: 42,
      tags: ['b', 'a'],
      founded: '2026-07-01',
      seen: '2026-07-01T12:00:00+02:00',
      vip: true,
      website: null,
    };
    expect((await writeAll(company.feed.writer, [write(id, cells)])).statuses).toEqual({ [id]: 'done' });
    expect(bodiesOf(company.hubspot)[0]?.inputs).toEqual([
      {
        id,
        objectWriteTraceId: id,
        properties: {
          numberofemployees: '42',
          tags: 'b;a',
          founded: '2026-07-01',
          seen: '2026-07-01T10:00:00.000Z',
          vip: 'true',
          website: '',
        },
      },
    ]);
    expect((await company.feed.read()).records[0]?.cells).toMatchObject({
      employees: 42,
      tags: ['b', 'a'],
      founded: new Date('2026-06-30T22:00:00Z'),
      seen: new Date('2026-07-01T10:00:00Z'),
      vip: true,
    });
  });

  it('reports a value that HubSpot stores in another form', async () => {
    const company = await openHubspot(1);
    const [id = ''] = company.ids;
    const properties = { name: 'n', phone: '+4712' };
    company.hubspot.failNext({ status: 200, body: { results: [{ id, properties }] } });
    const { say } = await writeAll(company.feed.writer, [write(id, { name: 'n', phone: '+47 12' })]);
    expect(say(id)).toBe('HubSpot stored another value of `phone`: "+4712".');
  });

  it('stops at the daily limit, and loses no record', async () => {
    const company = await openHubspot(101);
    const daily = { status: 429, body: { status: 'error', errorType: 'RATE_LIMIT', policyName: 'DAILY' } };
    company.hubspot.failNext(daily);
    const { statuses, error } = await writeAll(
      company.feed.writer,
      company.ids.map((id) => write(id, { name: 'n' })),
    );
    expect([statuses, error]).toEqual([{}, expect.objectContaining({ code: 'SYNC_SOURCE_DOWN' })]);
    expect(company.feed.slept).toEqual([]);
  });

  sweep('waits for the limit of ten seconds', async () => {
    const company = await openHubspot(401, 'companies', undefined, { requestsPerTenSeconds: 2 });
    const { statuses } = await writeAll(
      company.feed.writer,
      company.ids.map((id) => write(id, { name: 'n' })),
    );
    expect(new Set(Object.values(statuses))).toEqual(new Set(['done']));
    expect(company.feed.slept.length).toBeGreaterThan(0);
  });
});

describe('Salesforce', () => {
  const streams =
    '{ companies: { write_back: true, properties: [Nonsense__c], columns: { staff: { type: string, optional: true, from: /NumberOfEmployees }, kinds: { type: list, optional: true, from: /Industry } } } }';

  it('reports one result per record', async () => {
    const company = await openSalesforce(5, {
      validate: (_, { Name }) =>
        Name === 'bad'
          ? { statusCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'Not this name', fields: ['Name'] }
          : null,
    });
    const names = ['good', 'bad', 'good', 'good', 'good'];
    const { statuses, say } = await writeAll(
      company.feed.writer,
      company.ids.map((id, place) => write(id, { name: names[place] ?? '' })),
    );
    expect(Object.values(statuses)).toEqual(['done', 'refused', 'done', 'done', 'done']);
    expect(say(company.ids[1] ?? '')).toBe(
      'Salesforce rejected it: Not this name (Name) (FIELD_CUSTOM_VALIDATION_EXCEPTION).',
    );
    expect(bodiesOf(company.salesforce)).toEqual([expect.objectContaining({ allOrNone: false })]);
  });

  describe('a locked record', () => {
    const LOCKED = { statusCode: 'UNABLE_TO_LOCK_ROW', message: 'unable to obtain exclusive access', fields: [] };

    /** Each of two records is locked for this many writes. */
    const openLocked = (often: number) => {
      const left = new Map([
        ['busy', often],
        ['busier', often],
      ]);
      const validate = (_: string, { Name }: { readonly Name?: unknown }) => {
        const times = left.get(String(Name)) ?? 0;
        left.set(String(Name), times - 1);
        return times > 0 ? LOCKED : null;
      };
      return openSalesforce(4, { validate });
    };
    const names = ['good', 'busy', 'good', 'busier'];

    it('is retried on its own a moment later', async () => {
      const company = await openLocked(1);
      const writes = company.ids.map((id, place) => write(id, { name: names[place] ?? '' }));
      const { statuses } = await writeAll(company.feed.writer, writes);
      expect(new Set(Object.values(statuses))).toEqual(new Set(['done']));
      expect(bodiesOf(company.salesforce).map(({ records }) => records?.length)).toEqual([4, 2]);
      expect(company.feed.slept).toEqual([2_000]);
    });

    sweep('is rejected after three attempts, as repeatable, because nothing was saved', async () => {
      const company = await openLocked(99);
      const writes = company.ids.map((id, place) => write(id, { name: names[place] ?? '' }));
      const { outcomes, say, error } = await writeAll(company.feed.writer, writes);
      expect(error).toBeNull();
      expect(company.ids.map((id) => outcomes.get(id)?.status)).toEqual(['done', 'refused', 'done', 'refused']);
      expect(company.ids.map((id) => outcomes.get(id)?.mayBeRepeated)).toEqual([undefined, true, undefined, true]);
      expect(say(company.ids[1] ?? '')).toBe(
        'Salesforce rejected it: unable to obtain exclusive access (UNABLE_TO_LOCK_ROW).',
      );
      expect(bodiesOf(company.salesforce).map(({ records }) => records?.length)).toEqual([4, 2, 2]);
    });

    it('may make the entire call fail, which is then repeated without halving', async () => {
      const company = await openSalesforce(4);
      const [errorCode, message] = ['UNABLE_TO_LOCK_ROW', 'unable to obtain exclusive access'];
      company.server.failNext({ status: 400, body: [{ errorCode, message }] }, /^PATCH/);
      const writes = company.ids.map((id) => write(id, { name: 'n' }));
      expect(new Set(Object.values((await writeAll(company.feed.writer, writes)).statuses))).toEqual(new Set(['done']));
      expect(bodiesOf(company.salesforce).map(({ records }) => records?.length)).toEqual([4, 4]);
    });
  });

  it('rejects all records that set an unknown field, after one call', async () => {
    const company = await openSalesforce(4, { streams });
    const writes = company.ids.map((id, place) => write(id, place === 1 ? { Nonsense__c: 'x' } : { name: 'n' }));
    const { statuses } = await writeAll(company.feed.writer, writes);
    expect(Object.values(statuses)).toEqual(['refused', 'done', 'done', 'done']);
    expect(bodiesOf(company.salesforce).map(({ records }) => records?.length)).toEqual([4, 3]);
  });

  it('rejects only the record with a value of the wrong type, although the entire call failed', async () => {
    const company = await openSalesforce(4, { streams });
    const writes = company.ids.map((id, place) => write(id, place === 2 ? { staff: 'many' } : { name: 'n' }));
    const { statuses, say } = await writeAll(company.feed.writer, writes);
    expect(Object.values(statuses)).toEqual(['done', 'done', 'refused', 'done']);
    expect(say(company.ids[2] ?? '')).toContain('Cannot deserialize');
    expect(company.ids.map((id) => company.nameOf(id))).toEqual(['n', 'n', 'c2', 'n']);
  });

  sweep('sends numbers as numbers, lists as one text, and empty values as null', async () => {
    const company = await openSalesforce(1, { streams });
    const [id = ''] = company.ids;
    await writeAll(company.feed.writer, [write(id, { employees: '42', kinds: ['A', 'B'], website: null })]);
    expect(bodiesOf(company.salesforce)[0]?.records).toEqual([
      { attributes: { type: 'Account' }, id, NumberOfEmployees: 42, Industry: 'A;B', Website: null },
    ]);
  });

  it('stops at 95 % of the daily calls, and leaves the rest to other programs', async () => {
    const company = await openSalesforce(401, { apiLimit: 100 });
    company.salesforce.apiUsage = 94;
    const { statuses, error } = await writeAll(
      company.feed.writer,
      company.ids.map((id) => write(id, { name: 'n' })),
    );
    expect(Object.keys(statuses)).toEqual(company.ids.slice(0, 200));
    expect(error).toMatchObject({ code: 'SYNC_SOURCE_DOWN', message: expect.stringContaining('95 of the 100 calls') });
  });
});

describe('Dynamics', () => {
  it('writes the other rows if one is rejected', async () => {
    const validate = (_: string, { name }: { readonly name?: unknown }) =>
      name === 'bad' ? 'The name is not allowed.' : null;
    const company = await openDynamics(3, undefined, { validate });
    const names = ['good', 'bad', null];
    const { statuses, say } = await writeAll(
      company.feed.writer,
      company.ids.map((id, place) => write(id, { name: names[place] ?? null })),
    );
    expect(Object.values(statuses)).toEqual(['done', 'refused', 'done']);
    expect(say(company.ids[1] ?? '')).toBe('Dynamics answered 400: The name is not allowed.');
    expect(company.ids.map((id) => company.nameOf(id))).toEqual(['good', 'c1', null]);
    expect(
      company.dynamics.requests.filter(({ method }) => method === 'PATCH').map(({ headers }) => headers['if-match']),
    ).toEqual(['*', '*', '*']);
  });

  sweep('waits as long as Retry-After says', async () => {
    const company = await openDynamics(3, undefined, { requestsPerFiveMinutes: 2 });
    const { statuses } = await writeAll(
      company.feed.writer,
      company.ids.map((id) => write(id, { name: 'n' })),
    );
    expect(Object.values(statuses)).toEqual(['done', 'done', 'done']);
    expect(company.feed.slept).toEqual([300_000]);
  });
});
