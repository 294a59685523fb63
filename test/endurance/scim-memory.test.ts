import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPushStore } from '../../src/store/state/open-push-store.js';
import { GROUP } from '../daemon/web/scim/desk.js';
import { MIB, startScim } from '../hostile/scim-daemon.js';

const KIB = 1024;
/**
 * For a container of 512 MiB; the daemon alone has 130. With 20 people or 150 it is 226 to 310, depending on when Node
 * collects.
 */
const PEAK = 350;

const PATHS = [
  '/Users?count=500',
  '/Users?filter=title%20co%20%22z%22',
  '/Users?sortBy=title&count=500&attributes=userName',
];

describe('the memory of the daemon', () => {
  test('is bounded for huge people: pages end early, and every person is reached', async () => {
    const count = 20;
    const { ask, peak } = await startScim({ key: 'userName' }, (path) => {
      // Such people may exist from before the limits.
      const { store, close } = openPushStore(join(path, 'var'));
      for (let n = 0; n < count; n++) {
        const attributes = { userName: `u${n}`, active: true, title: 'x'.repeat(3.9 * MIB) };
        const row = { id: `id-${n}`, nameKey: `u${n}`, externalId: null, display: `u${n}`, attributes };
        store.insert('entra', 'User', { ...row, created: '2026-01-01T00:00:00.000Z' });
      }
      close();
    });
    const seen: string[] = [];
    while (seen.length < count) {
      const { json } = await ask('GET', `/Users?startIndex=${seen.length + 1}&count=500`);
      const ids = (json.Resources as { id: string }[]).map(({ id }) => id);
      expect([json.totalResults, json.itemsPerPage, ids.length > 0]).toEqual([count, ids.length, true]);
      seen.push(...ids);
    }
    expect(new Set(seen).size).toBe(count);
    for (const path of PATHS) expect((await ask('GET', path)).status).toBe(200);
    expect(peak()).toBeLessThan(PEAK);
  });

  test('is bounded for many concurrent requests for many large people, and all are answered', async () => {
    const { ask, peak } = await startScim({}, (path) => {
      const { store, close } = openPushStore(join(path, 'var'));
      store.transaction(() => {
        for (let n = 0; n < 200; n++) {
          const fill = String(n % 10).repeat(60 * KIB);
          const attributes = { userName: `u${n}`, active: true, title: fill, nickName: fill, displayName: fill };
          const row = { id: `id-${n}`, nameKey: `u${n}`, externalId: null, display: `u${n}`, attributes };
          store.insert('entra', 'User', { ...row, created: '2026-01-01T00:00:00.000Z' });
        }
      });
      close();
    });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask('GET', PATHS[n % PATHS.length] ?? '')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(peak()).toBeLessThan(PEAK);
  });

  test('is bounded for groups of 100,000, which are accepted and shown completely', async () => {
    const { ask, peak } = await startScim();
    const members = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => ({
        value: `00000000-0000-4000-8000-${String(from + n).padStart(12, '0')}`,
        $ref: `https://sync.example.com/scim/v2/entra/Users/00000000-0000-4000-8000-${String(from + n).padStart(12, '0')}`,
        type: 'User',
        display: `Person number ${from + n}`,
      }));
    const group = { schemas: [GROUP], displayName: 'Everybody', members: members(0, 100_000) };
    const text = JSON.stringify(group);
    expect(text.length).toBeGreaterThan(17 * MIB);
    const made = await ask('POST', '/Groups', text);
    expect([made.status, (made.json.members as unknown[]).length]).toEqual([201, 100_000]);
    const id = String(made.json.id);
    const shown = await ask('GET', `/Groups/${id}`);
    expect(new Set((shown.json.members as { value: string }[]).map(({ value }) => value)).size).toBe(100_000);
    const list = await ask('GET', '/Groups?attributes=members.value');
    expect((list.json.Resources as { members: unknown[] }[])[0]?.members).toHaveLength(100_000);
    const one = { Operations: [{ op: 'add', path: 'members', value: members(100_000, 100_001) }] };
    expect((await ask('PATCH', `/Groups/${id}`, one)).status).toBe(413);
    const two = await Promise.all([1, 2].map(() => ask('PUT', `/Groups/${id}`, text)));
    expect(two.map(({ status }) => status)).toEqual([200, 200]);
    expect(peak()).toBeLessThan(PEAK);
  });
});
