import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import { agreeInPart, keepUnread } from '../../../src/reconcile/fields/agree-in-part.js';

interface Row {
  readonly entity?: Entity;
  /** The values of the source and of the service, those agreed on before, and those agreed on now. */
  readonly desired: Values;
  readonly observed: Values;
  readonly base?: Values | null;
  readonly agreed: Values;
}

const OSLO = { country: 'no', name: 'Oslo' };
const BERGEN = { country: 'no', name: 'Bergen' };

const ROWS: Readonly<Record<string, Row>> = {
  'both sides hold the same': { desired: { name: 'a' }, observed: { name: 'a' }, base: null, agreed: { name: 'a' } },
  'both sides hold the same by now': {
    desired: { name: 'a' },
    observed: { name: 'a' },
    base: { name: 'b' },
    agreed: { name: 'a' },
  },
  'they differ, so the agreed value stays': {
    desired: { name: 'a' },
    observed: { name: 'b' },
    base: { name: 'c' },
    agreed: { name: 'c' },
  },
  'they differ, and never agreed': { desired: { name: 'a' }, observed: { name: 'b' }, base: null, agreed: {} },
  'a field that the record no longer names': {
    desired: {},
    observed: { name: 'b' },
    base: { name: 'b' },
    agreed: {},
  },
  'no field of the entity': { desired: { shoe_size: 9 }, observed: { shoe_size: 9 }, base: null, agreed: {} },
  'each language separately': {
    desired: { title: { en: 'a', no: 'b', sv: 'c' } },
    observed: { title: { en: 'a', no: 'x', sv: 'y' } },
    base: { title: { no: 'n', de: 'd' } },
    agreed: { title: { en: 'a', no: 'n' } },
  },
  'no equal language, and none agreed on': {
    desired: { title: { en: 'a' } },
    observed: { title: { en: 'b' } },
    base: { title: {} },
    agreed: {},
  },
  'a language that was agreed to be empty': {
    desired: { title: { en: 'a' } },
    observed: { title: { en: 'b' } },
    base: { title: { en: null } },
    agreed: { title: { en: null } },
  },
  'a create-only field, which keeps its agreed value': {
    entity: 'projects',
    desired: { offices: [OSLO] },
    observed: { offices: [BERGEN] },
    base: { offices: [BERGEN] },
    agreed: { offices: [BERGEN] },
  },
  'a create-only field that was not agreed on': {
    entity: 'projects',
    desired: { offices: [OSLO] },
    observed: { offices: [BERGEN] },
    base: {},
    agreed: { offices: [OSLO] },
  },
  'an office with its id, so that a new name does not mean another office': {
    desired: { office: OSLO },
    observed: { office: OSLO, office_id: 'o1' },
    base: null,
    agreed: { office: OSLO, office_id: 'o1' },
  },
  'an office that was agreed on before, with its old id': {
    desired: { office: OSLO },
    observed: { office: BERGEN, office_id: 'o2' },
    base: { office: BERGEN, office_id: 'o9' },
    agreed: { office: BERGEN, office_id: 'o9' },
  },
  'an office without an id': {
    desired: { office: OSLO },
    observed: { office: OSLO },
    base: null,
    agreed: { office: OSLO },
  },
  'an office that the record no longer names': {
    desired: {},
    observed: { office: OSLO, office_id: 'o1' },
    base: { office: OSLO, office_id: 'o1' },
    agreed: {},
  },
  'an office that is not agreed on': {
    desired: { office: OSLO },
    observed: { office: BERGEN, office_id: 'o2' },
    base: null,
    agreed: {},
  },
};

describe('the agreed values of a partly equal pair', () => {
  it.each(Object.entries(ROWS))(
    'are right for this case: %s',
    (_, { entity = 'users', desired, observed, base = null, agreed }) => {
      expect(agreeInPart({ entity, desired, observed, written: null, rules: {} }, base)).toEqual(agreed);
    },
  );
});

const BEFORE: Values = { telephone: '1', title: { en: 'a', no: 'b' }, office: OSLO, office_id: 'o1' };

describe('the agreed values of unread fields', () => {
  it.each<[string, readonly string[], Values, Values]>([
    ['nothing is unread', [], {}, {}],
    ['a field', ['telephone'], { name: 'c' }, { name: 'c', telephone: '1' }],
    ['a field that is agreed on again', ['telephone'], { telephone: '2' }, { telephone: '2' }],
    ['one language next to another', ['title.no'], { title: { en: 'c' } }, { title: { en: 'c', no: 'b' } }],
    ['a language that was never agreed on', ['title.sv'], { title: { en: 'c' } }, { title: { en: 'c' } }],
    ['half an office, with its id', ['office.name'], {}, { office: OSLO, office_id: 'o1' }],
    ['no field of the entity', ['modified'], {}, {}],
  ])('are kept: %s', (_, unread, agreed, kept) => {
    expect(keepUnread(agreed, BEFORE, 'users', unread)).toEqual(kept);
  });

  it('stay empty if nothing was agreed on', () => {
    expect(keepUnread({}, null, 'users', ['telephone'])).toEqual({});
  });
});
