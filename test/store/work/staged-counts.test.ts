import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { hashDesired } from '../../../src/store/hash-observed.js';
import { tries } from '../../depth.js';
import { desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** One key: its row, its link, its object, and if the pair was found equal. */
const record = fc.record({
  row: fc.constantFrom('none', 'here', 'held'),
  isLinked: fc.boolean(),
  object: fc.constantFrom('none', 'active', 'inactive'),
  isAgreed: fc.boolean(),
});

it('counts linked objects from changed rows as from all of them', () => {
  fc.assert(
    fc.property(fc.tuple(...KEYS.map(() => record)), (records) => {
      const stores = openTestStores();
      const { work, links, mirror } = stores;
      for (const [at, { row, isLinked, object, isAgreed }] of records.entries()) {
        const [key, id] = [KEYS[at] ?? '', `u${at}`];
        const observed = observedOf(id, { name: key }, { active: object !== 'inactive' });
        if (isLinked) linkTo(stores, 'users', key, observed);
        if (object === 'none') mirror.remove('users', [id]);
        const place = { source: 'hr', at: '/f.csv', line: at + 2 };
        const hash = hashDesired(false, { name: key });
        if (row === 'here') work.stage([{ desired: desiredOf(key, { name: key }, { place }), hash }]);
        if (row === 'held') work.stageUnused({ entity: 'users', key, source: 'hr', place, state: 'held' });
        if (!isLinked || !isAgreed) continue;
        const equal = { desiredHash: hash, observedHash: observed.hash, contextHash: 'c' };
        links.agree('users', key, { base: {}, written: {}, ...equal });
      }
      // From here on the context is known.
      for (const _candidate of work.candidates('users', 'c'));
      const countOf = (isCounted: (one: (typeof records)[number]) => boolean): number =>
        records.filter((one) => one.isLinked && isCounted(one)).length;
      const expected = {
        active: countOf(({ object }) => object === 'active'),
        present: countOf(({ row, object }) => row !== 'none' && object !== 'inactive'),
      };
      const counts = () => ({ active: work.linkedActive('users'), present: work.linkedPresent('users', 'hr') });
      expect(counts()).toEqual(expected);
      for (const _step of stores.settlePending());
      expect(counts()).toEqual(expected);
    }),
    { numRuns: tries(100) },
  );
});

it('answers the questions of every run with the few rows they concern', () => {
  const { work } = openTestStores();
  const place = { source: 'hr', at: '/f.csv', line: 2 };
  work.stage([{ desired: desiredOf('a', {}, { place }), hash: 'h' }]);
  work.forgetUnseen('users', ['hr'], []);
  const asked = vi.spyOn(Database.prototype, 'prepare');
  try {
    work.linkedPresent('users', 'hr');
    work.duplicates('users');
    const plans = asked.mock.calls.map(([sql], at) => {
      const explained = `EXPLAIN QUERY PLAN ${sql.replaceAll(/\$\w+/g, "'x'")}`;
      const connection = asked.mock.contexts[at] as Database.Database;
      return connection
        .prepare<[], { detail: string }>(explained)
        .all()
        .map(({ detail }) => detail);
    });
    expect(plans.flat()).toContain('SEARCH s USING COVERING INDEX staged_key (entity=?)');
    expect(plans.flat().filter((step) => step.endsWith('USING INDEX staged_key (entity=?)'))).toEqual([]);
  } finally {
    asked.mockRestore();
  }
});
