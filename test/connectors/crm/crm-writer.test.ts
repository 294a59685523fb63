import { describe, expect, it } from 'vitest';
import type { WriteOutcome } from '../../../src/model/write-back.js';
import { oneIn, sweep } from '../../depth.js';
import { write, writeAll } from '../writing.js';
import { type Company, openDynamics, openHubspot, openSalesforce, VENDORS } from './companies-of-vendors.js';
import type { Fault } from './imitations/vendor-server.js';

/** Matches only the write with this number, and ignores all other requests. */
function matchWrite(number: number): RegExp {
  let writes = 0;
  const isWrite = (text: string): boolean => /^PATCH|batch\/update/.test(text);
  return Object.assign(/./, { test: (text: string) => isWrite(text) && writes++ === number });
}

const countWrites = ({ server }: Company): number =>
  server.requests.filter(({ method, path }) => method === 'PATCH' || path.endsWith('batch/update')).length;
const rename = ({ ids }: Company, prefix = 'n') => ids.map((id, place) => write(id, { name: `${prefix}${place}` }));
const namesOf = (company: Company) => company.ids.map((id) => company.nameOf(id));
const newNames = ({ ids }: Company, prefix = 'n') => ids.map((_, place) => `${prefix}${place}`);
const allOf = ({ ids }: Company, status: WriteOutcome['status']) => Object.fromEntries(ids.map((id) => [id, status]));

/** Slightly more than one call can carry, or a few calls. */
const MANY: Readonly<Record<string, number>> = { HubSpot: 205, Salesforce: 405, Dynamics: 5 };
const CALLS: Readonly<Record<string, number>> = { HubSpot: 3, Salesforce: 3, Dynamics: 5 };
const PER_CALL: Readonly<Record<string, number>> = { HubSpot: 100, Salesforce: 200, Dynamics: 1 };

describe.each(VENDORS)('%s', (vendor, open) => {
  const [many, calls, perCall] = [MANY[vendor] ?? 0, CALLS[vendor] ?? 0, PER_CALL[vendor] ?? 0];
  /** The writer does these in the same way for each vendor. */
  const alike = vendor === 'HubSpot' ? it : sweep;

  it('writes all records in as few calls as forecast', async () => {
    const company = await open(many);
    const { writer } = company.feed;
    const { statuses, error, outcomes } = await writeAll(writer, rename(company));
    expect([statuses, error]).toEqual([allOf(company, 'done'), null]);
    expect(namesOf(company)).toEqual(newNames(company));
    expect(countWrites(company)).toBe(calls);
    expect(Object.values(writer.forecast(many))).toEqual([calls]);
    const [[name = ''] = []] = Object.entries(writer.forecast(many));
    const at = outcomes.get(company.ids[0] ?? '')?.at ?? '';
    expect(at.startsWith(name.replace('{id})', ''))).toBe(true);
  });

  it('reports a deleted record, writes the others, and does not revive it', async () => {
    const company = await open(perCall + 2);
    const [gone = ''] = company.ids;
    company.remove(gone);
    const { statuses, say, error } = await writeAll(company.feed.writer, rename(company));
    expect([statuses, error]).toEqual([{ ...allOf(company, 'done'), [gone]: 'refused' }, null]);
    expect(say(gone)).toMatch(/^(HubSpot|Salesforce|Dynamics) /);
    expect((await company.feed.read()).names.has(gone)).toBe(false);
  });

  alike('rejects impossible writes without a call', async () => {
    const company = await open(2);
    const [a = '', b = ''] = company.ids;
    const writes = [
      write('x', { id: 'y' }),
      write('y', { modified: '2026-01-01' }),
      write('z', { nonsense: 1 }),
      write(a, { name: ['A'] }),
      write(b, { name: 'B', employees: 7 }),
      write('nobody', {}),
    ];
    const { statuses, say } = await writeAll(company.feed.writer, writes);
    expect(statuses).toEqual({ x: 'refused', y: 'refused', z: 'refused', [a]: 'refused', [b]: 'done' });
    expect(say('y')).toContain('`modified` cannot be written');
    expect(countWrites(company)).toBe(1);
  });

  it('writes values that read back unchanged, and can empty them', async () => {
    const company = await open(2);
    const [id = '', other = ''] = company.ids;
    const cells = {
      name: 'Ærlig & "co"',
      website: 'https://a.example',
      employees: 42.5,
      description: 'one\ntwo',
      city: 'Ås',
    };
    expect((await writeAll(company.feed.writer, [write(id, cells)])).statuses).toEqual({ [id]: 'done' });
    const read = async () => new Map((await company.feed.read()).records.map((record) => [record.key, record.cells]));
    expect((await read()).get(id)).toMatchObject(cells);
    company.time.now += 86_400_000;
    const nothing = { website: null, employees: null, description: null, city: null };
    expect((await writeAll(company.feed.writer, [write(id, nothing)])).statuses).toEqual({ [id]: 'done' });
    const after = await read();
    for (const column of Object.keys(nothing)) expect([column, after.get(id)?.[column]]).toEqual([column, undefined]);
    expect(after.get(other)?.name).toBe('c1');
  });

  it('verifies the log-in during a check, and writes nothing', async () => {
    const company = await open(1);
    expect((await company.feed.writer.probe()).detail).toContain('the login is accepted');
    expect(countWrites(company)).toBe(0);
  });

  const FAULTS: readonly Fault[] = ['reset', 'reset after', 'hang', 'truncated', 'html', 429, 500, 503];

  it.each(oneIn(2, FAULTS))('retries after %s at any call, and writes all records', async (fault) => {
    const company = await open(perCall * 2 + 1, fault === 'hang' ? '1s' : undefined);
    for (let failing = 0; failing < 3; failing++) {
      company.server.failNext(fault, matchWrite(failing));
      const { statuses, error } = await writeAll(company.feed.writer, rename(company, `${failing}-`));
      expect([statuses, error]).toEqual([allOf(company, 'done'), null]);
      expect(namesOf(company)).toEqual(newNames(company, `${failing}-`));
    }
    expect(countWrites(company)).toBe(12);
  });

  it.each(oneIn(2, ['reset', 'reset after', 'truncated', 'html', 503] satisfies Fault[]))(
    'stops after repeated %s: reports the sent records as lost, and sends no more',
    async (fault) => {
      const company = await open(perCall * 2 + 1);
      const isWrite = Object.assign(/./, { test: (text: string) => /^PATCH|batch\/update/.test(text) });
      for (let times = 0; times < 20; times++) company.server.failNext(fault, isWrite);
      const { statuses, error, say } = await writeAll(company.feed.writer, rename(company));
      const tried = company.ids.slice(0, perCall * 2);
      expect(statuses).toEqual(Object.fromEntries(tried.map((id) => [id, 'lost'])));
      expect(error).toMatchObject({
        code: 'SYNC_SOURCE_DOWN',
        message: expect.stringContaining('could not be written to'),
      });
      expect(say(tried[0] ?? '')).toContain('It is not known if the record was accepted');
      expect(countWrites(company)).toBe(6);
    },
  );

  alike('reports one lost call, and makes the others', async () => {
    const company = await open(perCall * 3);
    const second = Object.assign(/./, {
      test: (text: string) => /^PATCH|batch\/update/.test(text) && countWrites(company) > 1,
    });
    for (let times = 0; times < 3; times++) company.server.failNext(503, second);
    const { statuses, error } = await writeAll(company.feed.writer, rename(company));
    const lost = company.ids.slice(perCall, perCall * 2).map((id) => [id, 'lost']);
    expect([statuses, error]).toEqual([{ ...allOf(company, 'done'), ...Object.fromEntries(lost) }, null]);
  });

  alike('loses no record when 429 never ends', async () => {
    const company = await open(perCall + 1);
    const isWrite = Object.assign(/./, { test: (text: string) => /^PATCH|batch\/update/.test(text) });
    for (let times = 0; times < 20; times++) company.server.failNext(429, isWrite);
    const { statuses, error } = await writeAll(company.feed.writer, rename(company));
    expect([statuses, error]).toEqual([{}, expect.objectContaining({ code: 'SYNC_SOURCE_DOWN' })]);
    expect(countWrites(company)).toBe(10);
  });
});

describe('the token', () => {
  it('is renewed after it expires, for Salesforce and Dynamics', async () => {
    const salesforce = await openSalesforce(201);
    await salesforce.feed.read();
    await writeAll(salesforce.feed.writer, rename(salesforce));
    salesforce.salesforce.expireSessions();
    expect((await writeAll(salesforce.feed.writer, rename(salesforce, 'm'))).statuses).toEqual(
      allOf(salesforce, 'done'),
    );
    const dynamics = await openDynamics(2);
    await writeAll(dynamics.feed.writer, rename(dynamics));
    dynamics.dynamics.expireTokens();
    expect((await writeAll(dynamics.feed.writer, rename(dynamics, 'm'))).statuses).toEqual(allOf(dynamics, 'done'));
  });

  it('cannot be renewed for HubSpot, so the writer stops', async () => {
    const company = await openHubspot(150);
    company.hubspot.tokenExpiresAt = company.time.now;
    const { statuses, error } = await writeAll(company.feed.writer, rename(company));
    expect([statuses, error]).toEqual([{}, expect.objectContaining({ code: 'SYNC_SOURCE_DENIED' })]);
    expect(countWrites(company)).toBe(1);
  });
});
