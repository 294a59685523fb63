import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { IS_THOROUGH, oneIn, sweep } from '../../depth.js';
import { type Company, passMinutes, VENDORS } from './companies-of-vendors.js';
import type { Fault } from './imitations/vendor-server.js';

const DAY = 24 * 60;

/** Matches only the call with this number, counted from its creation. */
function matchCall(number: number): RegExp {
  let calls = 0;
  return Object.assign(/./, { test: () => calls++ === number });
}

const at = (company: Company, place: number): string => company.ids[place] ?? '';

/** Each vendor is tested with a different share of the faults. */
const LISTED = VENDORS.map(([name, open], place) => [name, open, place % 2] as const);

describe.each(LISTED)('%s', (_, open, first) => {
  it('reads all pages completely', async () => {
    const company = await open();
    const read = await company.feed.read();
    expect(read.names).toEqual(new Map(company.ids.map((id, place) => [id, `c${place}`])));
    expect(read).toMatchObject({ complete: true, because: undefined, rejected: [], gone: [] });
  });

  it('then requests only changes, and delivers everything', async () => {
    const company = await open();
    passMinutes(company, 30);
    company.rename(at(company, 1), 'c1');
    const whole = await company.feed.read();
    passMinutes(company, 30);
    company.rename(at(company, 3), 'renamed');
    const added = company.create('added');
    const changed = await company.feed.read();
    expect(changed.asked.length).toBeLessThan(whole.asked.length);
    expect(changed).toMatchObject({ complete: false, gone: [], rejected: [] });
    expect(changed.names.size).toBe(company.ids.length + 1);
    expect([changed.names.get(at(company, 3)), changed.names.get(added)]).toEqual(['renamed', 'added']);
    expect(changed.because).toContain('only changes since');
  });

  it('reports only deleted records as gone, by an explicit row', async () => {
    const company = await open(12);
    await company.feed.read();
    passMinutes(company, 30);
    company.remove(at(company, 0));
    const changed = await company.feed.read();
    expect(changed.gone).toEqual([at(company, 0)]);
    expect(changed.names.size).toBe(company.ids.length - 1);
    passMinutes(company, DAY);
    const whole = await company.feed.read();
    expect(whole).toMatchObject({ complete: true, gone: [at(company, 0)] });
    expect(whole.names.size).toBe(company.ids.length - 1);
  });

  sweep('requests one page for a check', async () => {
    const company = await open();
    const probe = await company.feed.connector.probe();
    expect(probe.detail).toMatch(/^\d+ rows/);
    expect(company.server.requests.filter(({ path }) => !path.endsWith('/token'))).toHaveLength(1);
  });

  const FAULTS: readonly Fault[] = ['reset', 'hang', 'truncated', 429, 503, 'html'];

  it.each(oneIn(2, FAULTS, first))(
    'loses and invents nothing after %s at any call of a complete read',
    async (fault) => {
      // A fault that hangs runs into its timeout in real time.
      const company = fault === 'hang' ? await open(5, '1s') : await open();
      const calls = (await company.feed.read()).asked.length;
      for (let failing = 0; failing < calls; failing += IS_THOROUGH ? 1 : 5) {
        passMinutes(company, DAY);
        company.server.failNext(fault, matchCall(failing));
        const read = await company.feed.read().catch((error: unknown) => error);
        if (read instanceof SyncError) {
          expect(['SYNC_SOURCE_FORMAT', 'SYNC_SOURCE_DOWN']).toContain(read.code);
          expect(`${read.message} ${read.place} ${read.remedy}`).not.toContain('maintenance');
        } else {
          expect(read).toMatchObject({ complete: true, gone: [], rejected: [] });
        }
        // However the read ended, the next one is correct.
        const next = await company.feed.read();
        expect(next.names.size).toBe(company.ids.length);
        expect(next.gone).toEqual([]);
      }
    },
  );

  it.each(oneIn(1, ['reset', 'truncated', 'html'] satisfies Fault[], first))(
    'loses and invents nothing after %s at any call of a read of changes',
    async (fault) => {
      const company = await open(12);
      await company.feed.read();
      const names = new Map(company.ids.map((id, place) => [id, `c${place}`]));
      // The calls are a token, a page of changes and, for some vendors, the recycle bin.
      for (let failing = 0; failing < 3; failing++) {
        passMinutes(company, 90);
        const id = at(company, failing);
        company.rename(id, `renamed ${failing}`);
        names.set(id, `renamed ${failing}`);
        company.server.failNext(fault, matchCall(failing));
        const read = await company.feed.read().catch((error: unknown) => error);
        if (!(read instanceof SyncError)) expect(read).toMatchObject({ names, gone: [] });
        company.server.faults.length = 0;
        const next = await company.feed.read();
        expect(next).toMatchObject({ names, gone: [], rejected: [] });
      }
    },
  );
});
