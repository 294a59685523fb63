import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkState } from '../../src/store/integrity.js';
import { openStores } from '../../src/store/open-stores.js';
import { ROOT } from '../module-graph.js';
import { type MigrationJournal, openOlder } from '../older-state.js';
import { makeFolder } from '../samples.js';

/**
 * A state folder of each version that there ever was: `kept-states/0009_pushed_emails.sql` holds rows in the columns of that
 * version, and the tables are made by the migrations up to it. A new migration fails here until rows are kept for it.
 */
const KEPT = join(ROOT, 'test', 'store', 'kept-states');
const AT = '2026-11-23T10:00:00.000Z';

const journal = JSON.parse(
  readFileSync(join(ROOT, 'migrations', 'state', 'meta', '_journal.json'), 'utf8'),
) as MigrationJournal;
const VERSIONS = journal.entries.map(({ tag }) => tag);

it('of each migration of the state rows are kept', () => {
  expect(readdirSync(KEPT).sort()).toEqual(VERSIONS.map((tag) => `${tag}.sql`));
});

describe.each(VERSIONS)('a state as %s left it', (tag) => {
  it('opens under the lock with its links and facts, whole, and once', async () => {
    const folder = makeFolder();
    const older = openOlder('state', folder, tag);
    older.exec(readFileSync(join(KEPT, `${tag}.sql`), 'utf8'));
    older.close();
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
