import { describe, expect, it } from 'vitest';
import { refreshMirror } from '../../src/mirror/refresh.js';
import { createRefusedReads } from '../../src/mirror/refused-reads.js';
import { sweep } from '../depth.js';
import { ACCOUNT } from '../sandbox/open-sandbox.js';
import { change, crowd, idOf, openMirror, type Reading } from './open-mirror.js';

describe.each<Reading>(['exact', 'keyset'])('the feed, if the service reads after_id as %s', (reading) => {
  it("delivers a change of the cursor's own second", async () => {
    const desk = await openMirror(ACCOUNT, reading);
    await refreshMirror(desk.context, true, createRefusedReads());
    desk.sandbox.setClock(Date.parse('2026-11-20T09:00:00Z'));
    await change(desk, idOf(desk, 'E1'), { telephone: '1' });
    await refreshMirror(desk.context, false, createRefusedReads());
    desk.sandbox.setClock(Date.parse('2026-11-20T09:00:00.500Z'));
    await change(desk, idOf(desk, 'E2'), { telephone: '2' });
    await change(desk, idOf(desk, 'E1'), { telephone: '3' });
    await refreshMirror(desk.context, false, createRefusedReads());
    expect([
      desk.mirror.get('users', idOf(desk, 'E1'))?.values.telephone,
      desk.mirror.get('users', idOf(desk, 'E2'))?.values.telephone,
    ]).toEqual(['3', '2']);
  });

  sweep('reads 1,100 people who changed in the same second', async () => {
    const desk = await openMirror(crowd(Array.from({ length: 1_100 }, () => '2026-11-02T00:00:00Z')), reading);
    desk.mirror.setMark('users.cursor', '2026-11-01T00:00:00Z');
    desk.mirror.setMark('users.full_read_at', new Date().toISOString());
    expect(await refreshMirror(desk.context, false, createRefusedReads())).toEqual({ users: 'feed', usersRead: 1_100 });
    expect(desk.mirror.counts('users').all).toBe(1_100);
    expect(desk.mirror.mark('users.cursor')).toBe('2026-11-02T00:00:00Z');
  });

  it('resumes an interrupted read without leaving anyone out', async () => {
    const stamps = Array.from(
      { length: 900 },
      (_, i) => `2026-11-02T00:${String(Math.floor(i / 20)).padStart(2, '0')}:00Z`,
    );
    const desk = await openMirror(crowd(stamps), reading);
    desk.mirror.setMark('users.cursor', '2026-11-01T00:00:00Z');
    desk.mirror.setMark('users.full_read_at', new Date().toISOString());
    const stopped = new AbortController();
    let pages = 0;
    desk.beforeCall(async (path) => {
      if (path.endsWith('/users/changes') && ++pages === 2) stopped.abort(new Error('the process ends here'));
    });
    await expect(
      refreshMirror({ ...desk.context, signal: stopped.signal }, false, createRefusedReads()),
    ).rejects.toThrow();
    const half = desk.mirror.counts('users').all;
    expect(half).toBe(500);
    desk.beforeCall(async () => undefined);
    await refreshMirror(desk.context, false, createRefusedReads());
    expect(desk.mirror.counts('users').all).toBe(900);
  });
});

describe('more people in one second than a read can hold', () => {
  it('falls back to a full read, which returns all of them', async () => {
    const desk = await openMirror(crowd(['2026-11-02T00:00:00Z', '2026-11-02T00:00:00Z', '2026-11-02T00:00:00Z']));
    desk.mirror.setMark('users.cursor', '2026-11-01T00:00:00Z');
    desk.mirror.setMark('users.full_read_at', new Date().toISOString());
    const readChanges = desk.context.reader.users.readChanges;
    const users = {
      ...desk.context.reader.users,
      readChanges: (options: Parameters<typeof readChanges>[0]) =>
        readChanges({ ...options, limit: 1, longestLimit: 2 }),
    };
    const read = await refreshMirror(
      { ...desk.context, reader: { ...desk.context.reader, users } },
      false,
      createRefusedReads(),
    );
    expect(read).toEqual({ users: 'full read', usersRead: 3 });
    expect(desk.mirror.counts('users').all).toBe(3);
  });
});
