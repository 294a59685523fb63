import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import { desiredOf, matchBy, observedOf } from '../../samples.js';
import { JANE, LINKED, OSLO, reconcileWorld, type World } from '../fake-ports.js';

const jane = desiredOf('E1', { ...JANE, name: 'Jane' });
const held: Values = { ...JANE, name: 'Jane' };

/** The only change of a world, with its reason. */
function explain(world: World, entity: Entity = 'users') {
  const match = matchBy(['external_unique_id'], ['email']);
  const ports = reconcileWorld(world, { entity, match });
  expect(ports.holds).toEqual([]);
  return ports.changes().map(({ action, label, reason }) => [action, label, reason.kind, reason.text]);
}

describe('the reason for changing a person', () => {
  const unit = { tags: { unit: 'north' } };
  const names = { countries: ['no'], offices: ['no/Oslo'], categories: ['unit'], tags: ['unit/north', 'unit/south'] };
  it.each<readonly [what: string, world: World, action: string, kind: string, text: string]>([
    ['somebody new', { desired: [jane] }, 'create', 'joined', 'in hr, not in the service'],
    [
      'somebody whose account is gone',
      { desired: [jane], links: LINKED },
      'create',
      'drifted',
      "in hr; the service's object was deleted by somebody else",
    ],
    [
      'somebody who is back',
      { desired: [jane], links: LINKED, observed: [observedOf('u1', held, { active: false })] },
      'reactivate',
      'returned',
      'active in hr again, deactivated in the service',
    ],
    [
      'somebody who never went',
      { desired: [jane], links: LINKED, observed: [observedOf('u1', held, { active: false })], unchanged: ['E1'] },
      'reactivate',
      'drifted',
      'active in hr, deactivated in the service by somebody else',
    ],
    [
      'linked, and never agreed on',
      { desired: [jane], links: LINKED, observed: [observedOf('u1', { ...held, name: 'J', telephone: '' })] },
      'update',
      'first_contact',
      'not agreed on yet; differs in name, telephone',
    ],
    [
      'the source moved two fields',
      {
        ...{ desired: [jane], links: LINKED, observed: [observedOf('u1', { ...held, name: 'J', telephone: '2' })] },
        base: { E1: { ...held, name: 'J', telephone: '2' } },
      },
      'update',
      'changed',
      'name, telephone changed in hr',
    ],
    [
      'the source moved one field, and the service another',
      {
        ...{ desired: [jane], links: LINKED, observed: [observedOf('u1', { ...held, name: 'J', telephone: '2' })] },
        base: { E1: { ...held, telephone: '2' } },
      },
      'update',
      'changed',
      'telephone changed in hr',
    ],
    [
      'the service moved two fields',
      {
        ...{ desired: [jane], links: LINKED, observed: [observedOf('u1', { ...held, name: 'J', telephone: '2' })] },
        base: { E1: held },
      },
      'update',
      'drifted',
      'name, telephone changed in the service by somebody else',
    ],
    [
      'a field that the service does not show',
      {
        ...{
          names,
          desired: [desiredOf('E1', { ...held, ...unit })],
          links: LINKED,
          observed: [observedOf('u1', held)],
        },
        ...{ base: { E1: { ...held, tags: { unit: 'south' } } }, written: { E1: { tags: { unit: 'south' } } } },
      },
      'update',
      'changed',
      'tags changed in hr (tags: the service does not show it, so it was compared with the last written value)',
    ],
    [
      'the same field if the service shows it',
      {
        ...{ names, desired: [desiredOf('E1', { ...held, ...unit })], links: LINKED },
        ...{ observed: [observedOf('u1', { ...held, tags: {} })], base: { E1: { ...held, tags: { unit: 'south' } } } },
      },
      'update',
      'changed',
      'tags changed in hr',
    ],
    [
      'somebody new, with nothing written before',
      { names, desired: [desiredOf('E1', { ...held, ...unit })] },
      'create',
      'joined',
      'in hr, not in the service',
    ],
  ])('is right: %s', (_, world, action, kind, text) => {
    const label = action === 'create' ? 'Jane <jane@example.com>' : 'label of u1';
    expect(explain(world)).toEqual([[action, label, kind, text]]);
  });
});

describe('the label of a new object', () => {
  const names = { countries: ['no'], offices: ['no/Oslo'], customers: ['C1'], projects: ['P1'], emails: ['E1'] };
  it.each<readonly [entity: Entity, values: Values, label: string]>([
    ['users', { email: 'a@x.test', office: OSLO }, 'K <a@x.test>'],
    ['customers', { customer_name: { no: 'Fjord', en: 'Fiord' } }, 'Fjord'],
    ['projects', { customer: 'C1', project_name: { en: 'Dam' } }, 'Dam'],
    ['countries', { code: 'se', native_language_code: 'sv' }, 'se'],
    ['tag_categories', { external_unique_id: 'unit', values: { en: 'Unit' } }, 'Unit'],
    ['proposals', { name: 'Bid' }, 'Bid'],
    ['staffing', { project: 'P1', user: 'E1' }, 'E1 on P1'],
    ['courses', { user: 'E1', external_unique_id: 'X', name: { en: 'Dams' } }, 'Dams of E1'],
    ['technologies', { user: 'E1', external_unique_id: 'X', category: { en: 'Tools' } }, 'Tools of E1'],
    ['courses', { user: 'E1', external_unique_id: 'X' }, 'K of E1'],
  ])('is right for %s: %j', (entity, values, label) => {
    const [made] = explain({ names, desired: [desiredOf('K', values, { entity })] }, entity);
    expect(made?.slice(0, 2)).toEqual(['create', label]);
  });
});

describe('a record that takes over the account of another key', () => {
  const desired = [desiredOf('E2', { ...held, external_unique_id: 'E2' })];
  const absent = { due: true, text: 'missing from 3 reads', since: '2026-11-19T08:00:00.000Z' };
  const relinks = (active: boolean, more: Partial<World['absent']> = {}) =>
    reconcileWorld({
      desired,
      links: LINKED,
      observed: [observedOf('u1', held, { active })],
      absent: { ...absent, ...more },
    })
      .changes()
      .map(({ action, fields, before, after, reason, target }) => ({ action, fields, before, after, reason, target }));
  const text = 'E1 → E2: same e-mail and name';

  it('moves the link and changes what differs', () => {
    expect(relinks(true)).toEqual([
      {
        action: 'relink',
        fields: ['external_unique_id', 'source_key'],
        before: { external_unique_id: 'E1', source_key: 'E1' },
        after: { external_unique_id: 'E2', source_key: 'E2' },
        reason: { kind: 'relinked', text },
        target: 'u1',
      },
    ]);
  });

  it('is a change even if nothing else differs', () => {
    const world: World = { links: LINKED, observed: [observedOf('u1', held)], absent };
    const { external_unique_id: _key, ...rest } = held;
    expect(reconcileWorld({ ...world, desired: [desiredOf('E2', rest)] }).changes()).toMatchObject([
      { action: 'relink', fields: ['source_key'] },
    ]);
  });

  it('reactivates an inactive account', () => {
    expect(relinks(false)).toMatchObject([
      {
        action: 'relink',
        fields: ['deactivated', 'external_unique_id', 'source_key'],
        before: { deactivated: true, source_key: 'E1' },
        after: { deactivated: false, source_key: 'E2' },
      },
    ]);
  });

  it('reports if the old key is missing since an edit', () => {
    expect(relinks(true, { sinceEdit: true })).toMatchObject([{ reason: { kind: 'relinked_since_edit', text } }]);
  });
});

describe('a customer whose id returns', () => {
  const named = (name: string): Values => ({ external_unique_id: 'C1', customer_name: { en: name } });
  // Every language has a name, and the source manages one of them.
  const shown = { ...named('Acme Norge AS'), customer_name: { en: 'Acme Norge AS', no: 'Acme Norge AS' } };
  const explainAs = (name: string) =>
    explain(
      {
        desired: [desiredOf('C1', named(name), { entity: 'customers' })],
        observed: [observedOf('k1', shown, { entity: 'customers' })],
        links: { 'customers:C1': 'k1' },
        base: { C1: named('Acme Norge AS') },
      },
      'customers',
    )[0]?.[3];

  it.each([
    ['with a part of its name', 'ACME', 'customer_name changed in hr'],
    [
      'without any part of it',
      'Zeta Bank',
      'customer_name changed in hr; the new name shares no word with "Acme Norge AS": C1 may now be another customer',
    ],
  ])('is reported %s', (_how, name, text) => {
    expect(explainAs(name)).toBe(text);
  });
});
