import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import type { GuardTrip } from '../../src/model/plan.js';
import { findKeys, keepOnly, parseSelector } from '../../src/planning/only.js';
import type { Stores } from '../../src/store/open-stores.js';
import { loadSample } from '../config/sample.js';
import { catchError, changeOf, evidenceOf, linkTo, observedOf, openTestStores } from '../samples.js';
import { personOf, readOf, rowOf, stagedOf, withCrm } from './world.js';

describe('selecting an object', () => {
  it('accepts a kind in several words', () => {
    expect(parseSelector('Tag category:unit', '--only').entity).toBe('tag_categories');
    expect(catchError(() => parseSelector('person:jane', '--only'))).toMatchObject({
      ...{ code: 'SYNC_CLI_USAGE', message: '"person:jane" names no object.', place: '--only' },
      remedy: expect.stringMatching(/^Write kind and key.*user, /),
    });
  });

  it('finds records by key, and objects by their identifiers', () => {
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', personOf('E1', { upn: 'jane', name: 'Jane Doe' })));
    stores.mirror.save([observedOf('u2', personOf('E2'))], 1);
    stores.work.stage([{ desired: rowOf('E3', { email: 'new@x.test' }), hash: 'h' }]);
    const keys = (words: string) => findKeys(stores, 'users', words);
    for (const words of ['e1@x.test', 'e1', 'jane', 'jane doe'])
      expect(keys(words), words).toEqual({ keys: ['E1'], inService: true, unlinked: null });
    for (const words of ['e3', 'new@x.test']) expect(keys(words).keys, words).toEqual(['E3']);
    expect(keys('e2@x.test')).toEqual({ keys: [], inService: true, unlinked: null });
    expect(keys('nobody')).toEqual({ keys: [], inService: false, unlinked: null });
  });

  it('finds an office without a source by its name, and every one if several share it', () => {
    const stores = openTestStores();
    const office = (id: string, country: string, name: string) =>
      observedOf(id, { country, name }, { entity: 'offices' });
    stores.mirror.save([office('o1', 'no', 'Oslo'), office('o2', 'no', 'Lund'), office('o3', 'se', 'Lund')], 1);
    expect(findKeys(stores, 'offices', 'oslo')).toMatchObject({ keys: ['no/oslo'], unlinked: { id: 'o1' } });
    expect(findKeys(stores, 'offices', 'lund')).toMatchObject({ keys: ['no/lund', 'se/lund'], unlinked: null });
    stores.work.plan(changeOf('offices', 'dk/Lund', { reason: { kind: 'referenced', text: 'x' } }));
    expect(findKeys(stores, 'offices', 'lund').keys).toEqual(['dk/Lund']);
  });
});

const TRIP: GuardTrip = { guard: 'users.create', limit: 0, found: 3, held: 3, cause: 'real events', detail: 'x' };
const down = new SyncError('SYNC_SOURCE_UNREADABLE', { message: 'no file', remedy: 'x' });
const suspect = (trip: GuardTrip) => new SyncError('SYNC_SOURCE_SUSPECT', { message: 'held', remedy: 'x', trip });

/** Three people to create: E1 needs an office, and E1 and E2 are held. Two other people have a hold each. */
function open(): Stores {
  const stores = openTestStores();
  const { work } = stores;
  work.stage(['E1', 'E2', 'E3'].map((key) => ({ desired: rowOf(key), hash: 'h' })));
  work.plan(changeOf('offices', 'no/Lund', { reason: { kind: 'referenced', text: 'x' } }));
  for (const key of ['E1', 'E2', 'E3'])
    work.plan(changeOf('users', key, { needs: key === 'E1' ? ['offices:no/Lund'] : [], after: personOf(key) }));
  work.withholdRefs(['users:E1', 'users:E2'], TRIP.guard);
  for (const [entity, key, place] of [
    ['users', 'E8', 'p'],
    ['users', 'E9', 'p'],
    ['hr', 'row 2', 'hr employees.csv:2'],
  ] as const)
    work.hold({ entity, key, place, code: 'SYNC_MAP_VALUE', reason: 'r', remedy: 'm' });
  return stores;
}

function keep(
  selector: string | null,
  stores: Stores = open(),
  more: Partial<Parameters<typeof keepOnly>[2]> = {},
  trips: readonly GuardTrip[] = [TRIP],
) {
  const cut = readOf('idp', { evidence: evidenceOf({ source: 'idp', complete: false }) });
  const staged = [
    stagedOf('users', readOf('hr'), cut),
    stagedOf('offices', readOf('org')),
    stagedOf('customers', readOf('crm')),
  ];
  const derivation = { staged, stopped: [], unread: [], ...more };
  const kept = keepOnly({ config: loadSample(withCrm(['staffing', 'projects'])), stores }, selector, derivation, trips);
  const plan = [...stores.work.inOrder('all')].map(({ entity, key }) => `${entity}:${key}`).toSorted();
  const holds = [...stores.work.holds()].map(({ key }) => key);
  const reads = kept.told.staged.map(({ entity, deciding }) =>
    [entity, ...deciding.map(({ source }) => source)].join(' '),
  );
  return { ...kept, plan, holds, reads, derivation };
}

describe('a plan of one object', () => {
  it('is complete if no object is named', () => {
    const { plan, guards, told, derivation, others } = keep(null);
    expect([plan.length, guards, others]).toEqual([4, [TRIP], null]);
    expect(told).toBe(derivation);
  });

  it('keeps what the object needs and its guards, and counts the others that wait', () => {
    const { plan, guards, others } = keep('user:E1');
    expect(plan).toEqual(['offices:no/Lund', 'users:E1']);
    expect(guards).toEqual([{ ...TRIP, held: 1 }]);
    expect(others).toEqual({ records: 2, fields: 0, conflicts: 0, waiting: 1 });
    expect(keep('user:e3@x.test')).toMatchObject({ plan: ['users:E3'], guards: [] });
  });

  it('lists the holds of the object, by its key or by the place of its row', () => {
    expect(keep('user:E8').holds).toEqual(['E8']);
    expect(keep('user:e9').holds).toEqual(['E9']);
    expect(keep('user:E1').holds).toEqual(['row 2']);
    expect(keep('office:no/lund').holds).toEqual([]);
  });

  it('is empty for a known object with nothing to do, and fails for an unknown one', () => {
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', personOf('E1')));
    expect(keep('user:E1', stores)).toMatchObject({ plan: [], guards: [] });
    const unknown = catchError(() => keep('user:Nobody@x.test', openTestStores()));
    expect([unknown.code, unknown.message]).toEqual([
      'SYNC_NOT_FOUND',
      '"Nobody@x.test" was not found in the sources, the links or the service.',
    ]);
    stores.mirror.save([observedOf('u2', personOf('E2'))], 1);
    expect(catchError(() => keep('user:e2@x.test', stores)).message).toContain('talent-sync does not manage it');
  });

  it('lists the reads of the object, and incomplete ones only if it has no row', () => {
    expect(keep('user:E1').reads).toEqual(['users hr']);
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1', personOf('E1')));
    expect(keep('user:E1', stores).reads).toEqual(['users hr idp']);
    const failed = [stagedOf('users', readOf('hr', { evidence: null, error: down }))];
    expect(keep('user:E1', open(), { staged: failed }).reads).toEqual(['users hr']);
  });

  it("lists the reads that a held object's references depend on", () => {
    const stores = open();
    stores.work.hold({ entity: 'staffing', key: 'L1', place: 'p', code: 'SYNC_REF_UNKNOWN', reason: 'r', remedy: 'm' });
    expect(keep('staffing:L1', stores).reads).toEqual(['users hr idp']);
  });

  it('lists what was left alone or rejected, as far as it concerns the object', () => {
    const { told } = keep('user:E1', open(), {
      stopped: [
        { entity: 'users', error: down },
        { entity: 'customers', error: down },
      ],
      unread: [
        { area: 'cvs', leftAlone: ['users.cv_tags', 'certifications'], error: down },
        { area: 'customers', leftAlone: ['customers'], error: down },
      ],
    });
    expect(told.stopped.map(({ entity }) => entity)).toEqual(['users']);
    expect(told.unread.map(({ area }) => area)).toEqual(['cvs']);
  });

  it('lists a held source of the object, even if it holds no change', () => {
    const trip = { ...TRIP, guard: 'sources.hr.older_content:0123' };
    const staged = [stagedOf('users', readOf('hr', { evidence: null, error: suspect(trip) }))];
    expect(keep('user:E1', open(), { staged }, [trip, TRIP]).guards).toEqual([trip, { ...TRIP, held: 1 }]);
    const others = [stagedOf('customers', readOf('crm', { evidence: null, error: suspect(trip) }))];
    expect(keep('user:E1', open(), { staged: others }, [trip]).guards).toEqual([]);
  });
});
