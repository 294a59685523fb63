import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { backUpState, inspectBackup, restoreState } from '../../src/store/backup.js';
import { openStores } from '../../src/store/open-stores.js';
import { catchError, makeFolder, observedOf, openTestStores } from '../samples.js';

const AT = '2026-11-21T10:00:00.000Z';
const APPROVAL = {
  id: 'a1',
  changeId: 'c1',
  guard: 'users.deactivate',
  who: 'anna',
  reason: 'ticket 7',
  at: AT,
  expiresAt: '2030-01-01T00:00:00.000Z',
};

describe('a backup', () => {
  it('contains the latest writes, including those still in the write-ahead log, while others write', () => {
    const folder = makeFolder();
    const stores = openTestStores(folder);
    stores.history.setFact('account', 'acme.example.com');
    const file = join(folder, 'copy.db');
    const backup = backUpState(folder, file);
    expect(backup).toMatchObject({
      file,
      account: 'acme.example.com',
      links: 0,
      auditEntries: 0,
      auditHead: null,
      openIntents: 0,
    });
    expect(backup.bytes).toBe(statSync(file).size);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    stores.history.setFact('account', 'other');
    const copy = new Database(file, { readonly: true });
    expect(copy.prepare("SELECT value FROM facts WHERE name = 'account'").pluck().get()).toBe('acme.example.com');
    copy.close();
  });

  it('leaves out a transaction that is open in another connection', () => {
    const folder = makeFolder();
    openTestStores(folder);
    const writer = new Database(join(folder, 'state.db'));
    writer.exec("BEGIN IMMEDIATE; INSERT INTO facts VALUES ('half', 'done')");
    backUpState(folder, join(folder, 'copy.db'));
    writer.exec('COMMIT');
    writer.close();
    const copy = new Database(join(folder, 'copy.db'), { readonly: true });
    expect(copy.prepare("SELECT count(*) FROM facts WHERE name = 'half'").pluck().get()).toBe(0);
    copy.close();
  });

  it('never overwrites a file, and requires a state', () => {
    const folder = makeFolder();
    expect(catchError(() => backUpState(folder, join(folder, 'copy.db')))).toMatchObject({ code: 'SYNC_STATE_BACKUP' });
    expect(existsSync(join(folder, 'state.db'))).toBe(false);
    openTestStores(folder);
    writeFileSync(join(folder, 'copy.db'), 'mine');
    expect(catchError(() => backUpState(folder, join(folder, 'copy.db'))).message).toContain('already');
    expect(catchError(() => backUpState(folder, join(folder, 'state.db', 'copy.db'))).code).toBe('SYNC_STATE_BACKUP');
  });

  it('is rejected before any change if it is truncated, empty, missing or another database', () => {
    const folder = makeFolder();
    openTestStores(folder).history.setFact('account', 'acme');
    const file = join(folder, 'copy.db');
    backUpState(folder, file);
    for (const [name, spoil] of [
      ['cut', (path: string) => writeFileSync(path, Buffer.from('SQLite format 3\0'.padEnd(5_000, 'x')))],
      ['empty', (path: string) => writeFileSync(path, '')],
      ['other', (path: string) => new Database(path).exec('CREATE TABLE t (a)').close()],
    ] as const) {
      const path = join(folder, `${name}.db`);
      spoil(path);
      expect(
        catchError(() => inspectBackup(path)),
        name,
      ).toMatchObject({ code: 'SYNC_STATE_BACKUP', place: path });
    }
    expect(catchError(() => inspectBackup(join(folder, 'none.db'))).message).toContain('opened');
  });
});

describe('a restore', () => {
  it('brings back the state without approvals, keeps a copy of the current one, and forces a full read', async () => {
    const folder = makeFolder();
    const stores = openStores(folder, { lockedAt: AT });
    stores.history.setFact('account', 'acme');
    stores.history.approve([APPROVAL]);
    stores.mirror.save([observedOf('u1')], 1);
    stores.mirror.setMark('users.cursor', 'stamp');
    stores.mirror.setMark('users.full_read_at', AT);
    stores.close();
    const file = join(folder, 'copy.db');
    backUpState(folder, file);
    const later = openStores(folder, { lockedAt: AT });
    later.history.setFact('account', 'later');
    later.close();

    const kept = await restoreState(folder, file, AT);
    const restored = openTestStores(folder);
    expect(restored.history.fact('account')).toBe('acme');
    expect(restored.history.approvalsAt(AT).size).toBe(0);
    expect(restored.mirror.mark('users.cursor')).toBeNull();
    expect(restored.mirror.mark('users.full_read_at')).toBeNull();
    expect(restored.mirror.get('users', 'u1')).not.toBeNull();
    expect(readdirSync(join(folder, 'backups'))).toEqual(['state-20261121T100000Z-before-restore.db']);
    const before = new Database(kept ?? '', { readonly: true });
    expect(before.prepare("SELECT value FROM facts WHERE name = 'account'").pluck().get()).toBe('later');
    before.close();
    // The backup itself is unchanged.
    expect(new Database(file, { readonly: true }).prepare('SELECT count(*) FROM approvals').pluck().get()).toBe(1);
  });

  it('lets an open reader see the old state or the new one, and continue', async () => {
    const folder = makeFolder();
    const looking = openTestStores(folder);
    looking.history.setFact('account', 'before');
    const file = join(folder, 'copy.db');
    backUpState(folder, file);
    looking.history.setFact('account', 'after');
    expect(looking.history.fact('account')).toBe('after');
    await restoreState(folder, file, AT);
    expect(looking.history.fact('account')).toBe('before');
    looking.history.setFact('account', 'again');
    const fresh = openTestStores(folder);
    expect(fresh.history.fact('account')).toBe('again');
    const check = new Database(join(folder, 'state.db'), { readonly: true });
    expect(check.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(check.pragma('journal_mode', { simple: true })).toBe('wal');
    check.close();
  });

  it('works in an empty folder, with nothing to keep', async () => {
    const [from, to] = [makeFolder(), makeFolder()];
    const stores = openStores(from, { lockedAt: AT });
    stores.history.setFact('account', 'acme');
    stores.close();
    backUpState(from, join(from, 'copy.db'));
    expect(await restoreState(to, join(from, 'copy.db'), AT)).toBeNull();
    expect(openTestStores(to).history.fact('account')).toBe('acme');
    expect(statSync(join(to, 'state.db')).mode & 0o777).toBe(0o600);
  });
});
