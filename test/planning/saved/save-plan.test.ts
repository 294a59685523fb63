import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DueDelivery } from '../../../src/model/delivery.js';
import type { DerivedRun } from '../../../src/planning/derived-run.js';
import { readWaitingPlan } from '../../../src/planning/holds/record-waiting.js';
import { openPlanDocument } from '../../../src/planning/saved/plan-document.js';
import { plansFolder, savePlan } from '../../../src/planning/saved/save-plan.js';
import { readHeldSources } from '../../../src/planning/suspicions/hold-sources.js';
import { loadSample } from '../../config/sample.js';
import { changeOf, desiredOf, makeFolder, observedOf, openTestStores } from '../../samples.js';
import { NOW, readOf, stagedOf } from '../world.js';

interface Asked {
  readonly derived?: Partial<DerivedRun>;
  readonly due?: readonly Partial<DueDelivery>[];
  readonly by?: 'plan' | 'run';
  readonly signal?: AbortSignal;
}

function open() {
  const stores = openTestStores();
  const config = { ...loadSample(), state: makeFolder() };
  const staged = [stagedOf('users', readOf('hr'))];
  const save = ({ derived = {}, due = [], by = 'plan', signal }: Asked = {}) =>
    savePlan(
      {
        ...{ config, stores, clock: { now: () => Date.parse(NOW), sleep: async () => undefined } },
        asOf: null,
        callsToSource: (source, records) => ({ [`PATCH ${source}`]: records }),
        refreshContext: { signal },
      },
      {
        ...{
          now: NOW,
          staged,
          stopped: [],
          unread: [],
          guards: [],
          bulkLoad: null,
          mapped: null,
          only: null,
          undoes: null,
        },
        ...{
          told: { staged, stopped: [], unread: [] },
          passed: [],
          leavers: { proof: () => null },
          mirrorRead: { users: 'feed' },
        },
        ...derived,
      } as unknown as DerivedRun,
      by,
      {
        due: due as readonly DueDelivery[],
        callsOf: ({ action }) => (action === 'create' ? ['POST /users'] : ['GET /users/{id}', 'PUT /users/{id}']),
      },
    );
  return { stores, config, save };
}

describe('a saved plan', () => {
  it('reports its changes, their cost and what is pending, as its file does', async () => {
    const { stores, config, save } = open();
    stores.work.plan(changeOf('users', 'E1'));
    stores.work.plan(changeOf('users', 'E2', { action: 'update', target: 'u2' }));
    stores.work.plan(changeOf('users', 'E3'));
    stores.work.withholdRefs(['users:E3'], 'users.create');
    stores.work.hold({ entity: 'users', key: 'E4', place: 'p', code: 'SYNC_MAP_VALUE', reason: 'r', remedy: 'm' });
    const head = await save();
    expect(head.plan).toMatch(/^p20261120T120000000Z-[0-9a-f]{6}$/);
    expect(head.summary).toMatchObject({
      ...{ counts: { users: { create: 2, update: 1 } }, held: 1, waiting: 1, adoption: null, nearMisses: [] },
      cost: { writes: 2, reads: 1, by_endpoint: { 'GET /users/{id}': 1, 'POST /users': 1, 'PUT /users/{id}': 1 } },
    });
    expect(head.summary.cost).not.toHaveProperty('sources');
    const plan = await openPlanDocument(head.file, stores.planKey());
    expect([plan.fingerprint, plan.counts, plan.cost]).toEqual([
      head.fingerprint,
      head.summary.counts,
      head.summary.cost,
    ]);
    expect(plan.meta).toEqual({
      ...{ plan: head.plan, created: head.created, expires: head.expires, config: head.config },
      ...{ mirror: 'feed', reads: { hr: '2026-11-20T08:00:00.000Z' } },
    });
    expect(readdirSync(plansFolder(config))).toEqual([`${head.plan}.json`]);
    expect((await save({ by: 'run' })).plan).toMatch(/-run$/);
  });

  it('includes the cost of write-back and deliveries', async () => {
    const { stores, save } = open();
    const back = { entity: 'users', label: 'x', place: 'p', cells: [], reason: 'r', needs: [] } as const;
    for (const key of ['E1', 'E2'])
      stores.work.planWriteBack({ ...back, id: `b-${key}`, source: 'hr', record: key, key }, false);
    const due = [
      { calls: { 'POST /report': 1 }, documents: { seconds: 70 } },
      { calls: { 'GET /download': 2 } },
      { calls: {}, documents: { seconds: 20 } },
    ] as unknown as readonly DueDelivery[];
    const bulkLoad = { calls: { 'POST /import': 2 } } as unknown as DerivedRun['bulkLoad'];
    const { cost, deliveries, toSources } = (await save({ due, derived: { bulkLoad } })).summary;
    expect(cost).toMatchObject({ writes: 2, reads: 3, seconds: 90, sources: { hr: { 'PATCH hr': 2 } } });
    expect(deliveries).toEqual(due);
    expect(toSources.hr).toMatchObject({ records: 2 });
  });

  const trip = {
    guard: 'sources.hr.older_content:1',
    limit: 0,
    found: 1,
    held: 1,
    cause: 'older content',
    detail: 'x',
  } as const;
  const held = [stagedOf('users', readOf('hr', { evidence: null, error: { trip } as never }))];

  it('is remembered and reports the first contact if it covers everybody', async () => {
    const { stores, save } = open();
    stores.mirror.save([observedOf('u1')], 1);
    stores.work.stage([{ desired: desiredOf('E1'), hash: 'h' }]);
    stores.work.adopt('users', 'E1', 'u1', 'email');
    for (const record of ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'])
      stores.work.echo({ source: 'hr', record, column: 'phone' }, record !== 'E2', null);
    const head = await save({ derived: { staged: held } });
    expect(head.summary.adoption).toMatchObject([{ entity: 'users', matched: { email: 1 } }]);
    expect(head.summary.nearMisses).toEqual([
      { source: 'hr', column: 'phone', records: 5, examples: ['E1', 'E3', 'E4', 'E5', 'E6'] },
    ]);
    expect(readHeldSources(stores)).toEqual([trip]);
    expect(readWaitingPlan(stores)).toBe(head.plan);
  });

  it.each<readonly [of: string, derived: Partial<DerivedRun>]>([
    ['one object', { only: 'user:E1' }],
    ['an undo', { undoes: { run: 'r1', reason: '' } }],
  ])('for %s says nothing about the others', async (_of, derived) => {
    const { stores, save } = open();
    await save({ derived: { staged: held, ...derived } });
    expect(readHeldSources(stores)).toEqual([]);
    expect(readWaitingPlan(stores)).toBeNull();
  });

  it('says nothing about the first contact if it covers one object', async () => {
    const { stores, save } = open();
    stores.work.adopt('users', 'E1', 'u1', 'email');
    stores.work.echo({ source: 'hr', record: 'E1', column: 'phone' }, true, null);
    expect((await save({ derived: { only: 'user:E1' } })).summary).toMatchObject({ adoption: null, nearMisses: [] });
  });

  it('gives each tripped guard an id by which it is acknowledged', async () => {
    const { save } = open();
    const [first] = (await save({ derived: { guards: [trip] } })).summary.guards;
    const [again] = (await save({ derived: { guards: [trip] } })).summary.guards;
    expect(first).toMatchObject({ ...trip, id: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(again?.id).toBe(first?.id);
  });
});
