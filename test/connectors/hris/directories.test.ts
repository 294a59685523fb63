import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { IS_THOROUGH, oneIn, sweep } from '../../depth.js';
import type { Fault } from '../crm/imitations/vendor-server.js';
import { catchSyncError } from '../fixtures.js';
import { DAY, DIRECTORIES, passMinutes } from './open-directory.js';

/** Matches only the call with this number, counted from its creation. */
function matchCall(number: number): RegExp {
  let calls = 0;
  return Object.assign(/./, { test: () => calls++ === number });
}

describe.each(DIRECTORIES)('%s', (vendor, open) => {
  it('reads everyone on all pages, and reports nobody as gone', async () => {
    const directory = await open(1_010);
    const read = await directory.feed.read();
    expect([...read.people.keys()].sort()).toEqual([...directory.ids].sort());
    expect(read.people.get(directory.ids[7] ?? '')).toMatchObject({
      first_name: 'p7',
      last_name: 'Berg',
      email: 'p7@acme.example',
    });
    expect(read).toMatchObject({ complete: false, gone: [], rejected: [] });
    expect(read.because).toContain('404 for that one user');
  });

  it('trusts the end of a list of only full pages', async () => {
    const read = await (await open(1_000)).feed.read();
    expect([read.people.size, read.because]).toEqual([1_000, expect.not.stringContaining('as long as the others')]);
  });

  it('reports a deleted person as gone, and a restored person as present', async () => {
    const directory = await open(5);
    const [first = '', second = ''] = directory.ids;
    await directory.feed.read();
    directory.remove(first);
    passMinutes(directory, 30);
    expect(await directory.feed.read()).toMatchObject({ gone: [first], rejected: [] });
    passMinutes(directory, DAY);
    const next = await directory.feed.read();
    expect([next.gone, next.people.size]).toEqual([[first], 4]);
    directory.restore(first);
    directory.remove(second);
    passMinutes(directory, 30);
    const last = await directory.feed.read();
    expect([last.gone, last.people.has(first)]).toEqual([[second], true]);
  });

  it('keeps people who are missing from the list', async () => {
    const directory = await open(5);
    const [first = ''] = directory.ids;
    await directory.feed.read();
    directory.omit(first);
    for (let day = 0; day < 3; day++) {
      passMinutes(directory, DAY);
      expect(await directory.feed.read()).toMatchObject({ complete: false, gone: [] });
    }
    directory.omit(null);
    passMinutes(directory, DAY);
    expect((await directory.feed.read()).people.size).toBe(5);
  });

  sweep('keeps people with a blocked account, and shows that it is blocked', async () => {
    const directory = await open(3);
    const [first = ''] = directory.ids;
    await directory.feed.read();
    directory.disable(first);
    passMinutes(directory, DAY);
    const read = await directory.feed.read();
    expect(read.gone).toEqual([]);
    const { enabled, suspended } = read.people.get(first) ?? {};
    expect([enabled, suspended]).toEqual(vendor === 'Entra ID' ? [false, undefined] : [undefined, true]);
  });

  sweep('follows managers who arrive, change and leave', async () => {
    const directory = await open(4);
    const [first = '', second = '', third = ''] = directory.ids;
    await directory.feed.read();
    for (const manager of [second, third, null, second]) {
      directory.setManager(first, manager);
      passMinutes(directory, 30);
      const before = (await directory.feed.read()).people.get(first)?.manager_id;
      directory.rename(first, 'renamed');
      passMinutes(directory, 30);
      const after = (await directory.feed.read()).people.get(first);
      expect([before, after?.manager_id, after?.first_name]).toEqual([
        manager ?? undefined,
        manager ?? undefined,
        'renamed',
      ]);
    }
  });

  sweep('gets a new token after one ends during a read', async () => {
    const directory = await open(1_010);
    const page = matchCall(2);
    directory.server.failNext(401, page);
    expect((await directory.feed.read()).people.size).toBe(1_010);
    directory.expireTokens();
    passMinutes(directory, DAY);
    expect((await directory.feed.read()).people.size).toBe(1_010);
  });

  it('reports a permission withdrawn between two runs, and concludes nothing', async () => {
    const directory = await open(5);
    await directory.feed.read();
    directory.allow(false);
    passMinutes(directory, DAY);
    const { code } = await catchSyncError(directory.feed.read());
    expect(code).toBe('SYNC_SOURCE_DENIED');
    directory.allow(true);
    passMinutes(directory, DAY);
    expect(await directory.feed.read()).toMatchObject({ gone: [], rejected: [] });
  });

  sweep('doubts a list whose next page is the page itself', async () => {
    const directory = await open(1_010);
    await directory.feed.read();
    directory.setStuck(true);
    passMinutes(directory, DAY);
    const read = await directory.feed.read();
    expect([read.complete, read.gone]).toEqual([false, []]);
    expect(read.because).not.toContain('404 for that one user');
    expect(read.asked).toBeLessThan(110);
  });

  sweep('requests one page for a check, and says that absence proves nothing', async () => {
    const directory = await open(5);
    const probe = await directory.feed.connector.probe();
    expect(probe.detail).toBe('5 rows on the first page');
    expect(probe.unproven).toContain('404 for that one user');
    expect(directory.server.requests.filter(({ path }) => path.endsWith('/users'))).toHaveLength(1);
  });

  const FAULTS: readonly Fault[] = ['reset', 'truncated', 429, 503, 'html', 500];
  it.each(oneIn(2, FAULTS, 1))('loses and invents nobody after %s at any call of a read', async (fault) => {
    const directory = await open(1_010);
    const calls = (await directory.feed.read()).asked;
    for (let failing = 0; failing <= calls; failing += IS_THOROUGH ? 1 : 2) {
      passMinutes(directory, DAY);
      directory.server.failNext(fault, matchCall(failing));
      const read = await directory.feed.read().catch((error: unknown) => error);
      if (read instanceof SyncError) expect(['SYNC_SOURCE_FORMAT', 'SYNC_SOURCE_DOWN']).toContain(read.code);
      else expect(read).toMatchObject({ gone: [], rejected: [] });
      directory.server.faults.length = 0;
      const next = await directory.feed.read();
      expect([next.people.size, next.gone]).toEqual([1_010, []]);
    }
  });
});
