import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.js';
import { IMPORT_STEP } from '../../src/model/plan.js';
import { planBulkLoad } from '../../src/planning/plan-bulk-load.js';
import { change, loadSample, SAMPLE } from '../config/sample.js';
import { changeOf, observedOf, openTestStores } from '../samples.js';

function configOf(missing: 'keep' | 'deactivate' | 'remove', from: number): Config {
  return loadSample(
    change(
      '  scope: record.dept != "x"',
      `  scope: record.dept != "x"\n  bulk_load: { setting: hr, missing: ${missing}, from: ${from} }`,
    ),
  );
}

interface World {
  readonly missing?: 'keep' | 'deactivate' | 'remove';
  readonly from?: number;
  /** Joiners that fit into the file. */
  readonly fit?: number;
  /** Joiners with a CV field, which takes a call. */
  readonly onCv?: number;
  readonly there?: number;
  readonly usersFresh?: boolean;
  readonly more?: (stores: ReturnType<typeof openTestStores>) => void;
}

function plan({ missing = 'keep', from = 2, fit = 0, onCv = 0, there = 0, usersFresh = true, more }: World) {
  const stores = openTestStores();
  const named = (key: string) => ({
    email: `${key}@x.test`,
    external_unique_id: key,
    office: { country: 'no', name: 'Oslo' },
  });
  for (let at = 0; at < there; at++) stores.mirror.save([observedOf(`u${at}`, {}, { label: `U${at}` })], 1);
  const create = (key: string, after: object) =>
    stores.work.plan(
      changeOf('users', key, {
        label: `L${key}`,
        after: { ...named(key), ...after },
        fields: Object.keys({ ...named(key), ...after }),
      }),
    );
  for (let at = 0; at < fit; at++) create(`F${at}`, {});
  for (let at = 0; at < onCv; at++) create(`C${at}`, { place_of_residence: { en: 'Oslo' } });
  more?.(stores);
  const found = planBulkLoad(configOf(missing, from), stores, usersFresh);
  const byFile = [...stores.work.inOrder('all')].filter(({ batch }) => batch === 'import:hr').map(({ key }) => key);
  return { found, byFile: byFile.toSorted() };
}

const update = (key: string, more: object) =>
  changeOf('users', key, { action: 'update', target: `t-${key}`, fields: ['name'], ...more });

describe('people who are imported', () => {
  it('are none without configuration, or if they are too few', () => {
    const stores = openTestStores();
    expect(planBulkLoad(loadSample(SAMPLE), stores, true)).toBeNull();
    expect(plan({ fit: 3, from: 0 }).found).toBeNull();
    expect(plan({ fit: 1 }).found).toBeNull();
    expect(plan({ fit: 1, more: ({ work }) => work.plan(update('E1', {})) }).found).toBeNull();
    expect(plan({ fit: 1, more: ({ work }) => work.plan(changeOf('customers', 'C1')) }).found).toBeNull();
  });

  it('are all who fit completely into the file, as one batch', () => {
    const { found, byFile } = plan({ fit: 2 });
    expect(byFile).toEqual(['F0', 'F1']);
    expect(found).toEqual({
      ...{ batch: 'import:hr', people: 2, singly: [], refused: null },
      calls: { 'POST /api/v1/users/import/csv/{config_name}': 2, 'GET /api/v2/users/search': 1 },
    });
  });

  it('exclude those who need single calls, listed by reason with three examples', () => {
    const { found, byFile } = plan({ fit: 2, onCv: 4 });
    expect(byFile).toEqual(['F0', 'F1']);
    expect(found).toMatchObject({
      people: 2,
      singly: [
        {
          reason: 'place_of_residence: it is set on the CV, which needs a call',
          people: 4,
          examples: ['LC0', 'LC1', 'LC2'],
        },
      ],
    });
  });

  it('are none if too few of many fit', () => {
    const { found, byFile } = plan({ fit: 1, onCv: 1 });
    expect(byFile).toEqual([]);
    expect(found).toMatchObject({
      people: 0,
      calls: {},
      refused: '1 of 2 people can be imported by file, but `users.bulk_load.from` is 2',
    });
  });

  it('exclude those whom an import failed to create, and those who need values of others', () => {
    const { found } = plan({
      fit: 2,
      more({ work, journal }) {
        const { stage: _stage, ...lost } = { ...changeOf('users', 'L1'), stage: 1 };
        const [seq = 0] = journal.intend([
          { run: 'r0', change: lost, step: IMPORT_STEP, at: '2026-11-20T08:00:00.000Z' },
        ]);
        journal.settle(seq, {
          status: 'lost',
          at: '2026-11-20T08:00:00.000Z',
          requestId: null,
          httpStatus: null,
          error: 'x',
        } as never);
        work.plan({ ...lost, label: 'Lost' });
        work.plan(update('E1', {}));
        work.plan(changeOf('users', 'N1', { label: 'Needs', needs: ['users:E1'] }));
      },
    });
    expect(found?.singly).toEqual([
      { reason: 'an earlier import did not create them', people: 1, examples: ['Lost'] },
      { reason: 'another person must give up a value first', people: 1, examples: ['Needs'] },
    ]);
  });

  it('are read until all have arrived, and once before if nobody was read', () => {
    const reads = (world: World) => plan({ fit: 2, ...world }).found?.calls['GET /api/v2/users/search'];
    expect([reads({}), reads({ usersFresh: false })]).toEqual([1, 2]);
    expect([reads({ there: 497 }), reads({ there: 498 }), reads({ there: 500, usersFresh: false })]).toEqual([1, 2, 4]);
  });
});

describe('people whom an import may harm', () => {
  const harm = (world: World): string | null => plan({ fit: 2, ...world }).found?.refused ?? null;
  const does = (missing: string): string => `the import setting "hr" ${missing}s people who are not in the file`;

  it('are none if the setting keeps people, or if nobody is in the service', () => {
    expect(harm({ there: 5 })).toBeNull();
    expect(harm({ missing: 'deactivate' })).toBeNull();
    expect(harm({ missing: 'remove' })).toBeNull();
  });

  it('are those in the service, with up to three names', () => {
    expect(harm({ missing: 'deactivate', there: 3 })).toBe(`${does('deactivate')}: 3 in the service (U0, U1, U2)`);
    expect(harm({ missing: 'remove', there: 4 })).toBe(`${does('remove')}: 4 in the service (U0, U1, U2, …)`);
  });

  it('include inactive and external people only if the setting removes people', () => {
    const more: World['more'] = ({ mirror }) =>
      mirror.save(
        [
          observedOf('o1', {}, { active: false, label: 'Out' }),
          observedOf('o2', { role: 'external' }, { label: 'Ext' }),
        ],
        1,
      );
    expect(harm({ missing: 'deactivate', more })).toBeNull();
    expect(harm({ missing: 'remove', more })).toBe(`${does('remove')}: 2 in the service (Out, Ext)`);
  });

  it('include those whom this plan creates by single calls or reactivates', () => {
    const more: World['more'] = ({ work }) => work.plan(update('E1', { action: 'reactivate' }));
    expect(harm({ missing: 'deactivate', onCv: 1, more })).toBe(
      `${does('deactivate')}: 1 whom this plan creates by single calls, 1 whom this plan reactivates`,
    );
  });

  it('are unknown if nobody was read', () => {
    expect(harm({ missing: 'remove', usersFresh: false })).toBe(
      `${does('remove')}, and this run has not read everyone: run with --full`,
    );
  });
});
