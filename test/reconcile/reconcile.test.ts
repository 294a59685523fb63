import { describe, expect, it } from 'vitest';
import type { Values } from '../../src/model/json.js';
import { EXISTENCE } from '../../src/model/undo.js';
import { hashLeaf } from '../../src/reconcile/fields/leaves.js';
import type { EntitySettings } from '../../src/reconcile/ports.js';
import { desiredOf, observedOf } from '../samples.js';
import { JANE, LINKED, OSLO, reconcileWorld, type World } from './fake-ports.js';

const jane = desiredOf('E1', JANE);
const left = desiredOf('E1', JANE, { leaver: true });
const early = desiredOf('E1', JANE, { early: true, starts: '2026-12-01T00:00:00.000Z' });
const active = observedOf('u1', JANE);
const other = observedOf('u1', { ...JANE, telephone: '2' });
const GONE = { key: 'E1', id: 'u1', place: { source: 'idp', at: 'Users/1' } };
const gone = observedOf('u1', { ...JANE, telephone: '2' }, { active: false });

describe('reconcileEntity: the table above it', () => {
  interface Row {
    readonly name: string;
    readonly world: World;
    readonly plan: readonly { readonly action: string; readonly after: Values; readonly reason: string }[];
    readonly settings?: Partial<EntitySettings>;
  }
  const rows: readonly Row[] = [
    { name: 'here / nothing', world: { desired: [jane] }, plan: [{ action: 'create', after: JANE, reason: 'joined' }] },
    { name: 'here / active and the same', world: { desired: [jane], observed: [active], links: LINKED }, plan: [] },
    {
      name: 'here / active and different',
      world: { desired: [jane], observed: [other], links: LINKED, base: { E1: { ...JANE, telephone: '2' } } },
      plan: [{ action: 'update', after: { telephone: '1' }, reason: 'changed' }],
    },
    {
      name: 'here / active, changed by somebody else',
      world: { desired: [jane], observed: [other], links: LINKED, base: { E1: JANE } },
      plan: [{ action: 'update', after: { telephone: '1' }, reason: 'drifted' }],
    },
    {
      name: 'here / active, never agreed',
      world: { desired: [jane], observed: [other], links: LINKED },
      plan: [{ action: 'update', after: { telephone: '1' }, reason: 'first_contact' }],
    },
    {
      name: 'here / deactivated',
      world: { desired: [jane], observed: [gone], links: LINKED },
      plan: [{ action: 'reactivate', after: { telephone: '1' }, reason: 'returned' }],
    },
    {
      name: 'here, as when last agreed / deactivated by somebody else',
      world: { desired: [jane], observed: [gone], links: LINKED, unchanged: ['E1'] },
      plan: [{ action: 'reactivate', after: { telephone: '1' }, reason: 'drifted' }],
    },
    {
      name: 'here / linked, and deleted by somebody else',
      world: { desired: [jane], links: LINKED },
      plan: [{ action: 'create', after: JANE, reason: 'drifted' }],
    },
    {
      name: 'has left / active',
      world: { desired: [left], observed: [other], links: LINKED },
      plan: [{ action: 'deactivate', after: { deactivated: true }, reason: 'left' }],
    },
    {
      name: 'deleted in the source / active',
      world: { gone: [GONE], observed: [other], links: LINKED },
      plan: [{ action: 'deactivate', after: { deactivated: true }, reason: 'left' }],
    },
    {
      name: 'deleted in the source, not due yet / active',
      world: { gone: [GONE], observed: [other], links: LINKED, explicit: { due: false, text: 'grace' } },
      plan: [],
    },
    {
      name: 'deleted in the source / active, and nothing is ever removed',
      world: { gone: [GONE], observed: [other], links: LINKED },
      plan: [],
      settings: { removes: false },
    },
    {
      name: 'has left, not due yet / active',
      world: { desired: [left], observed: [other], links: LINKED, explicit: { due: false, text: 'grace' } },
      plan: [],
    },
    { name: 'has left / deactivated', world: { desired: [left], observed: [gone], links: LINKED }, plan: [] },
    { name: 'has left / nothing', world: { desired: [left] }, plan: [] },
    { name: 'starts later / nothing', world: { desired: [early] }, plan: [] },
    { name: 'starts later / deactivated', world: { desired: [early], observed: [gone], links: LINKED }, plan: [] },
    {
      name: 'starts later / active',
      world: { desired: [early], observed: [other], links: LINKED },
      plan: [{ action: 'update', after: { telephone: '1' }, reason: 'first_contact' }],
    },
    {
      name: 'nothing, proven absent / active',
      world: { observed: [active], missing: [{ key: 'E1', id: 'u1' }], links: LINKED },
      plan: [{ action: 'deactivate', after: { deactivated: true }, reason: 'absent' }],
    },
    {
      name: 'nothing, not proven / active',
      world: {
        observed: [active],
        missing: [{ key: 'E1', id: 'u1' }],
        absent: { due: false, text: 'incomplete' },
        links: LINKED,
      },
      plan: [],
    },
    { name: 'nothing, proven / not in the mirror', world: { missing: [{ key: 'E1', id: 'u1' }] }, plan: [] },
    // Policies
    {
      name: 'upsert-only: has left',
      settings: { policy: 'upsert-only' },
      world: { desired: [left], observed: [active], links: LINKED },
      plan: [],
    },
    {
      name: 'upsert-only: absent',
      settings: { policy: 'upsert-only' },
      world: { observed: [active], missing: [{ key: 'E1', id: 'u1' }], links: LINKED },
      plan: [],
    },
    {
      name: 'upsert-only: back',
      settings: { policy: 'upsert-only' },
      world: { desired: [jane], observed: [gone], links: LINKED },
      plan: [{ action: 'reactivate', after: { telephone: '1' }, reason: 'returned' }],
    },
    {
      name: 'create-only: different',
      settings: { policy: 'create-only' },
      world: { desired: [jane], observed: [other], links: LINKED },
      plan: [],
    },
    {
      name: 'create-only: back',
      settings: { policy: 'create-only' },
      world: { desired: [jane], observed: [gone], links: LINKED },
      plan: [],
    },
    {
      name: 'create-only: absent',
      settings: { policy: 'create-only' },
      world: { observed: [active], missing: [{ key: 'E1', id: 'u1' }], links: LINKED },
      plan: [],
    },
    {
      name: 'create-only: new',
      settings: { policy: 'create-only' },
      world: { desired: [jane] },
      plan: [{ action: 'create', after: JANE, reason: 'joined' }],
    },
  ];
  for (const { name, world, plan, settings } of rows) {
    it(name, () => {
      const ports = reconcileWorld(world, settings);
      expect(ports.changes().map(({ action, after, reason }) => ({ action, after, reason: reason.kind }))).toEqual(
        plan,
      );
      expect(ports.holds).toEqual([]);
    });
  }

  it("lets a deleted row take nothing from a person under another key, and holds that person's record", () => {
    const world = { gone: [{ ...GONE, key: 'E0' }], desired: [jane], observed: [active], links: { 'users:E0': 'u1' } };
    const ports = reconcileWorld(world);
    expect(ports.changes()).toEqual([]);
    expect(ports.holds).toMatchObject([{ key: 'E1', code: 'SYNC_MATCH_CLAIMED' }]);
  });

  it('keeps a customer that is missing from its feed, unless configured to remove such objects', () => {
    const customer = observedOf('c1', { external_unique_id: 'C1' }, { entity: 'customers' });
    const ports = reconcileWorld(
      { observed: [customer], missing: [{ key: 'C1', id: 'c1' }] },
      { entity: 'customers', removes: false },
    );
    expect(ports.changes()).toEqual([]);
    const asked = reconcileWorld({ observed: [customer], missing: [{ key: 'C1', id: 'c1' }] }, { entity: 'customers' });
    expect(asked.changes().map(({ action, target, before }) => [action, target, before])).toEqual([
      ['delete', 'c1', { external_unique_id: 'C1' }],
    ]);
  });

  it('agrees an equal pair, even with a deactivated leaver, but not a pair with a change', () => {
    expect(reconcileWorld({ desired: [jane], observed: [active], links: LINKED }).agreedKeys).toEqual(['E1=u1']);
    expect(reconcileWorld({ desired: [left], observed: [gone], links: LINKED }).agreedKeys).toEqual(['E1=u1']);
    expect(reconcileWorld({ desired: [jane], observed: [other], links: LINKED }).agreedKeys).toEqual([]);
  });

  it('does not repeat what an operator has undone, and reports it', () => {
    const pins = { 'users:E1': [{ path: EXISTENCE, value: hashLeaf('here'), mapping: 'm' }] };
    const rows: readonly (readonly [World, string])[] = [
      [{ desired: [jane] }, 'its creation: undone by an operator'],
      [{ desired: [jane], observed: [gone], links: LINKED }, 'being active: undone by an operator'],
    ];
    for (const [world, reason] of rows) {
      const ports = reconcileWorld({ ...world, pins });
      expect([ports.changes(), ports.unpinned]).toEqual([[], []]);
      expect(ports.holds).toMatchObject([{ code: 'SYNC_UNDONE_PINNED', reason: expect.stringContaining(reason) }]);
    }
    // The object exists by now: only its creation was undone.
    expect(reconcileWorld({ desired: [jane], observed: [other], links: LINKED, pins }).changes()).toHaveLength(1);
    // The source has changed, so the pin is forgotten.
    const moved = reconcileWorld({ desired: [left], observed: [active], links: LINKED, pins });
    expect(moved.changes().map(({ action }) => action)).toEqual(['deactivate']);
    expect(moved.unpinned).toContain('users:E1 existence');
  });

  it('leaves deletions and deactivations by others alone if drift is only reported', () => {
    const report = (world: World) =>
      reconcileWorld({ desired: [jane], links: LINKED, unchanged: ['E1'], ...world }, { drift: 'report' }).holds;
    expect(report({})).toMatchObject([{ reason: 'Deleted in the service by somebody else.' }]);
    expect(report({ observed: [gone] })).toMatchObject([
      { reason: 'Deactivated in the service by somebody else, while the source has not changed.' },
    ]);
    expect(reconcileWorld({ desired: [jane] }, { drift: 'report' }).changes()).toHaveLength(1);
  });

  it('holds a leaver whose account an active record matches, until a person decides', () => {
    const here = desiredOf('E2', { ...JANE, external_unique_id: 'E2' });
    const { holds, changes } = reconcileWorld({ desired: [left, here], observed: [other], links: LINKED });
    expect(changes().map(({ action, key, target }) => [action, key, target])).toEqual([['deactivate', 'E1', 'u1']]);
    expect(holds.at(-1)).toMatchObject({
      ...{ key: 'E1', place: 'hr employees.csv:2', code: 'SYNC_PROBABLE_SAME_PERSON' },
      reason: 'label of u1 has left as E1, but record E2, which is present, matches the same account.',
      relink: { key: 'E2', id: 'u1' },
      remedy: expect.stringMatching(/^If they are one, .* resolve user:E1 --same .* user:E1 --new /),
    });
  });

  it('suspects a known object under a new key only before a first create', () => {
    const acme = (id: string, key: string) =>
      observedOf(id, { external_unique_id: key, customer_name: { en: 'Acme' } }, { entity: 'customers' });
    const record = desiredOf(
      'C2',
      { external_unique_id: 'C2', customer_name: { en: 'Acme' } },
      { entity: 'customers' },
    );
    const absent = { due: true, text: 'missing', since: '2026-11-19T08:00:00.000Z' };
    const suspected = (observed: World['observed'], links: World['links'] = {}) =>
      reconcileWorld(
        { desired: [record], observed: observed ?? [], links: { 'customers:C1': 'k1', ...links }, absent },
        { entity: 'customers' },
      ).holds.map(({ code }) => code);
    const known = acme('k1', 'C1');
    expect(suspected([known])).toEqual(['SYNC_LOOK_ALIKE']);
    expect(suspected([known, acme('k2', 'C2')])).toEqual([]);
    expect(suspected([known], { 'customers:C2': 'k2' })).toEqual([]);
  });

  it('pages through 1,201 records and makes 1,201 changes', () => {
    const many = Array.from({ length: 1_201 }, (_, i) =>
      desiredOf(`K${String(i).padStart(4, '0')}`, { email: `p${i}@example.com`, office: OSLO }),
    );
    expect(reconcileWorld({ desired: many }).changes().length).toBe(1_201);
    const missing = many.map(({ key }, i) => ({ key, id: `u${i}` }));
    const observed = missing.map(({ id }) => observedOf(id));
    expect(reconcileWorld({ missing, observed }).changes().length).toBe(1_201);
  });
});
