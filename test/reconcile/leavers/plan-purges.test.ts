import { describe, expect, it } from 'vitest';
import type { DueDeparture } from '../../../src/model/departure.js';
import type { EntitySettings } from '../../../src/reconcile/ports.js';
import { observedOf } from '../../samples.js';
import { JANE, LINKED, reconcileWorld, type World } from '../fake-ports.js';

const DAY_MS = 86_400_000;
const STAMP = '2026-08-01T10:00:00Z';
const gone = observedOf('u1', { ...JANE, deactivated_at: STAMP }, { active: false });
const due: DueDeparture = {
  key: 'E1',
  serviceId: 'u1',
  run: 'r1',
  at: '2026-08-01T10:00:01.000Z',
  stamp: STAMP,
  deletedAt: null,
  state: null,
  place: null,
};
const world: World = { observed: [gone], links: LINKED, due: [due] };

describe('planPurges: the table above it', () => {
  interface Row {
    readonly name: string;
    readonly world: World;
    readonly plan: readonly string[];
    readonly settings?: Partial<EntitySettings>;
  }
  const notDue = { due: false, text: 'not proven' };
  const rows: readonly Row[] = [
    { name: 'absent, and proven', world, plan: ['delete absent'] },
    { name: 'absent, and not proven', world: { ...world, absent: notDue }, plan: [] },
    {
      name: 'absent since an edit',
      world: { ...world, absent: { due: true, text: 'missing', sinceEdit: true } },
      plan: ['delete absent_since_edit'],
    },
    { name: 'said to have left', world: { ...world, due: [{ ...due, state: 'leaver' }] }, plan: ['delete left'] },
    {
      name: 'out of scope, which does not make a leaver',
      world: { ...world, due: [{ ...due, state: 'out' }] },
      plan: [],
    },
    {
      name: 'out of scope, which makes a leaver',
      world: { ...world, due: [{ ...due, state: 'out' }] },
      settings: { outOfScope: 'deactivate' },
      plan: ['delete out_of_scope'],
    },
    { name: 'never, without purge', world, settings: { purgeAfterMs: null }, plan: [] },
    { name: 'never, unless the policy is sync', world, settings: { policy: 'upsert-only' }, plan: [] },
    { name: 'active again', world: { ...world, observed: [{ ...gone, active: true }] }, plan: [] },
    {
      name: 'deactivated again by somebody else',
      world: { ...world, due: [{ ...due, stamp: '2026-07-01T10:00:00Z' }] },
      plan: [],
    },
    {
      name: 'the same second, in more digits',
      world: { ...world, due: [{ ...due, stamp: '2026-08-01T10:00:00.250+00:00' }] },
      plan: ['delete absent'],
    },
    { name: 'an unusable row may be the person’s', world: { ...world, unreadable: 1 }, plan: [] },
    { name: 'protected', world: { ...world, protectedBy: () => 'true' }, plan: [] },
    {
      name: 'an administrator',
      world: { ...world, observed: [{ ...gone, values: { ...gone.values, role: 'internationalmanager' } }] },
      plan: [],
    },
  ];

  it.each(rows)('plans or skips the deletion: $name', ({ world: given, settings, plan }) => {
    const ports = reconcileWorld(given, { purgeAfterMs: 90 * DAY_MS, ...settings });
    expect(ports.changes().map(({ action, reason }) => `${action} ${reason.kind}`)).toEqual(plan);
  });
});

it('says who deactivated the account and when, and keeps its values', () => {
  const [change] = reconcileWorld(world, { purgeAfterMs: 90 * DAY_MS }).changes();
  expect(change).toMatchObject({
    target: 'u1',
    before: { email: 'jane@example.com', external_unique_id: 'E1' },
    after: {},
    reason: { text: 'deactivated by run r1 on 2026-08-01, more than 90d ago; missing from 3 reads' },
  });
});

it('holds a doubtful deletion and gives the reason', () => {
  const settings = { purgeAfterMs: 90 * DAY_MS };
  expect(reconcileWorld({ ...world, unreadable: 2 }, settings).holds).toMatchObject([
    { key: 'E1', code: 'SYNC_PURGE_DOUBTFUL', reason: expect.stringContaining('one of 2 unusable rows') },
  ]);
  expect(reconcileWorld({ ...world, unreadable: 1 }, settings).holds).toMatchObject([
    { place: 'absent', reason: expect.stringMatching(/, but an unusable row may be about the person\.$/) },
  ]);
  expect(reconcileWorld({ ...world, protectedBy: () => 'true' }, settings).holds).toMatchObject([
    { key: 'E1', code: 'SYNC_ACCOUNT_PROTECTED', reason: expect.stringMatching(/: not deleted\.$/) },
  ]);
});
