import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import type { Place } from '../../../src/model/place.js';
import type { StagedRow, UnusedRow } from '../../../src/store/work/staged-rows.js';
import { desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';

function row(
  key: string,
  values: Values = {},
  more: { source?: string; preference?: number | string; line?: number; leaver?: boolean } = {},
): StagedRow {
  const place = { source: more.source ?? 'hr', at: '/f.csv', line: more.line ?? 2 };
  const desired = desiredOf(key, values, { place, preference: more.preference ?? null, leaver: more.leaver ?? false });
  return { desired, hash: `hash of ${JSON.stringify(values)}` };
}

function unused(key: string, state: UnusedRow['state'], more: { source?: string; line?: number } = {}): UnusedRow {
  const source = more.source ?? 'hr';
  return { entity: 'users', key, source, state, place: { source, at: '/f.csv', line: more.line ?? 2 } };
}

function staged(rows: readonly StagedRow[]) {
  const { work } = openTestStores();
  work.stage(rows);
  const used = [...work.candidates('users', 'c')].map(({ desired }) => [desired.key, desired.values.name]);
  return {
    work,
    used,
    doubles: work.duplicates('users').map(({ key, places }) => [key, places.map(({ line }) => line)]),
  };
}

it('stages rows that were looked up together like any others', () => {
  const { work } = openTestStores();
  const rows = ['a', 'b', 'a', 'half\ud800'].map((key, at) => row(key, { name: `${at}` }, { line: at + 2 }));
  for (const _run of ['first', 'second']) {
    work.reset();
    work.lookAhead(
      'users',
      rows.map(({ desired }) => desired),
    );
    work.stage(rows);
    expect([...work.candidates('users', 'c')].map(({ desired }) => desired.values.name)).toEqual(['1', '3']);
    expect(work.duplicates('users').map(({ places }) => places.map(({ line }) => line))).toEqual([[2, 4]]);
  }
});

describe('staging several rows of one key', () => {
  it('uses none from one stream without a preference, and reports every place', () => {
    const { used, doubles } = staged([
      row('a', { name: '1' }),
      row('b', { name: '2' }),
      row('a', { name: '3' }, { line: 5 }),
      row('a', { name: '4' }, { line: 9 }),
    ]);
    expect(used).toEqual([['b', '2']]);
    expect(doubles).toEqual([['a', [2, 5, 9]]]);
  });

  it('uses the one with the greatest preference in any order, and none of two equal ones', () => {
    const [low, high] = [row('a', { name: 'low' }, { preference: 1 }), row('a', { name: 'high' }, { preference: 2 })];
    expect(staged([low, high]).used).toEqual([['a', 'high']]);
    expect(staged([high, low]).used).toEqual([['a', 'high']]);
    const highToo = row('a', { name: 'as high' }, { preference: 2, line: 7 });
    expect(staged([low, high, highToo]).used).toEqual([]);
    expect(staged([low, high, high]).used).toEqual([['a', 'high']]);
    expect(staged([low, low, high]).used).toEqual([['a', 'high']]);
    expect(
      staged([
        row('a', { name: 'x' }, { preference: '2025-01-01' }),
        row('a', { name: 'y' }, { preference: '2025-06-01' }),
      ]).used,
    ).toEqual([['a', 'y']]);
  });

  it('reports a leaver and an active person with the same key as duplicates', () => {
    expect(staged([row('a'), row('a', {}, { leaver: true })]).doubles.length).toBe(1);
  });

  it('uses the first stream that has the key, and reports no duplicate', () => {
    const { used, doubles } = staged([
      row('a', { name: 'first' }),
      row('a', { name: 'second' }, { source: 'other' }),
      row('b', { name: 'own' }, { source: 'other' }),
    ]);
    expect(used).toEqual([
      ['a', 'first'],
      ['b', 'own'],
    ]);
    expect(doubles).toEqual([]);
  });

  it('drops a good row next to a held or filtered one of the same stream, but ignores one of another stream', () => {
    for (const state of ['held', 'out'] as const) {
      const { work } = openTestStores();
      work.stage([row('a'), row('b')]);
      work.stageUnused(unused('a', state, { line: 7 }));
      work.stageUnused(unused('b', state, { source: 'other', line: 8 }));
      expect([...work.candidates('users', 'c')].map(({ desired }) => desired.key)).toEqual(['b']);
      expect(work.duplicates('users').map(({ key }) => key)).toEqual(['a']);
    }
    const { work } = openTestStores();
    work.stageUnused(unused('a', 'held'));
    work.stage([row('a', {}, { preference: 9 })]);
    expect([...work.candidates('users', 'c')]).toEqual([]);
  });

  it('counts a row in any state for its person', () => {
    const { work } = openTestStores();
    work.stage([row('desired')]);
    work.stageUnused(unused('held', 'held'));
    work.stageUnused(unused('out', 'out'));
    expect(['desired', 'held', 'out', 'nobody'].map((key) => work.isStaged('users', key))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('counts an unusable row for a linked person without another row, by key or e-mail', () => {
    const stores = openTestStores();
    const { work } = stores;
    linkTo(stores, 'users', 'known', observedOf('u1', { email: 'known@x.test', born_year: 1980 }));
    linkTo(stores, 'users', 'here', observedOf('u2', { email: 'here@x.test' }));
    work.stage([row('here')]);
    work.stageUnused(unused('known', 'held'));
    const standsFor = (...cells: readonly string[]): boolean => work.standsForLinked('users', cells);
    expect([standsFor('x', ' known '), standsFor('K', 'KNOWN@x.test')]).toEqual([true, true]);
    expect([standsFor('here', 'here@x.test'), standsFor('1980'), standsFor('stranger')]).toEqual([false, false, false]);
  });

  it('finds the only enriching row of a join key, or the one of the highest rank, but none of two equal ones', () => {
    const { work } = openTestStores();
    const stage = (key: string, ranks: readonly (number | string | null)[]): void => {
      for (const rank of ranks) work.stageEnriching('idp', key, { body: `of ${rank}`, rank, place: `p${rank}` });
    };
    stage('one', [null]);
    stage('two', [null, null]);
    stage('ranked', [1, 3, 2]);
    stage('equal', [3, 3, 1]);
    stage('settled', [3, 3, 4]);
    stage('unknown', [3, null]);
    expect(['one', 'two', 'ranked', 'equal', 'settled', 'unknown'].map((key) => work.enriching('idp', key))).toEqual([
      ...['of null', 'ambiguous', 'of 3', 'ambiguous', 'of 4', 'ambiguous'],
    ]);
    expect(work.ambiguousJoins('idp')).toMatchObject([{ place: 'p3 and p3' }, {}, {}]);
    expect(work.enriching('other', 'one')).toBeNull();
  });
});

describe('candidates', () => {
  function agreedPair(key: string, id: string, values: Values) {
    const object = observedOf(id, values);
    return { key, object, record: row(key, values) };
  }

  it('are unlinked records, those without an object, and those with a changed hash, but not the agreed ones', () => {
    const stores = openTestStores();
    const pairs = ['same', 'source', 'service', 'context'].map((key, i) => agreedPair(key, `u${i}`, { name: key }));
    for (const { key, object, record } of pairs) {
      linkTo(stores, 'users', key, object);
      const contextHash = key === 'context' ? 'old' : 'now';
      stores.links.agree('users', key, {
        base: { name: key },
        written: {},
        desiredHash: record.hash,
        observedHash: object.hash,
        contextHash,
      });
    }
    linkTo(stores, 'users', 'never agreed', observedOf('u8'));
    linkTo(stores, 'users', 'gone', observedOf('u9'));
    stores.mirror.remove('users', ['u9']);
    stores.mirror.save([observedOf('u2', { name: 'moved' }, { hash: 'moved' })], 1);
    stores.work.stage([
      ...pairs.map(({ key, record }) => (key === 'source' ? row(key, { name: 'moved' }) : record)),
      row('never agreed'),
      row('gone'),
      row('new'),
    ]);
    const found = [...stores.work.candidates('users', 'now')];
    expect(
      found.map(({ desired, linkedId, sourceUnchanged, base }) => [desired.key, linkedId, sourceUnchanged, base]),
    ).toEqual([
      ['context', 'u3', true, { name: 'context' }],
      ['gone', 'u9', false, null],
      ['never agreed', 'u8', false, null],
      ['new', null, false, null],
      ['service', 'u2', true, { name: 'service' }],
      ['source', 'u1', false, { name: 'source' }],
    ]);
    expect(stores.work.linkedActive('users')).toBe(5);
  });

  it('come page by page, in the order of their keys', () => {
    const { work } = openTestStores();
    const keys = Array.from({ length: 1001 }, (_, index) => `E${9999 - index}`);
    work.stage(keys.map((key) => row(key)));
    const found: string[] = [];
    for (const { desired } of work.candidates('users', 'c')) {
      found.push(desired.key);
      // No statement is open in between, which would block the write.
      work.unplan(`users:${desired.key}`);
    }
    expect(found).toEqual(keys.toReversed());
  });

  it('lists links of active objects that no row names as missing', () => {
    const stores = openTestStores();
    for (const key of ['a', 'b', 'c', 'd'])
      linkTo(stores, 'users', key, observedOf(`u-${key}`, {}, { active: key !== 'd' }));
    stores.work.stage([row('a')]);
    stores.work.stageUnused(unused('b', 'held'));
    expect([...stores.work.missing('users')]).toEqual([{ key: 'c', id: 'u-c' }]);
  });
});

describe('rows deleted in the source', () => {
  const place: Place = { source: 'hr', at: 'Users/1' };

  it('are reported for links with an active object', () => {
    const stores = openTestStores();
    linkTo(stores, 'users', 'a', observedOf('u1', {}));
    stores.work.stageGone('users', [
      { key: 'a', place },
      { key: 'nobody', place },
    ]);
    expect([...stores.work.gone('users')]).toEqual([{ key: 'a', id: 'u1', place }]);
    expect([...stores.work.missing('users')]).toEqual([]);
    expect([stores.work.isStaged('users', 'a'), stores.work.stagedByKey('users', 'a')?.state]).toEqual([false, 'gone']);
  });

  it('give way to an existing row, whichever came first', () => {
    for (const order of ['gone first', 'gone last']) {
      const { work } = openTestStores();
      if (order === 'gone first')
        work.stageGone('users', [
          { key: 'a', place },
          { key: 'h', place },
        ]);
      work.stage([row('a', { name: 'back' })]);
      work.stageUnused({ entity: 'users', key: 'h', source: 'hr', place, state: 'held' });
      if (order === 'gone last')
        work.stageGone('users', [
          { key: 'a', place },
          { key: 'h', place },
        ]);
      expect(work.stagedByKey('users', 'a')?.desired?.values.name).toBe('back');
      expect(work.stagedByKey('users', 'h')?.state).toBe('held');
      expect(work.duplicates('users')).toEqual([]);
    }
  });
});
