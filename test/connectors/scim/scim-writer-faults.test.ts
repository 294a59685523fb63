import { describe, expect, it } from 'vitest';
import { oneIn, sweep } from '../../depth.js';
import type { Fault } from '../crm/imitations/vendor-server.js';
import { OPEN_ACCESS } from '../fixtures.js';
import { write, writeAll } from '../writing.js';
import { type StoredUser, startScimmy } from './scimmy-server.js';
import { openSource } from './written-source.js';

describe('faults', () => {
  const PEOPLE: readonly StoredUser[] = ['a', 'b', 'c'].map((id) => ({ id, userName: id, externalId: `E${id}` }));
  const FAULTS: readonly Fault[] = ['reset', 'reset after', 'hang', 'truncated', 'html', 429, 500, 503];

  it.each(oneIn(2, FAULTS))('retries after %s at any call, and writes everyone once', async (fault) => {
    for (let failing = 0; failing < 6; failing++) {
      const { server, store, baseUrl } = await startScimmy(PEOPLE);
      const access = { ...OPEN_ACCESS, timeoutMs: fault === 'hang' ? 200 : 60_000 };
      const { writer } = openSource(baseUrl, { access, key: 'externalId' });
      let calls = 0;
      server.failNext(fault, Object.assign(/./, { test: () => calls++ === failing }));
      const { statuses, error } = await writeAll(
        writer,
        PEOPLE.map(({ id }) => write(`E${id}`, { title: `t${id}` })),
      );
      const isOddRead = (fault === 'html' || fault === 'truncated') && failing % 2 === 0;
      if (error === null) expect(statuses).toEqual({ Ea: 'done', Eb: 'done', Ec: 'done' });
      // A web page instead of a list of users is not an answer, so nobody was written after it.
      else expect([isOddRead, error]).toEqual([true, expect.objectContaining({ code: 'SYNC_SOURCE_FORMAT' })]);
      for (const { id } of PEOPLE)
        expect(store.get(id)?.title).toBe(statuses[`E${id}`] === 'done' ? `t${id}` : undefined);
    }
  });

  it.each(oneIn(1, ['reset', 'reset after', 'truncated', 'html', 503] satisfies Fault[], 1))(
    'stops after repeated %s: reports the attempted users as lost, and attempts no more',
    async (fault) => {
      const { server, baseUrl } = await startScimmy(PEOPLE);
      for (let times = 0; times < 20; times++) server.failNext(fault);
      const { statuses, error } = await writeAll(
        openSource(baseUrl).writer,
        PEOPLE.map(({ id }) => write(id, { title: 'T' })),
      );
      expect(statuses).toEqual({ a: 'lost', b: 'lost' });
      expect(error).toMatchObject({ code: 'SYNC_SOURCE_DOWN' });
      expect(server.requests).toHaveLength(6);
    },
  );

  it('reports one user as lost if the provider keeps failing on it, and writes the others', async () => {
    const { server, baseUrl } = await startScimmy(PEOPLE);
    for (let times = 0; times < 3; times++) server.failNext(500, /Users\/b/);
    const { statuses, error } = await writeAll(
      openSource(baseUrl).writer,
      PEOPLE.map(({ id }) => write(id, { title: 'T' })),
    );
    expect([statuses, error]).toEqual([{ a: 'done', b: 'lost', c: 'done' }, null]);
  });

  it.each([
    [429, 'SYNC_SOURCE_DOWN', 10],
    [401, 'SYNC_SOURCE_DENIED', 1],
  ])('writes nobody and loses nobody if %d never ends', async (fault, code, calls) => {
    const { server, baseUrl } = await startScimmy(PEOPLE);
    for (let times = 0; times < 20; times++) server.failNext(fault);
    const { statuses, error } = await writeAll(
      openSource(baseUrl).writer,
      PEOPLE.map(({ id }) => write(id, { title: 'T' })),
    );
    expect([statuses, error]).toEqual([{}, expect.objectContaining({ code })]);
    expect(server.requests).toHaveLength(calls);
  });

  sweep('waits as long as Retry-After says', async () => {
    const { server, baseUrl } = await startScimmy(PEOPLE);
    server.failNext({ status: 429, headers: { 'retry-after': '17' } });
    const { writer, slept } = openSource(baseUrl);
    expect((await writeAll(writer, [write('a', { title: 'T' })])).statuses).toEqual({ a: 'done' });
    expect(slept).toEqual([17_000]);
  });

  it('reports a broken call as lost after a 401, and stops', async () => {
    const { server, baseUrl } = await startScimmy(PEOPLE);
    server.failNext('reset after');
    server.failNext(401);
    const { statuses, error } = await writeAll(
      openSource(baseUrl).writer,
      PEOPLE.map(({ id }) => write(id, { title: 'T' })),
    );
    expect([statuses, error]).toEqual([{ a: 'lost' }, expect.objectContaining({ code: 'SYNC_SOURCE_DENIED' })]);
  });

  sweep('loses nobody if no server listens', async () => {
    const { server, baseUrl } = await startScimmy(PEOPLE);
    await server.close();
    const { statuses, error } = await writeAll(openSource(baseUrl).writer, [write('a', { title: 'T' })]);
    expect([statuses, error]).toEqual([{}, expect.objectContaining({ code: 'SYNC_SOURCE_DOWN' })]);
  });

  it('reports an interrupted call as lost, and attempts no more', async () => {
    const { server, baseUrl } = await startScimmy(PEOPLE);
    server.failNext('hang');
    const stop = new AbortController();
    const running = writeAll(
      openSource(baseUrl).writer,
      PEOPLE.map(({ id }) => write(id, { title: 'T' })),
      stop.signal,
    );
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort(new Error('interrupted'));
    const { statuses, error } = await running;
    expect([statuses, error]).toEqual([{ a: 'lost' }, expect.objectContaining({ message: 'interrupted' })]);
  });
});
