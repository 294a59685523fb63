import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { createRefusedReads } from '../../src/mirror/refused-reads.js';
import { derivePlan, settingsOf } from '../../src/planning/derive-plan.js';
import { CONFIG_FACT, rowsFact } from '../../src/planning/guard-facts.js';
import type { Stores } from '../../src/store/open-stores.js';
import { change, loadSample, SAMPLE } from '../config/sample.js';
import { desiredOf, evidenceOf, linkTo, observedOf, openTestStores } from '../samples.js';
import { contextOf, personOf, readOf, rowOf, stagedOf, type World, withCrm } from './world.js';

const unreadable = new SyncError('SYNC_SOURCE_UNREADABLE', { message: 'no file', remedy: 'Deliver it.' });

async function derive(world: World) {
  const { context, calls } = contextOf(world);
  const derivation = await derivePlan(context);
  const { work } = context.stores;
  const plan = [...work.inOrder('all')].map(({ action, entity, key }) => `${action} ${entity}:${key}`).toSorted();
  return { ...derivation, calls, plan, work, stores: context.stores };
}

/** A person whom an earlier run linked, with the service's values. */
function linked(stores: Stores, key: string, values = personOf(key)): void {
  linkTo(stores, 'users', key, observedOf(`u-${key}`, values));
}

describe('deriving a plan', () => {
  it('compares both sides, and returns the settings of each reconciled entity', async () => {
    const config = loadSample(withCrm(['customers']));
    const customer = desiredOf(
      'C1',
      { external_unique_id: 'C1', customer_name: { en: 'Acme' } },
      { entity: 'customers' },
    );
    const staged = [stagedOf('users', readOf('hr')), stagedOf('customers', readOf('crm.companies'))];
    const { plan, stopped, settingsOf: of } = await derive({ config, staged, rows: [rowOf('E1'), customer] });
    expect(plan).toEqual(['create customers:C1', 'create users:E1']);
    expect(stopped).toEqual([]);
    expect(of('users')).toMatchObject({ entity: 'users', configDigest: config.digest, policy: 'sync' });
    expect(of('offices')).toBeNull();
  });

  it('leaves an entity alone if any of its deciding streams failed', async () => {
    const config = loadSample(withCrm(['customers']));
    const failed = readOf('crm.partners', { evidence: null, error: unreadable });
    const customer = desiredOf('C1', { external_unique_id: 'C1' }, { entity: 'customers' });
    const staged = [stagedOf('users', readOf('hr')), stagedOf('customers', readOf('crm.companies'), failed)];
    const { plan, stopped, settingsOf: of } = await derive({ config, staged, rows: [rowOf('E1'), customer] });
    expect(plan).toEqual(['create users:E1']);
    expect(stopped).toEqual([{ entity: 'customers', error: unreadable }]);
    expect(of('customers')).toBeNull();
  });

  it('asks the service once for objects that no list shows, and not again in a second derivation', async () => {
    const config = loadSample(`${SAMPLE}    tags: { unit: record.dept }\n    cv_tags: { unit: record.dept }\n`);
    const asked = async (serviceRead: boolean) => {
      const stores = openTestStores();
      stores.mirror.save(
        [
          observedOf('g1', { external_unique_id: 'unit' }, { entity: 'tag_categories' }),
          observedOf('t1', { category_id: 'g1', external_unique_id: 'north' }, { entity: 'tags' }),
        ],
        1,
      );
      linked(stores, 'E1', personOf('E1', { default_cv_id: 'cv1' }));
      stores.links.remember('users', 'E1', { tags: { unit: 'north' } });
      // Linked, but no list has shown the account.
      stores.links.link({
        entity: 'users',
        sourceKey: 'E2',
        serviceId: 'u-E2',
        origin: 'created',
        run: 'r1',
        at: '2026-11-20T08:00:00.000Z',
      });
      const rows = [rowOf('E1', { tags: { unit: 'north' } }), rowOf('E2')];
      return (await derive({ config, stores, rows, serviceRead })).calls;
    };
    expect(await asked(false)).toEqual(['cvs.search', 'users.get u-E2']);
    expect(await asked(true)).toEqual([]);
  });

  it('breaks circles of values with the parking address, if there is one', async () => {
    const swapped = (
      config = loadSample(change('  match: [', '  parking_email: "parked-{id}@x.test"\n  match: [')),
    ) => {
      const stores = openTestStores();
      for (const key of ['E1', 'E2']) linked(stores, key);
      const rows = [rowOf('E1', { email: 'e2@x.test' }), rowOf('E2', { email: 'e1@x.test' })];
      return derive({ config, stores, rows });
    };
    const parked = (await swapped()).work;
    const addresses = [...parked.inOrder('all')].map(({ after }) => String(after.email).replace(/u-E\d/, 'ID'));
    expect(addresses.toSorted()).toEqual(['e1@x.test', 'e2@x.test', 'parked-ID@x.test']);
    expect((await swapped(loadSample())).plan).toEqual([]);
  });
});

describe('a suspect source', () => {
  const renamed = (rows: World['rows']) => {
    const stores = openTestStores();
    for (const key of ['007', '008']) linked(stores, key, personOf(key));
    return derive({ stores, rows: rows ?? [] });
  };

  it('is held because of its rows, and nothing is derived from them', async () => {
    const { plan, stopped, leavers, staged } = await renamed([rowOf('7', { email: '007@x.test' }), rowOf('8')]);
    expect(plan).toEqual([]);
    expect(stopped.map(({ entity, error }) => [entity, error.code])).toEqual([['users', 'SYNC_SOURCE_SUSPECT']]);
    expect(stopped[0]?.error.message).toMatch(
      /^The source hr is held: 2 new keys are known keys written differently \(leading zeros, capitals or signs in numbers, as a spreadsheet changes them, or letters that look alike\): "007" is "7" now, "008" is "8" now\. It is pending as sources\.hr\.keys_reformatted:d1\.$/,
    );
    expect(staged[0]?.deciding[0]?.evidence).toBeNull();
    expect(leavers.absent('users', '007').text).toBe('the source was not read');
  });

  it('is held because of its changes: they are withdrawn, and nobody counts as missing', async () => {
    const replaced = { usedAt: '2026-10-20T08:00:00.000Z', at: '2026-11-10T08:00:00.000Z' };
    const old = (more: object) => {
      const stores = openTestStores();
      for (const key of ['E1', 'E2']) linked(stores, key);
      const evidence = evidenceOf({ ...more });
      const rows = [rowOf('E1', {}, { leaver: true }), rowOf('E2', { telephone: '1' })];
      return derive({ stores, rows, staged: [stagedOf('users', readOf('hr', { evidence }))] });
    };
    const fine = await old({});
    expect([fine.plan, fine.stopped]).toEqual([['deactivate users:E1', 'update users:E2'], []]);
    const { plan, stopped, leavers, stores } = await old({ replaced });
    expect(plan).toEqual([]);
    expect(stopped.map(({ error }) => error.trip)).toMatchObject([{ cause: 'older content', found: 1, limit: 0 }]);
    leavers.save({ guards: [], only: null, stopped });
    expect(stores.history.absentKeys('users')).toEqual([]);
  });
});

describe('accounts without an owner', () => {
  const config = loadSample(change('  match: [', '  unowned: report\n  match: ['));
  const told = async (world: World, prepare: (stores: Stores) => void = () => undefined) => {
    const stores = openTestStores();
    stores.mirror.save([observedOf('u9', personOf('E9'), { label: 'Eve' })], 1);
    prepare(stores);
    const { work } = await derive({ config, stores, ...world });
    return [...work.holds()].filter(({ code }) => code === 'SYNC_ACCOUNT_UNOWNED').map(({ reason }) => reason);
  };
  const read = (more: object) => [stagedOf('users', readOf('hr', { evidence: evidenceOf(more) }))];

  it('are reported if the complete account and every row were seen', async () => {
    expect(await told({ staged: read({ rows: 1 }) })).toEqual([
      'Eve (u9): talent-sync neither created nor adopted it, and none of the 1 row of hr matches it.',
    ]);
    expect((await told({}))[0]).toContain('none of the 100 rows of hr matches it');
  });

  it.each<readonly [why: string, world: World, prepare: (stores: Stores) => void]>([
    ['the account was not read completely', { usersFresh: false }, () => undefined],
    ['the source was not read completely', { staged: read({ complete: false }) }, () => undefined],
    [
      'an unusable row may be theirs',
      {},
      ({ work }) =>
        work.stageUnused({ entity: 'users', key: 'E5', source: 'hr', place: rowOf('E5').place, state: 'held' }),
    ],
  ])('are not reported if %s', async (_why, world, prepare) => {
    expect(await told(world, prepare)).toEqual([]);
  });
});

describe('several deciding reads', () => {
  const config = loadSample(withCrm(['customers']));
  const of = (companies: object, partners: object) =>
    stagedOf(
      'customers',
      readOf('crm.companies', { evidence: evidenceOf({ source: 'crm.companies', rows: 3, ...companies }) }),
      readOf('crm.partners', { evidence: evidenceOf({ source: 'crm.partners', rows: 4, ...partners }) }),
    );
  const missing = async (customers: World['staged']) => {
    const { leavers } = await derive({ config, staged: [stagedOf('users', readOf('hr')), ...(customers ?? [])] });
    return leavers.absent('customers', 'C9').text;
  };

  it('prove an absence only if all of them are complete', async () => {
    expect(await missing([of({}, {})])).toBe(
      'missing from 1 complete read of crm.companies and crm.partners, the last one employees-1.csv with 7 rows',
    );
    expect(await missing([of({}, { complete: false, incompleteBecause: 'it is cut' })])).toBe('not proven: it is cut');
    expect(await missing([])).toBe('the source was not read');
  });

  it('are added up when a guard compares them with earlier reads', async () => {
    const stores = openTestStores();
    const { evidenceOf: causesOf } = await derive({ config, stores, staged: [of({}, {})] });
    expect(causesOf('customers')).toEqual({ configurationChanged: false, rowsBefore: null, rowsNow: 7 });
    stores.history.setFact(rowsFact('crm.companies'), '30');
    expect(causesOf('customers').rowsBefore).toBeNull();
    stores.history.setFact(rowsFact('crm.partners'), '40');
    stores.history.setFact(CONFIG_FACT, 'another');
    expect(causesOf('customers')).toEqual({ configurationChanged: true, rowsBefore: 70, rowsNow: 7 });
    stores.history.setFact(CONFIG_FACT, config.digest);
    expect(causesOf('customers').configurationChanged).toBe(false);
    expect(causesOf('users')).toEqual({ configurationChanged: false, rowsBefore: null, rowsNow: 0 });
  });

  it('report why they are not complete', async () => {
    const why = async (companies: object, partners: object) =>
      (await derive({ config, staged: [of(companies, partners)] })).evidenceOf('customers').notWhole;
    const cut = { complete: false, incompleteBecause: 'it is cut' };
    expect(await why(cut, { complete: false })).toBe('crm.companies: it is cut; crm.partners: the reason is unknown');
    expect(await why({}, { complete: false, partial: true })).toBe('crm.partners delivered only its changes');
    expect(await why({}, {})).toBeUndefined();
  });
});

describe('the context of an agreed pair', () => {
  const TAGS = `${SAMPLE}    tags: { unit: record.dept }\n`;
  const hash = async (text: string, office = 'Oslo', of: 'users' | 'customers' = 'users') => {
    const mirror = [observedOf('o2', { country: 'no', name: office }, { entity: 'offices' })];
    return (await derive({ config: loadSample(text), mirror, staged: [] })).contextOf(of);
  };

  it.each<readonly [what: string, text: string, of: 'users' | 'customers', moves: boolean]>([
    ['people, who have offices', SAMPLE, 'users', true],
    ['customers, who name none', withCrm(['customers']), 'customers', false],
    [
      'customers with tags',
      change('industry: record.id }', 'tags: { segment: record.id } }', withCrm(['customers'])),
      'customers',
      true,
    ],
  ])('changes with offices and tags if these can be named: %s', async (_what, text, of, moves) => {
    expect((await hash(text, 'Bergen', of)) !== (await hash(text, 'Oslo', of))).toBe(moves);
  });

  it('does not depend on expressions, but on matching, policy and protection', async () => {
    const before = await hash(TAGS);
    expect(await hash(change('record.?phone', 'record.?dept', TAGS))).toBe(before);
    for (const [piece, by] of [
      ['match: [external_unique_id, email]', 'match: [email]'],
      ['policy: sync', 'policy: create-only'],
      ['  match: [', '  protect: [user.email == "boss@x.test"]\n  match: ['],
    ] as const)
      expect(await hash(change(piece, by, TAGS)), by).not.toBe(before);
  });
});

describe('settingsOf', () => {
  it('removes nothing of an unmapped entity', () => {
    const config = loadSample();
    expect(settingsOf(config, 'customers', createRefusedReads(), new Set(['x']))).toMatchObject({
      ...{ entity: 'customers', configDigest: config.digest, match: [], rules: {}, writeBack: [] },
      ...{ removes: false, outOfScope: 'keep', unowned: 'keep', relinkWithinMs: null, purgeAfterMs: null },
      ...{ unread: new Set(), remapped: new Set(['x']) },
    });
    expect(settingsOf(config, 'users', createRefusedReads(), new Set())).toMatchObject({
      ...{ removes: true, relinkWithinMs: 180 * 86_400_000, createMissingOffices: false, parkingEmail: null },
    });
  });
});
