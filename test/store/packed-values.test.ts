import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Values } from '../../src/model/json.js';
import { hashObserved } from '../../src/store/hash-observed.js';
import { checkMirror, checkState } from '../../src/store/integrity.js';
import { openStores } from '../../src/store/open-stores.js';
import { createValuePacker, packedValue } from '../../src/store/packed-values.js';
import type { Sqlite } from '../../src/store/sqlite.js';
import { makeFolder, observedOf } from '../samples.js';

const AT = '2026-11-21T10:00:00.000Z';
const LOOK = { how: 'whole', isDue: true, isUnclean: false } as const;

function openTable(): Sqlite {
  const sqlite = new Database(':memory:');
  sqlite.exec(
    'CREATE TABLE shared_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE); CREATE TABLE rows (body TEXT)',
  );
  return sqlite;
}

describe('values without their names', () => {
  it('come back unchanged and in order, and share the names they have in common', () => {
    const sqlite = openTable();
    const { pack, unpack } = createValuePacker(sqlite);
    const all: readonly Values[] = [
      { email: 'a@x.test', upn: null, title: { en: 'Lead' } },
      { email: 'b@x.test', upn: '', title: null },
      { upn: 'c', email: 'c@x.test' },
      {},
    ];
    const texts = all.map(pack);
    expect(texts[1]).toBe('[1,"b@x.test","",null]');
    expect(texts.map(unpack)).toEqual(all);
    expect(Object.keys(unpack(texts[2] ?? ''))).toEqual(['upn', 'email']);
    expect(sqlite.prepare('SELECT count(*) FROM shared_texts').pluck().get()).toBe(3);
  });

  it('leave out an undefined value', () => {
    const { pack, unpack } = createValuePacker(openTable());
    const text = pack({ email: undefined, upn: 'u' } as unknown as Values);
    expect(text).toBe('[1,"u"]');
    expect(unpack(text)).toEqual({ upn: 'u' });
  });

  it('forget names that were rolled back with their transaction', () => {
    const sqlite = openTable();
    const { pack, unpack } = createValuePacker(sqlite);
    const fail = sqlite.transaction(() => {
      expect(unpack(pack({ email: 'a' }))).toEqual({ email: 'a' });
      throw new Error('taken back');
    });
    expect(fail).toThrow('taken back');
    expect(unpack(pack({ upn: 'u' }))).toEqual({ upn: 'u' });
  });

  it('keep committed names for later transactions, but not those rolled back in between', () => {
    const sqlite = openTable();
    const { pack, unpack, catchUp } = createValuePacker(sqlite);
    const inOne = (work: () => void) => sqlite.transaction(work);
    inOne(() => pack({ email: 'a' }))();
    catchUp();
    const fail = inOne(() => {
      expect([pack({ email: 'b' }), pack({ upn: 'u' }), pack({ upn: 'v' })]).toEqual(['[1,"b"]', '[2,"u"]', '[2,"v"]']);
      throw new Error('taken back');
    });
    expect(fail).toThrow('taken back');
    inOne(() => expect(unpack(pack({ name: 'n' }))).toEqual({ name: 'n' }))();
    expect([unpack('[1,"c"]'), unpack('[2,"m"]'), pack({ upn: 'w' })]).toEqual([
      { email: 'c' },
      { name: 'm' },
      '[3,"w"]',
    ]);
  });

  it('cause an error without their names, not other values', () => {
    const { unpack } = createValuePacker(openTable());
    expect(() => unpack('[7,"a"]')).toThrow('names');
  });

  it('are found by name in SQL', () => {
    const sqlite = openTable();
    const { pack } = createValuePacker(sqlite);
    const add = sqlite.prepare('INSERT INTO rows VALUES (?)');
    for (const values of [
      { name: 'Ann', office: { country: 'no' } },
      { office: null, name: 'Bo', born_year: 1980 },
      {},
    ])
      add.run(pack(values));
    add.run(null);
    const read = (name: string) =>
      sqlite
        .prepare(`SELECT ${packedValue('body', name)} FROM rows`)
        .pluck()
        .all();
    expect(read('name')).toEqual(['Ann', 'Bo', null, null]);
    expect(read('born_year')).toEqual([null, 1980, null, null]);
    expect(read('office')).toEqual(['{"country":"no"}', null, null, null]);
  });
});

it('stores the label of an object only if its values do not give it, and derives it otherwise', () => {
  const folder = makeFolder();
  const { mirror, close } = openStores(folder, { lockedAt: AT });
  mirror.save([{ ...observedOf('u1', { email: 'a@x.test', name: 'Ann' }), label: 'Ann <a@x.test>', hash: '1' }], 1);
  mirror.save([{ ...observedOf('s1', { role: [] }), entity: 'staffing', label: 'Ann on Bridge' }], 1);
  expect(mirror.get('users', 'u1')?.label).toBe('Ann <a@x.test>');
  expect(mirror.get('staffing', 's1')?.label).toBe('Ann on Bridge');
  // If an answer leaves the name out, the known name is the label.
  mirror.save([{ ...observedOf('u1', { email: 'b@x.test' }), label: 'b@x.test <b@x.test>', hash: '2' }], 1);
  expect(mirror.get('users', 'u1')?.label).toBe('Ann <b@x.test>');
  close();
  const sqlite = new Database(join(folder, 'mirror.db'), { readonly: true });
  expect(sqlite.prepare('SELECT label FROM objects ORDER BY id DESC').pluck().all()).toEqual([null, 'Ann on Bridge']);
  sqlite.close();
});

describe('checking stored values', () => {
  function makeState(): { readonly folder: string; readonly edit: (kind: 'state' | 'mirror', sql: string) => void } {
    const folder = makeFolder();
    const stores = openStores(folder, { lockedAt: AT });
    const shown = [observedOf('u1', { email: 'a@x.test' }), observedOf('u2', { email: 'b@x.test' })];
    stores.mirror.save(
      shown.map((object) => ({ ...object, hash: hashObserved(true, object.values) })),
      1,
    );
    const pair = { entity: 'users', sourceKey: 'E1' } as const;
    stores.links.link({ ...pair, serviceId: 'u1', origin: 'adopted', run: 'r', at: AT });
    const hashes = { desiredHash: 'd', observedHash: 'o', contextHash: 'c' };
    stores.links.agree('users', 'E1', { base: { email: 'a@x.test' }, written: {}, ...hashes });
    stores.close();
    return {
      folder,
      edit(kind, sql) {
        const sqlite = new Database(join(folder, `${kind}.db`));
        sqlite.exec(sql);
        sqlite.close();
      },
    };
  }

  it.each([
    ['no change', 'SELECT 1', null],
    ['a key with another word', "UPDATE object_keys SET value = 'z@x.test' WHERE object = 1", 'objects'],
    ['a key of another object', 'UPDATE object_keys SET object = 2 WHERE object = 1', 'objects'],
    ['an extra key', "INSERT INTO object_keys SELECT kind, 'z@x.test', object FROM object_keys LIMIT 1", 'objects'],
    ['other names', `UPDATE shared_texts SET text = '["upn"]' WHERE text = '["email"]'`, 'objects'],
  ])('finds in mirror.db: %s', async (_, sql, fault) => {
    const { folder, edit } = makeState();
    edit('mirror', sql);
    const found = await checkMirror(folder, LOOK);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toContain(fault);
  });

  it('finds in state.db a base without its names', async () => {
    const { folder, edit } = makeState();
    expect((await checkState(folder, AT)).how).toBe('whole');
    edit('state', 'DELETE FROM shared_texts');
    await expect(checkState(folder, AT)).rejects.toMatchObject({ code: 'SYNC_STATE_DAMAGED' });
  });
});
