import { hash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/model/json.js';
import { hashObserved } from '../../src/store/hash-observed.js';
import { checkMirror, checkState } from '../../src/store/integrity.js';
import { openStores } from '../../src/store/open-stores.js';
import { nextVersion, openOlder } from '../older-state.js';
import { catchError, makeFolder, observedOf } from '../samples.js';

const AT = '2026-11-21T10:00:00.000Z';

/** A state of this version, with some content. */
function makeState(): string {
  const folder = makeFolder();
  const stores = openStores(folder, { lockedAt: AT });
  stores.history.setFact('account', 'acme');
  stores.mirror.setMark('users.cursor', 'stamp');
  stores.close();
  return folder;
}

const ADD_COLUMN = 'ALTER TABLE facts ADD COLUMN note text;';

describe('a state of an older version', () => {
  it('is copied and then migrated with all its content, under the lock', () => {
    const folder = makeState();
    const migrations = nextVersion({ state: ADD_COLUMN });
    const stores = openStores(folder, { lockedAt: AT, migrations });
    expect(stores.history.fact('account')).toBe('acme');
    stores.close();
    const columns = new Database(join(folder, 'state.db')).pragma('table_info(facts)') as { name: string }[];
    expect(columns.map(({ name }) => name)).toContain('note');
    expect(readdirSync(join(folder, 'backups'))).toEqual(['state-20261121T100000Z-before-9999_next.db']);
    const copy = join(folder, 'backups', 'state-20261121T100000Z-before-9999_next.db');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const before = new Database(copy, { readonly: true });
    expect(before.prepare("SELECT value FROM facts WHERE name = 'account'").pluck().get()).toBe('acme');
    expect((before.pragma('table_info(facts)') as { name: string }[]).map(({ name }) => name)).not.toContain('note');
    // The second start has nothing to migrate.
    openStores(folder, { lockedAt: '2026-11-21T11:00:00.000Z', migrations }).close();
    expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
  });

  it('is left alone without the lock, since a run of the older version may be in progress', () => {
    const folder = makeState();
    const migrations = nextVersion({ state: ADD_COLUMN });
    const error = catchError(() => openStores(folder, { lockedAt: null, migrations }));
    expect(error).toMatchObject({ code: 'SYNC_STATE_OUTDATED', place: join(folder, 'state.db') });
    expect(existsSync(join(folder, 'backups'))).toBe(false);
    openStores(folder).close();
  });

  it('is left unchanged by a failing migration, which stops the start', () => {
    const folder = makeState();
    const migrations = nextVersion({
      state: `${ADD_COLUMN}\n--> statement-breakpoint\nALTER TABLE nowhere ADD x text;`,
    });
    const error = catchError(() => openStores(folder, { lockedAt: AT, migrations }));
    expect(error.code).toBe('SYNC_STATE_MIGRATION');
    expect(error.message).toContain('nowhere');
    expect(error.remedy).toContain('before-9999_next.db');
    const stores = openStores(folder, { lockedAt: AT });
    expect(stores.history.fact('account')).toBe('acme');
    stores.close();
    const columns = new Database(join(folder, 'state.db')).pragma('table_info(facts)') as { name: string }[];
    expect(columns.map(({ name }) => name)).not.toContain('note');
  });

  it('needs no copy of the mirror, which can be read again', () => {
    const folder = makeState();
    const migrations = nextVersion({ mirror: 'CREATE TABLE extra (note text);' });
    expect(catchError(() => openStores(folder, { lockedAt: null, migrations })).code).toBe('SYNC_STATE_OUTDATED');
    const stores = openStores(folder, { lockedAt: AT, migrations });
    expect(stores.mirror.mark('users.cursor')).toBe('stamp');
    stores.close();
    expect(existsSync(join(folder, 'backups'))).toBe(false);
    // A mirror that cannot be migrated is created again.
    const broken = nextVersion({ mirror: 'ALTER TABLE nowhere ADD x text;' });
    expect(catchError(() => openStores(makeState(), { lockedAt: AT, migrations: broken })).message).toContain(
      'nowhere',
    );
  });
});

/** A file as an older version left it, with these rows. */
function makeOlder(kind: 'state' | 'mirror', folder: string, newest: string, rows: string): void {
  const sqlite = openOlder(kind, folder, newest);
  sqlite.exec(rows);
  sqlite.close();
}

it('reads a mirror again that lacks the wide form of its keys, since unchanged objects would never get it', () => {
  const folder = makeFolder();
  makeOlder(
    'mirror',
    folder,
    '0000',
    `INSERT INTO objects VALUES ('users', 'u1', 1, 'Kari', '{"name":"Kari"}', 'hash', 1);
     INSERT INTO object_keys VALUES ('users', 'name', 'kari', 'u1');
     INSERT INTO marks VALUES ('users.cursor', 'stamp');`,
  );
  const { mirror, close } = openStores(folder, { lockedAt: AT });
  expect([mirror.get('users', 'u1'), mirror.findIds('users', 'name', 'kari'), mirror.mark('users.cursor')]).toEqual([
    null,
    [],
    null,
  ]);
  close();
});

describe('values stored with field names in every row', () => {
  const values = {
    external_unique_id: 'E1',
    name: 'Kari "K" Ødegård, \\ 😀',
    title: { en: 'Lead', no: null },
    born_year: 1980,
    roles: ['consultant', 'x,y'],
    place_of_residence: null,
    'a "b".c': true,
  };
  const quoted = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
  const wholeHash = hash('sha256', canonicalJson([true, values]), 'base64url');

  it('keep the objects, keys and read position of a mirror', async () => {
    const folder = makeFolder();
    openStores(folder, { lockedAt: AT }).close();
    rmSync(join(folder, 'mirror.db'));
    makeOlder(
      'mirror',
      folder,
      '0003',
      `INSERT INTO objects VALUES ('users', 'u2', 0, 'Nobody', '{}', 'hash', 3), ('users', 'u1', 1, 'Kari', ${quoted(values)}, '${wholeHash}', 4);
       INSERT INTO object_keys VALUES ('users', 'external_unique_id', 'e1', 'u1');
       INSERT INTO marks VALUES ('users.cursor', 'stamp');`,
    );
    expect(await checkMirror(folder, { how: 'whole', isDue: true, isUnclean: false })).toBeNull();
    const { mirror, close } = openStores(folder, { lockedAt: AT });
    const kari = mirror.get('users', 'u1');
    expect(kari).toEqual({ ...observedOf('u1', values), label: 'Kari', hash: hashObserved(true, values) });
    expect(mirror.get('users', 'u2')).toMatchObject({ active: false, values: {} });
    expect(mirror.counts('users')).toEqual({ all: 2, active: 1 });
    expect(mirror.findIds('users', 'external_unique_id', 'e1')).toEqual(['u1']);
    expect([mirror.seen('users', 'u1'), mirror.mark('users.cursor')]).toEqual([4, 'stamp']);
    close();
  });

  it('keep the base, written values and hashes of every link of a state, without the mirror too', async () => {
    const folder = makeFolder();
    const link = (key: string, cells: string): string =>
      `INSERT INTO links (entity, source_key, service_id, origin, run, at, agreed, written, untaken, desired_hash, observed_hash, context_hash, settled)
       VALUES ('users', '${key}', 'id-${key}', 'adopted', 'r', '${AT}', ${cells});`;
    makeOlder(
      'state',
      folder,
      '0009',
      `${link('E1', `${quoted(values)}, '{}', NULL, '${wholeHash}', '${wholeHash}', 'c', 'a b c d'`)}
       ${link('E2', `'{}', ${quoted({ tags: { unit: 'x' } })}, '{"email":{}}', NULL, '', 'c', NULL`)}
       ${link('E3', 'NULL, NULL, NULL, NULL, NULL, NULL, NULL')}`,
    );
    const { links, close } = openStores(folder, { lockedAt: AT });
    expect(links.find('users', 'E1')).toMatchObject({ serviceId: 'id-E1', base: values, written: null });
    expect(Object.keys(links.find('users', 'E1')?.base ?? {})).toEqual(Object.keys(values));
    expect(links.find('users', 'E2')).toMatchObject({
      base: {},
      written: { tags: { unit: 'x' } },
      untaken: { email: {} },
    });
    expect(links.find('users', 'E3')).toMatchObject({ base: null, written: null });
    close();
    const state = new Database(join(folder, 'state.db'), { readonly: true });
    expect(state.prepare('SELECT desired_hash, observed_hash FROM links ORDER BY source_key').raw().all()).toEqual([
      [wholeHash.slice(0, 22), wholeHash.slice(0, 22)],
      [null, ''],
      [null, null],
    ]);
    state.close();
    expect((await checkState(folder, '2027-01-01T00:00:00.000Z')).how).toBe('whole');
  });
});

describe('a state of a newer version', () => {
  it('is not touched, with or without the lock', () => {
    const folder = makeState();
    openStores(folder, { lockedAt: AT, migrations: nextVersion({ state: ADD_COLUMN }) }).close();
    for (const lockedAt of [AT, null]) {
      const error = catchError(() => openStores(folder, { lockedAt }));
      expect(error).toMatchObject({ code: 'SYNC_STATE_NEWER', place: join(folder, 'state.db') });
      expect(error.remedy).toContain('state restore');
    }
  });

  it('leaves its mirror alone without the lock, and discards it with the lock', () => {
    const folder = makeState();
    openStores(folder, {
      lockedAt: AT,
      migrations: nextVersion({ mirror: 'CREATE TABLE extra (note text);' }),
    }).close();
    expect(catchError(() => openStores(folder)).code).toBe('SYNC_STATE_NEWER');
    const stores = openStores(folder, { lockedAt: AT });
    expect(stores.mirror.mark('users.cursor')).toBeNull();
    expect(stores.history.fact('account')).toBe('acme');
    stores.close();
    openStores(folder).close();
  });
});

it('creates the tables of an empty folder, with or without the lock', () => {
  const folder = makeFolder();
  openStores(folder).close();
  openStores(folder, { lockedAt: AT }).close();
  expect(existsSync(join(folder, 'backups'))).toBe(false);
});

it('opens the copy of a migration after it was put back', () => {
  const folder = makeState();
  const migrations = nextVersion({ state: ADD_COLUMN });
  openStores(folder, { lockedAt: AT, migrations }).close();
  cpSync(join(folder, 'backups', 'state-20261121T100000Z-before-9999_next.db'), join(folder, 'state.db'));
  const stores = openStores(folder, { lockedAt: AT });
  expect(stores.history.fact('account')).toBe('acme');
  stores.close();
});
