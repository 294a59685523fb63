import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { asSyncError } from '../../src/base/errors.js';
import { openStores } from '../../src/store/open-stores.js';
import { catchError, makeFolder, observedOf, openTestStores } from '../samples.js';

function tablesOf(file: string): readonly string[] {
  const sqlite = new Database(file, { readonly: true });
  const names = sqlite
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  sqlite.close();
  return names.filter((name) => !name.startsWith('sqlite_') && !name.startsWith('__'));
}

describe('the two files', () => {
  it('creates every table in a new folder, which only its owner can read', () => {
    const folder = join(makeFolder(), 'deep', 'state');
    openTestStores(folder);
    expect(tablesOf(join(folder, 'state.db'))).toEqual([
      'absences',
      'acknowledgements',
      'approvals',
      'audit',
      'carried_out',
      'declines',
      'delivered_documents',
      'departures',
      'facts',
      'filled_columns',
      'head_counts',
      'held_changes',
      'journal',
      'link_moves',
      'links',
      'notify_channels',
      'notify_events',
      'notify_outbox',
      'outbox',
      'pins',
      'pushed_emails',
      'pushed_gone',
      'pushed_members',
      'pushed_resources',
      'reads',
      'refusals',
      'report_deliveries',
      'resolutions',
      'runs',
      'shared_texts',
      'sightings',
    ]);
    expect(tablesOf(join(folder, 'mirror.db'))).toEqual([
      'counted',
      'marks',
      'moved_objects',
      'object_keys',
      'objects',
      'pending',
      'shared_texts',
      'source_rows',
      'staged_contents',
      'staged_places',
      'staged_rows',
      'waiting',
    ]);
    for (const name of ['state.db', 'mirror.db']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('keeps the content of an existing folder and migrates it once', () => {
    const folder = makeFolder();
    const first = openStores(folder);
    first.history.setFact('account', 'acme');
    first.mirror.save([observedOf('u1', { email: 'a@x.test' })], 1);
    first.mirror.setMark('users.cursor', 'stamp');
    first.close();
    const again = openTestStores(folder);
    expect(again.history.fact('account')).toBe('acme');
    expect(again.mirror.get('users', 'u1')).toEqual(observedOf('u1', { email: 'a@x.test' }));
    expect(again.mirror.mark('users.cursor')).toBe('stamp');
    const sqlite = new Database(join(folder, 'state.db'), { readonly: true });
    const steps = JSON.parse(
      readFileSync(new URL('../../migrations/state/meta/_journal.json', import.meta.url), 'utf8'),
    ) as { entries: unknown[] };
    expect(sqlite.prepare('SELECT count(*) FROM __drizzle_migrations').pluck().get()).toBe(steps.entries.length);
    sqlite.close();
  });

  it('works without mirror.db, with everything that only state.db knows', () => {
    const folder = makeFolder();
    const first = openStores(folder);
    first.history.setFact('account', 'acme');
    first.mirror.save([observedOf('u1')], 1);
    first.close();
    const mirror = new Database(join(folder, 'mirror.db'));
    const tables = [...tablesOf(join(folder, 'mirror.db')), '__drizzle_migrations'];
    mirror.exec(tables.map((name) => `DROP TABLE ${name};`).join(''));
    mirror.close();
    const again = openTestStores(folder);
    expect(again.history.fact('account')).toBe('acme');
    expect(again.mirror.get('users', 'u1')).toBeNull();
  });

  it('throws SYNC_STATE_UNUSABLE for a file that is not a database, with a remedy per file', () => {
    for (const [name, remedy] of [
      ['state.db', 'backup'],
      ['mirror.db', 'may be deleted'],
    ] as const) {
      const folder = makeFolder();
      writeFileSync(join(folder, name), 'not a database at all, but long enough to be read as a header '.repeat(40));
      const error = catchError(() => openStores(folder));
      expect([error.code, error.place]).toEqual(['SYNC_STATE_UNUSABLE', join(folder, name)]);
      expect(error.remedy).toContain(remedy);
    }
  });

  it('rejects an emptied state.db, but not a new one that was never filled', () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'state.db'), '');
    const first = openTestStores(folder);
    first.history.setFact('account', 'acme');
    first.close();
    writeFileSync(join(folder, 'state.db'), '');
    const error = catchError(() => openStores(folder));
    expect([error.code, error.place]).toEqual(['SYNC_STATE_UNUSABLE', join(folder, 'state.db')]);
    rmSync(join(folder, 'state.db'));
    expect(openTestStores(folder).history.fact('account')).toBeNull();
  });

  it('rejects an unreadable folder with its place, instead of taking it for empty', () => {
    const folder = makeFolder();
    // The folder is unreadable for root too.
    symlinkSync('mirror.db', join(folder, 'mirror.db'));
    const error = catchError(() => openStores(folder));
    expect([error.code, error.place]).toEqual(['SYNC_STATE_UNUSABLE', folder]);
    expect(error.remedy).toContain('this user');
  });

  it('reports a full disk during a run as a problem of the disk, not of the program', () => {
    const database = new Database(join(makeFolder(), 'small.db'));
    database.exec('CREATE TABLE things (thing TEXT)');
    database.pragma('max_page_count = 2');
    const write = database.prepare('INSERT INTO things VALUES (?)');
    const error = catchError(() => {
      try {
        write.run('x'.repeat(10_000));
      } catch (full) {
        throw asSyncError(full);
      }
    });
    database.close();
    expect(error).toMatchObject({ code: 'SYNC_STATE_UNUSABLE', remedy: expect.stringContaining('Free space') });
    expect(error.message).toContain('full');
  });

  it('leaves nothing behind after a transaction of state.db that throws', () => {
    const stores = openTestStores();
    const work = (): void => {
      stores.history.setFact('a', '1');
      throw new Error('in the middle');
    };
    expect(() => stores.state.transaction(work)).toThrow('in the middle');
    expect(stores.history.fact('a')).toBeNull();
  });
});
