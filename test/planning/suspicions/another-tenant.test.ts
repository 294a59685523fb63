import { describe, expect, it } from 'vitest';
import { judgeAnotherTenant } from '../../../src/planning/suspicions/another-tenant.js';
import { countPresent, rememberKnown } from '../../../src/planning/suspicions/known-people.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { evidenceOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { personOf, rowOf } from '../world.js';

interface List {
  /** The number of the ten known people in it. */
  readonly present: number;
  /** The number of other rows. */
  readonly strangers?: number;
  readonly rejected?: number;
  readonly rowsBefore?: number;
  readonly guard?: string;
  readonly knownBefore?: number | null;
}

const KNOWN = Array.from({ length: 10 }, (_, at) => `E${at}`);

function judge({ present, strangers = 0, rejected = 0, rowsBefore = 10, guard, knownBefore = 10 }: List) {
  const stores = openTestStores();
  for (const key of KNOWN) linkTo(stores, 'users', key, observedOf(`u-${key}`, personOf(key)));
  const others = Array.from({ length: strangers }, (_, at) => `X${at}`);
  const rows = [...KNOWN.slice(0, present), ...others];
  stores.work.stage(rows.map((key) => ({ desired: rowOf(key), hash: 'h' })));
  if (knownBefore !== null) rememberKnown(stores, 'users', 'hr', { known: knownBefore, rows: rowsBefore });
  const config = loadSample(
    guard === undefined ? SAMPLE : `${SAMPLE}guards: { sources: { hr: { another_tenant: ${guard} } } }\n`,
  );
  const evidence = evidenceOf({ rows: rows.length + rejected, rejected });
  const steps = judgeAnotherTenant({ entity: 'users', source: 'hr', evidence, config, stores, reads: new Set() });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe("another tenant's list", () => {
  it('is suspected if half of the known people are gone and there are as many rows', () => {
    expect(judge({ present: 5, strangers: 5 })).toEqual({
      ...{ limit: 4, found: 5, cause: "another tenant's file", remedy: 'Check that it is the right file.' },
      detail: '5 of 10 known people are gone, by key and by every entry of `match`, but there are 10 rows (10 before)',
    });
    expect(judge({ present: 0, strangers: 1, rowsBefore: 1 })?.detail).toContain('but there is 1 row (1 before)');
  });

  it.each<readonly [why: string, list: List, isHeld: boolean]>([
    ['more than half are in it', { present: 6, strangers: 9 }, false],
    ['half are in it, and it has half as many rows', { present: 5 }, false],
    ['the same with a few more rows than half of those before', { present: 5, strangers: 1 }, true],
    ['most of the few rows are strangers', { present: 2, strangers: 3 }, true],
    ['as many strangers as known ones in few rows', { present: 2, strangers: 2 }, false],
    ['its unusable rows may be anyone’s', { present: 5, rejected: 5 }, false],
    ['no earlier read is known', { present: 0, strangers: 10, knownBefore: null }, false],
    ['another share is set', { present: 7, strangers: 3, guard: '{ percent: 30 }' }, true],
    ['no more than that share', { present: 8, strangers: 2, guard: '{ percent: 30 }' }, false],
    ['a maximum is set', { present: 7, strangers: 3, guard: '{ max: 2 }' }, true],
    ['a minimum is set', { present: 5, strangers: 5, guard: '{ percent: 30, min: 5 }' }, false],
  ])('is held or not: %s', (_why, list, isHeld) => {
    expect(judge(list) !== null).toBe(isHeld);
  });
});

describe('the known people in a read', () => {
  function count(prepare: (stores: ReturnType<typeof openTestStores>) => void): number {
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', personOf('E1')));
    prepare(stores);
    const steps = countPresent({ entity: 'users', source: 'hr', config: loadSample(), stores });
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }
  const email = { email: 'e1@x.test' };
  const other = { source: 'crm', at: '/crm.csv', line: 2 };

  it.each<readonly [who: string, prepare: (stores: ReturnType<typeof openTestStores>) => void, present: number]>([
    ['nobody', () => undefined, 0],
    ['by the key', ({ work }) => work.stage([{ desired: rowOf('E1'), hash: 'h' }]), 1],
    [
      'by an entry of `match`, under another key',
      ({ work }) => work.stage([{ desired: rowOf('N1', email), hash: 'h' }]),
      1,
    ],
    [
      'once, by several rows',
      ({ work }) => work.stage(['N1', 'N2'].map((key) => ({ desired: rowOf(key, email), hash: 'h' }))),
      1,
    ],
    [
      'both by the key and by the address of another row',
      ({ work }) => work.stage(['E1', 'N1'].map((key) => ({ desired: rowOf(key, email), hash: 'h' }))),
      1,
    ],
    ['in another source', ({ work }) => work.stage([{ desired: rowOf('N1', email, { place: other }), hash: 'h' }]), 0],
    ['a stranger', ({ work }) => work.stage([{ desired: rowOf('N1'), hash: 'h' }]), 0],
    [
      'an inactive account',
      ({ work, mirror }) => {
        mirror.save([observedOf('u1', personOf('E1'), { active: false, hash: 'closed' })], 2);
        work.stage([{ desired: rowOf('N1', email), hash: 'h' }]);
      },
      0,
    ],
    [
      'an account without a link',
      ({ work, mirror }) => {
        mirror.save([observedOf('u2', personOf('E2'))], 1);
        work.stage([{ desired: rowOf('N2', { email: 'e2@x.test' }), hash: 'h' }]);
      },
      0,
    ],
  ])('are counted: %s', (_who, prepare, present) => {
    expect(count(prepare)).toBe(present);
  });
});
