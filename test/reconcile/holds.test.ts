import { describe, expect, it } from 'vitest';
import { reconcileEntity } from '../../src/reconcile/reconcile.js';
import { desiredOf, observedOf } from '../samples.js';
import { createFakePorts, JANE, LINKED, OSLO, reconcileWorld, settingsOf } from './fake-ports.js';

const jane = desiredOf('E1', JANE);
const left = desiredOf('E1', JANE, { leaver: true });
const active = observedOf('u1', JANE);
const other = observedOf('u1', { ...JANE, telephone: '2' });
const gone = observedOf('u1', { ...JANE, telephone: '2' }, { active: false });

describe('reconcileEntity: finding the object', () => {
  it('adopts the matching object and names the entry that matched', () => {
    const ports = reconcileWorld({ desired: [jane], observed: [other] });
    expect(ports.adopted).toEqual(['users:E1=u1']);
    expect(ports.changes().map(({ target, reason }) => [target, reason.kind, reason.text])).toEqual([
      ['u1', 'first_contact', 'matched by external_unique_id; differs in telephone'],
    ]);
  });

  it('holds a record that several objects match', () => {
    const twins = [observedOf('u1', { email: 'jane@example.com' }), observedOf('u2', { email: 'JANE@example.com' })];
    const ports = reconcileWorld({
      desired: [desiredOf('E1', { email: 'jane@example.com', office: OSLO })],
      observed: twins,
    });
    expect(ports.changes()).toEqual([]);
    expect(ports.adopted).toEqual([]);
    expect(ports.holds.map(({ code, reason }) => [code, reason])).toEqual([
      [
        'SYNC_MATCH_AMBIGUOUS',
        '2 objects match by email: label of u1 (u1) [for it: same e-mail]; label of u2 (u2) [for it: same e-mail].',
      ],
    ]);
  });

  it('holds both records that claim one object, and one whose object is linked elsewhere', () => {
    const again = desiredOf('E2', { email: 'jane@example.com', office: OSLO });
    const both = reconcileWorld({ desired: [jane, again], observed: [other] });
    expect(both.holds.map(({ key, code }) => [key, code])).toEqual([
      ['E1', 'SYNC_MATCH_CLAIMED'],
      ['E2', 'SYNC_MATCH_CLAIMED'],
    ]);
    expect([both.changes(), both.adopted]).toEqual([[], []]);
    const second = reconcileWorld({ desired: [again], observed: [other], links: LINKED });
    expect(second.holds.map(({ key, code }) => [key, code])).toEqual([['E2', 'SYNC_MATCH_CLAIMED']]);
    expect(second.changes()).toEqual([]);
  });
});

describe('reconcileEntity: fields and records that are left out', () => {
  it('keeps and reports a field that only the service changed, with drift: report, and sends other changes', () => {
    const moved = observedOf('u1', { ...JANE, telephone: '2', name: 'Jane Old' });
    const ports = reconcileWorld(
      {
        desired: [desiredOf('E1', { ...JANE, name: 'Jane New' })],
        observed: [moved],
        links: LINKED,
        base: { E1: { ...JANE, name: 'Jane Old' } },
      },
      { drift: 'report' },
    );
    expect(ports.changes().map(({ after }) => after)).toEqual([{ name: 'Jane New' }]);
    expect(ports.holds.map(({ code, reason }) => [code, reason])).toEqual([
      ['SYNC_DRIFT_REPORTED', 'telephone was changed in the service: "2" instead of "1".'],
    ]);
  });

  it('leaves people deactivated by others with drift: report if the source did not change', () => {
    const world = { desired: [jane], observed: [gone], links: LINKED };
    const still = reconcileWorld({ ...world, unchanged: ['E1'] }, { drift: 'report' });
    expect([still.changes(), still.holds.map(({ code }) => code)]).toEqual([[], ['SYNC_DRIFT_REPORTED']]);
    const moved = reconcileWorld(world, { drift: 'report' });
    expect([moved.changes().map(({ action }) => action), moved.holds]).toEqual([['reactivate'], []]);
  });

  it('does not agree a pair with only reported drift, so that the next run reports it again', () => {
    const ports = reconcileWorld(
      { desired: [jane], observed: [other], links: LINKED, base: { E1: JANE } },
      { drift: 'report' },
    );
    expect([ports.changes(), ports.agreedKeys, ports.holds.length]).toEqual([[], [], 1]);
  });

  it('holds a record that lacks what a create needs, and names that', () => {
    const ports = reconcileWorld({ desired: [desiredOf('E1', { external_unique_id: 'E1' })] });
    expect(ports.changes()).toEqual([]);
    expect(ports.holds.map(({ code, reason }) => [code, reason])).toEqual([
      ['SYNC_MAP_VALUE', 'Cannot be created without email and office, which are empty in the source.'],
    ]);
  });

  it('leaves out a missing office and does the rest, but holds a create without it', () => {
    const lost = { country: 'no', name: 'Osol' };
    const update = reconcileWorld({
      desired: [desiredOf('E1', { ...JANE, telephone: '9', office: lost })],
      observed: [active],
      links: LINKED,
    });
    expect(update.changes().map(({ after }) => after)).toEqual([{ telephone: '9' }]);
    expect(update.holds.map(({ code }) => code)).toEqual(['SYNC_REFERENCE_UNKNOWN']);
    expect(update.holds[0]?.reason).toContain('the nearest name is "Oslo"');
    const create = reconcileWorld({ desired: [desiredOf('E1', { ...JANE, office: lost })] });
    expect(create.changes()).toEqual([]);
    expect(create.holds.map(({ code }) => code)).toEqual(['SYNC_REFERENCE_UNKNOWN']);
  });

  it('clears a scope of offices that the source emptied', () => {
    const ports = reconcileWorld({
      desired: [desiredOf('E1', { ...JANE, role_allowed_offices: null })],
      observed: [active],
      links: LINKED,
      written: { E1: { role_allowed_offices: [OSLO] } },
    });
    expect(ports.changes().map(({ after, needs }) => [after, needs])).toEqual([[{ role_allowed_offices: null }, []]]);
    expect(ports.holds).toEqual([]);
  });

  it('plans a missing office, category and tag once, before the records that need them', () => {
    const wants = (key: string) =>
      desiredOf(key, {
        email: `${key}@example.com`,
        office: { country: 'no', name: 'Tromsø' },
        tags: { unit: 'north' },
      });
    const ports = reconcileWorld(
      { desired: [wants('a'), wants('b')] },
      { createMissingOffices: true, createMissingTags: true },
    );
    expect(ports.changes().map(({ entity, key, needs }) => [`${entity}:${key}`, needs])).toEqual([
      ['offices:no/tromsø', []],
      ['tag_categories:unit', []],
      ['tags:unit/north', ['tag_categories:unit']],
      ['users:a', ['offices:no/tromsø', 'tags:unit/north']],
      ['users:b', ['offices:no/tromsø', 'tags:unit/north']],
    ]);
  });

  it('plans a project after the customer and the owner that are created with it', () => {
    const customer = desiredOf(
      'C1',
      { external_unique_id: 'X1', customer_name: { en: 'Fjord' } },
      { entity: 'customers' },
    );
    const values = { customer: 'X1', project_name: { en: 'Dam' }, owners: ['jane@example.com', 'nobody@example.com'] };
    const ports = createFakePorts({
      names: { countries: ['no'], offices: ['no/Oslo'] },
      desired: [customer, jane, desiredOf('P1', values, { entity: 'projects' })],
    });
    for (const entity of ['customers', 'users', 'projects'] as const) reconcileEntity(settingsOf({ entity }), ports);
    const project = ports.plan.find('projects:P1');
    expect(project?.needs).toEqual(['customers:C1', 'users:E1']);
    expect(project?.after).toEqual({ ...values, owners: ['jane@example.com'] });
    expect(ports.holds.map(({ key, reason }) => [key, reason])).toEqual([
      [
        'P1',
        'owners: The service has no user "nobody@example.com" (by external_unique_id or email), and none will be created.',
      ],
    ]);
  });
});

describe('reconcileEntity: protection', () => {
  const admin = observedOf('u1', { ...JANE, telephone: '2', roles: ['internationalmanager'] });

  it('keeps activation, roles and e-mail of an administrator, and changes the rest', () => {
    const want = desiredOf('E1', { ...JANE, email: 'new@example.com', roles: ['consultant'] });
    const ports = reconcileWorld({ desired: [want], observed: [admin], links: LINKED });
    expect(ports.changes().map(({ after }) => after)).toEqual([{ telephone: '1' }]);
    expect(ports.holds.map(({ code, reason }) => [code, reason])).toEqual([
      ['SYNC_ACCOUNT_PROTECTED', 'label of u1 is an administrator: email, roles left unchanged.'],
    ]);
    for (const world of [{ desired: [left] }, { missing: [{ key: 'E1', id: 'u1' }] }]) {
      const leaving = reconcileWorld({ ...world, observed: [admin], links: LINKED });
      expect([leaving.changes(), leaving.holds.map(({ code, reason }) => [code, reason])]).toEqual([
        [],
        [['SYNC_ACCOUNT_PROTECTED', 'label of u1 is an administrator: activation left unchanged.']],
      ]);
    }
    const back = reconcileWorld({ desired: [jane], observed: [{ ...admin, active: false }], links: LINKED });
    expect([back.changes(), back.holds.map(({ code }) => code)]).toEqual([[], ['SYNC_ACCOUNT_PROTECTED']]);
  });

  it('changes nothing of an account that an expression protects', () => {
    const protectedBy = () => 'user.email.endsWith("@board.example.com")';
    for (const desired of [jane, left]) {
      const ports = reconcileWorld({ desired: [desired], observed: [other], links: LINKED, protectedBy });
      expect([ports.changes(), ports.holds.map(({ code }) => code)]).toEqual([[], ['SYNC_ACCOUNT_PROTECTED']]);
    }
    const equal = reconcileWorld({ desired: [jane], observed: [active], links: LINKED, protectedBy });
    expect([equal.changes(), equal.holds]).toEqual([[], []]);
  });
});
