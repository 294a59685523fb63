import { describe, expect, test } from 'vitest';
import { EXISTENCE } from '../../../src/model/undo.js';
import { hashLeaf } from '../../../src/reconcile/fields/leaves.js';
import type { EntitySettings, LeaverVerdict } from '../../../src/reconcile/ports.js';
import { desiredOf, observedOf } from '../../samples.js';
import { JANE, LINKED, reconcileWorld, type World } from '../fake-ports.js';

const PLACE = { source: 'hr', at: 'employees.csv', line: 2 };
const LINK = { key: 'E1', id: 'u1', place: PLACE };
const PROVEN: LeaverVerdict = { due: true, text: 'proven' };
const UNPROVEN: LeaverVerdict = { due: false, text: 'not proven' };
const EDITED: LeaverVerdict = { ...PROVEN, sinceEdit: true };

/** The state of a person in the sources, with a verdict on the evidence. */
const STATES: Readonly<Record<string, (verdict: LeaverVerdict) => World>> = {
  'has left': (explicit) => ({ desired: [desiredOf('E1', JANE, { leaver: true })], explicit }),
  'deleted in the source': (explicit) => ({ gone: [LINK], explicit }),
  absent: (absent) => ({ missing: [LINK], absent }),
  'out of scope': (out) => ({ outOfScope: [LINK], out }),
};

interface Row {
  readonly state: keyof typeof STATES;
  readonly evidence: LeaverVerdict;
  readonly but?: string;
  readonly plan: readonly string[];
  readonly holds?: readonly string[];
  readonly settings?: Partial<EntitySettings>;
  readonly world?: World;
}

const OUT: Partial<EntitySettings> = { outOfScope: 'deactivate' };
const UNDONE = { pins: { 'users:E1': [{ path: EXISTENCE, value: hashLeaf('gone'), mapping: 'm' }] } };
const ANOTHER = { desired: [desiredOf('E2', JANE)] };

const ROWS: readonly Row[] = [
  { state: 'has left', evidence: PROVEN, plan: ['users:E1 deactivate left'] },
  { state: 'has left', evidence: UNPROVEN, plan: [] },
  { state: 'deleted in the source', evidence: PROVEN, plan: ['users:E1 deactivate left'] },
  { state: 'deleted in the source', evidence: UNPROVEN, plan: [] },
  { state: 'absent', evidence: PROVEN, plan: ['users:E1 deactivate absent'] },
  { state: 'absent', evidence: UNPROVEN, plan: [] },
  { state: 'absent', evidence: EDITED, plan: ['users:E1 deactivate absent_since_edit'] },
  { state: 'out of scope', evidence: PROVEN, plan: [] },
  { state: 'out of scope', evidence: PROVEN, settings: OUT, plan: ['users:E1 deactivate out_of_scope'] },
  { state: 'out of scope', evidence: UNPROVEN, settings: OUT, plan: [] },
];

function run({ state, evidence, settings, world }: Row) {
  const said = STATES[state]?.(evidence) ?? {};
  return reconcileWorld({ observed: [observedOf('u1', JANE)], links: LINKED, ...said, ...world }, settings);
}

function planOf(row: Row): readonly string[] {
  return run(row)
    .changes()
    .map(({ entity, key, action, reason }) => `${entity}:${key} ${action} ${reason.kind}`);
}

describe('state × evidence → verdict', () => {
  test.each(ROWS)('plans for $state, $evidence: $plan', (row) => {
    expect(planOf(row)).toEqual(row.plan);
  });
});

const DUE = ROWS.filter(({ plan }) => plan.length > 0);

describe.each(DUE)('$state, $evidence.text, with edit $evidence.sinceEdit', (row) => {
  test.each(['upsert-only', 'create-only'] as const)('plans nothing under %s', (policy) => {
    expect(planOf({ ...row, settings: { ...row.settings, policy } })).toEqual([]);
  });

  test('plans nothing if the service does not show the object', () => {
    expect(planOf({ ...row, world: { observed: [] } })).toEqual([]);
  });

  test('holds a protected person', () => {
    const ports = run({ ...row, world: { protectedBy: () => 'true' } });
    expect([ports.changes(), ports.holds.map(({ code }) => code)]).toEqual([[], ['SYNC_ACCOUNT_PROTECTED']]);
  });

  test('holds an administrator', () => {
    const chief = observedOf('u1', { ...JANE, roles: ['internationalmanager'] });
    const ports = run({ ...row, world: { observed: [chief] } });
    expect([ports.changes(), ports.holds.map(({ code }) => code)]).toEqual([[], ['SYNC_ACCOUNT_PROTECTED']]);
  });

  test('holds a deactivation that an operator has undone', () => {
    const ports = run({ ...row, world: UNDONE });
    expect([ports.changes(), ports.holds.map(({ code }) => code)]).toEqual([[], ['SYNC_UNDONE_PINNED']]);
    expect(ports.holds[0]?.reason).toMatch(/^the deactivation: undone by an operator/);
  });
});

test.each(DUE.filter(({ state }) => state !== 'has left'))(
  '$state: keeps an account that another record matches',
  (row) => {
    const { holds, changes } = run({ ...row, world: ANOTHER });
    expect(changes().filter(({ action }) => action === 'deactivate')).toEqual([]);
    expect(holds.map(({ key }) => key)).toContain('E2');
  },
);

describe('an object that is not an account', () => {
  const CUSTOMER = { key: 'C1', id: 'k1', place: PLACE };
  const customer = observedOf('k1', { external_unique_id: 'C1' }, { entity: 'customers' });
  const settings: Partial<EntitySettings> = { entity: 'customers' };
  const links = { 'customers:C1': 'k1' };

  test.each([
    ['absent', { missing: [CUSTOMER] }],
    ['deleted in the source', { gone: [CUSTOMER] }],
    [
      'has left',
      { desired: [desiredOf('C1', { external_unique_id: 'C1' }, { entity: 'customers' as const, leaver: true })] },
    ],
  ])('%s: is deleted as gone', (_, said) => {
    const world = { observed: [customer], links, ...said };
    const [change, ...others] = reconcileWorld(world, settings).changes();
    expect(others).toEqual([]);
    expect(change).toMatchObject({ action: 'delete', key: 'C1', target: 'k1', reason: { kind: 'gone' } });
    const pins = { 'customers:C1': [{ path: EXISTENCE, value: hashLeaf('gone'), mapping: 'm' }] };
    const undone = reconcileWorld({ ...world, pins }, settings);
    expect(undone.changes()).toEqual([]);
    expect(undone.holds[0]?.reason).toMatch(/^its deletion: undone by an operator/);
  });

  test.each([
    [true, 1],
    [false, 0],
  ])('on the CV of an active person (%s), leads to %i deletions', (active, count) => {
    const course = observedOf('s1', { external_unique_id: 'S1', user_id: 'u1' }, { entity: 'courses' });
    const link = { key: 'S1', id: 's1', place: PLACE };
    const observed = [course, observedOf('u1', JANE, { active })];
    for (const said of [{ missing: [link] }, { gone: [link] }]) {
      const ports = reconcileWorld({ observed, links: { 'courses:S1': 's1' }, ...said }, { entity: 'courses' });
      expect(ports.changes()).toHaveLength(count);
    }
  });
});

test('reports a later permanent deletion when it deactivates a person', () => {
  const purge = { purgeAfterMs: 90 * 86_400_000 };
  const [change] = run({ state: 'absent', evidence: PROVEN, settings: purge, plan: [] }).changes();
  expect(change?.reason.text).toBe('proven; to be deleted for good after 90d');
  const [without] = run({ state: 'absent', evidence: PROVEN, plan: [] }).changes();
  expect(without?.reason.text).toBe('proven');
});
