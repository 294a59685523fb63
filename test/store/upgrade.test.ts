import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkState } from '../../src/store/integrity.js';
import { openStores } from '../../src/store/open-stores.js';
import { openOperatorStore } from '../../src/store/operators/operator-store.js';
import { oneIn } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { type MigrationJournal, openOlder } from '../older-state.js';
import { makeFolder } from '../samples.js';

/**
 * A file for each version: `kept-states/0009_pushed_emails.sql` holds rows in the columns of that version, and the
 * migrations up to it create the tables. A new migration fails here until it has such rows.
 */
const KEPT = { state: join(ROOT, 'test/store/kept-states'), operators: join(ROOT, 'test/store/kept-operators') };
const AT = '2026-11-23T10:00:00.000Z';

function listVersions(kind: keyof typeof KEPT): readonly string[] {
  const file = join(ROOT, 'migrations', kind, 'meta', '_journal.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as MigrationJournal).entries.map(({ tag }) => tag);
}

function openKept(kind: keyof typeof KEPT, folder: string, tag: string): void {
  const older = openOlder(kind, folder, tag);
  older.exec(readFileSync(join(KEPT[kind], `${tag}.sql`), 'utf8'));
  older.close();
}

const VERSIONS = listVersions('state');

it.each(['state', 'operators'] as const)('keeps rows for each migration of %s', (kind) => {
  expect(readdirSync(KEPT[kind]).sort()).toEqual(listVersions(kind).map((tag) => `${tag}.sql`));
});

it.each(listVersions('operators'))('opens operators.db of %s with its operators, tokens and log-ins', (tag) => {
  const folder = makeFolder();
  openKept('operators', folder, tag);
  const store = openOperatorStore(folder, AT);
  expect([store.operators(), store.tokens(), store.logins()].map((rows) => rows.map(({ who }) => who))).toEqual([
    ['jo@example.com'],
    ['jo@example.com'],
    ['jo@example.com'],
  ]);
  expect(store.cookieKey()).toBe('a key of that time');
  store.close();
});

describe.each(oneIn(1 / 2, VERSIONS))('a state left by %s', (tag) => {
  it('opens under the lock with its links and facts, and is migrated once', async () => {
    const folder = makeFolder();
    openKept('state', folder, tag);
    const stores = openStores(folder, { lockedAt: AT });
    expect(stores.history.fact('account')).toBe('acme');
    expect(stores.links.find('users', 'E1')).toMatchObject({
      serviceId: 'u1',
      origin: 'created',
      base: { name: 'Kari' },
    });
    stores.close();
    expect((await checkState(folder, '2027-01-01T00:00:00.000Z')).how).toBe('whole');
    const state = new Database(join(folder, 'state.db'), { readonly: true });
    expect(state.pragma('foreign_key_check')).toEqual([]);
    expect(state.prepare('SELECT count(*) FROM __drizzle_migrations').pluck().get()).toBe(VERSIONS.length);
    state.close();
    const copies = tag === VERSIONS.at(-1) ? 0 : 1;
    expect(readdirSync(folder).includes('backups') ? readdirSync(join(folder, 'backups')) : []).toHaveLength(copies);
  });
});
