import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/store/database.js';
import { openPushStore } from '../../../src/store/state/open-push-store.js';
import type { PushStore } from '../../../src/store/state/push-store.js';
import { makeFolder } from '../../samples.js';

const AT = '2026-01-01T00:00:00.000Z';

function openStore(folder: string): PushStore {
  const { store, close } = openPushStore(folder);
  onTestFinished(close);
  return store;
}

function makeState(): string {
  const folder = makeFolder();
  openDatabase(join(folder, 'state.db'), 'state', { lockedAt: AT }).sqlite.close();
  return folder;
}

function add(store: PushStore, id: string): void {
  const row = { nameKey: id, externalId: null, display: id, created: AT };
  store.insert('idp', 'User', { id, ...row, attributes: { userName: id } });
}

/** The ids of a page from an offset on, and the total. */
function look(store: PushStore, offset: number): { readonly total: number; readonly ids: readonly string[] } {
  const first = store.seqAt('idp', 'User', offset);
  const rows = first === null ? [] : store.after('idp', 'User', first - 1, 2);
  return { total: store.total('idp', 'User'), ids: rows.map(({ id }) => id) };
}

test('starts pages at the right place, whatever was added or removed since the last one', () => {
  const store = openStore(makeState());
  for (const id of ['a', 'b', 'c', 'd', 'e']) add(store, id);
  expect(look(store, 0)).toEqual({ total: 5, ids: ['a', 'b'] });
  expect(look(store, 2)).toEqual({ total: 5, ids: ['c', 'd'] });
  expect(look(store, 5)).toEqual({ total: 5, ids: [] });
  add(store, 'f');
  expect(look(store, 4)).toEqual({ total: 6, ids: ['e', 'f'] });
  expect(store.remove('idp', 'User', 'b')).toBe(true);
  expect(look(store, 2)).toEqual({ total: 5, ids: ['d', 'e'] });
  expect(look(store, 4)).toEqual({ total: 5, ids: ['f'] });
});

test('forgets the changes of a transaction that was rolled back', () => {
  const store = openStore(makeState());
  for (const id of ['a', 'b', 'c']) add(store, id);
  expect(look(store, 1)).toEqual({ total: 3, ids: ['b', 'c'] });
  const giveUp = (): void =>
    store.transaction(() => {
      add(store, 'd');
      store.remove('idp', 'User', 'a');
      expect(look(store, 1)).toEqual({ total: 3, ids: ['c', 'd'] });
      throw new Error('taken back');
    });
  expect(giveUp).toThrow('taken back');
  expect(look(store, 1)).toEqual({ total: 3, ids: ['b', 'c'] });
});

test('sees the writes of another process', () => {
  const folder = makeState();
  const [store, other] = [openStore(folder), openStore(folder)];
  for (const id of ['a', 'b', 'c', 'd']) add(store, id);
  expect(look(store, 2)).toEqual({ total: 4, ids: ['c', 'd'] });
  other.remove('idp', 'User', 'a');
  add(other, 'e');
  expect(look(store, 2)).toEqual({ total: 4, ids: ['d', 'e'] });
});
