import { describe, expect, it } from 'vitest';
import type { Values } from '../../../src/model/json.js';
import type { Observed } from '../../../src/model/observed.js';
import { hintAtParking, holderText, offerAll, offerValue } from '../../../src/reconcile/order/free-value.js';
import { changeOf, observedOf } from '../../samples.js';
import { createFakePorts, type World } from '../fake-ports.js';

const HELD: Values = { email: 'jane@x.test', external_unique_id: 'E1', telephone: '1' };
const gone = observedOf('u1', HELD, { active: false, label: 'Jane' });
const taker = changeOf('users', 'E9', { place: 'hr a.csv:9' });
const PARKING = { email: 'parked+{id}@x.test', configDigest: 'c' };

function offer(
  field: string,
  holder: Observed = gone,
  { world = {}, isAlike = false, email = PARKING.email as string | null, approved = false, planned = false } = {},
) {
  const ports = createFakePorts(world as World);
  if (planned) ports.plan.add(changeOf('users', 'E1', { action: 'update', target: holder.id }));
  const memory = { ...ports.memory, isApproved: () => approved };
  const handover = { taker, holder, parking: { ...PARKING, email }, isAlike };
  const found = offerValue(field, handover as Parameters<typeof offerValue>[1], { ...ports, memory });
  return { found, made: ports.changes().filter(({ reason }) => reason.kind === 'freed') };
}

describe('a unique value of an inactive account', () => {
  it('is replaced by another address if it is an e-mail, which cannot be blank', () => {
    const { found, made } = offer('email');
    expect(made).toMatchObject([
      {
        ...{
          entity: 'users',
          action: 'update',
          key: 'E9~freed_email',
          target: 'u1',
          fields: ['email'],
          place: 'hr a.csv:9',
        },
        ...{ before: { email: 'jane@x.test' }, after: { email: 'parked+u1@x.test' }, partOf: 'users:E9' },
      },
    ]);
    expect(found).toMatchObject({ ref: 'users:E9~freed_email', approved: false, isAlike: false });
    expect(found?.text).toContain('--guard users.free_value --who user:E9');
    expect(found?.text).toContain(
      'gives Jane the address parked+u1@x.test instead; the next run then gives email to its new owner',
    );
    expect(offer('email', gone, { email: null })).toEqual({ found: null, made: [] });
  });

  it('is cleared if it is an external id', () => {
    const { found, made } = offer('external_unique_id', gone, { email: null });
    expect(made).toMatchObject([{ after: { external_unique_id: null }, fields: ['external_unique_id'] }]);
    expect(found?.text).toContain('clears external_unique_id of Jane');
    expect(offer('external_unique_id').made).toMatchObject([{ after: { external_unique_id: null } }]);
  });

  it('names the guards that hold it, and shows if it is approved', () => {
    expect(offer('email', gone, { isAlike: true }).found?.text).toContain('holds resolve user:E9 --new');
    expect(offer('email', gone, { approved: true }).found?.approved).toBe(true);
  });

  it.each([
    ['a field that is not unique', 'telephone', gone, {}],
    ['an active account', 'email', { ...gone, active: true }, {}],
    [
      'an administrator',
      'email',
      observedOf('u1', { ...HELD, roles: ['internationalmanager'], role: 'internationalmanager' }, { active: false }),
      {},
    ],
    ['a protected account', 'email', gone, { world: { protectedBy: () => 'users.protect' } }],
    ['an account with a planned change', 'email', gone, { planned: true }],
    ['an object that is not an account', 'external_unique_id', { ...gone, entity: 'customers' as const }, {}],
  ] as const)('is not freed from %s', (_, field, holder, more) => {
    expect(offer(field, holder as Observed, more)).toEqual({ found: null, made: [] });
  });

  it('is freed for a new person together with all the others, or not at all', () => {
    const all = (wanted: Values, email: string | null = PARKING.email) => {
      const handover = { taker, holder: gone, parking: { ...PARKING, email }, wanted };
      return (
        offerAll(handover as unknown as Parameters<typeof offerAll>[0], createFakePorts({}))?.map(({ ref }) => ref) ??
        null
      );
    };
    const [email, external] = ['users:E9~freed_email', 'users:E9~freed_external_unique_id'];
    expect(all({ email: 'JANE@x.test', external_unique_id: 'e1' })?.toSorted()).toEqual([email, external]);
    expect(all({ external_unique_id: 'E1', telephone: '1' })).toEqual([external]);
    expect(all({ email: 'other@x.test', external_unique_id: 'E1' })).toEqual([external]);
    expect(all({ email: 'other@x.test', telephone: '1' })).toBeNull();
    expect(all({ email: '', external_unique_id: null })).toBeNull();
    expect(all({ email: 'jane@x.test', external_unique_id: 'E1' }, null)).toBeNull();
  });

  it('hints at a missing parking address', () => {
    const hint = (field: string, holder: Observed | null, email: string | null, isParted = false) =>
      hintAtParking(field, holder, { ...PARKING, email }, isParted) !== '';
    expect(hint('email', gone, null)).toBe(true);
    expect(hint('email', gone, 'x')).toBe(false);
    expect(hint('external_unique_id', gone, null)).toBe(false);
    expect(hint('email', { ...gone, active: true }, null)).toBe(false);
    expect(hint('email', { ...gone, active: true }, null, true)).toBe(true);
    expect(hint('email', { ...gone, entity: 'customers' }, null)).toBe(false);
    expect(hint('email', null, null)).toBe(false);
  });
});

describe('the holder of a value', () => {
  const day = (iso: string): string => iso.slice(0, 10);
  it.each([
    [null, 'the object u1'],
    [observedOf('u1', {}, { label: 'Jane' }), 'the object Jane (u1)'],
    [observedOf('u1', { external_unique_id: '' }, { label: 'Jane' }), 'the object Jane (u1)'],
    [observedOf('u1', { external_unique_id: 'E1' }, { label: 'Jane' }), 'the object Jane (u1, external id E1)'],
    [observedOf('u1', {}, { label: 'Jane', active: false }), 'the deactivated object Jane (u1)'],
    [
      observedOf('u1', { deactivated_at: '2026-03-01T10:00:00Z' }, { label: 'Jane', active: false }),
      'the deactivated object Jane (u1, deactivated since 2026-03-01)',
    ],
    [observedOf('u1', { deactivated_at: '2026-03-01T10:00:00Z' }, { label: 'Jane' }), 'the object Jane (u1)'],
  ])('is described: %o', (holder, text) => {
    expect(holderText(holder, 'u1', day)).toBe(text);
  });
});
