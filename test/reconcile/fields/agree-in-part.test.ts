import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import { agreeInPart, keepUnread } from '../../../src/reconcile/fields/agree-in-part.js';

interface Row {
  readonly entity?: Entity;
  /** What the source wants, what the service holds, what was agreed on before; what is agreed on now. */
  readonly desired: Values;
  readonly observed: Values;
  readonly base?: Values | null;
  readonly agreed: Values;
}

const OSLO = { country: 'no', name: 'Oslo' };
const BERGEN = { country: 'no', name: 'Bergen' };

const ROWS: Readonly<Record<string, Row>> = {
  'both sides hold it alike': { desired: { name: 'a' }, observed: { name: 'a' }, base: null, agreed: { name: 'a' } },
  'they hold it alike by now': {
    desired: { name: 'a' },
    observed: { name: 'a' },
    base: { name: 'b' },
    agreed: { name: 'a' },
  },
  'they differ: what was agreed on stays': {
    desired: { name: 'a' },
    observed: { name: 'b' },
    base: { name: 'c' },
    agreed: { name: 'c' },
  },
  'they differ, and never agreed': { desired: { name: 'a' }, observed: { name: 'b' }, base: null, agreed: {} },
  'what the record does not name is not agreed on any more': {
    desired: {},
    observed: { name: 'b' },
    base: { name: 'b' },
    agreed: {},
  },
  'no field of the entity': { desired: { shoe_size: 9 }, observed: { shoe_size: 9 }, base: null, agreed: {} },
  'languages, each for itself': {
    desired: { title: { en: 'a', no: 'b', sv: 'c' } },
    observed: { title: { en: 'a', no: 'x', sv: 'y' } },
    base: { title: { no: 'n', de: 'd' } },
    agreed: { title: { en: 'a', no: 'n' } },
  },
  'no language alike, and none agreed on': {
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
  'what can be said on create alone: as it was': {
    entity: 'projects',
    desired: { offices: [OSLO] },
    observed: { offices: [BERGEN] },
    base: { offices: [BERGEN] },
    agreed: { offices: [BERGEN] },
  },
  'what can be said on create alone, and was not agreed on': {
    entity: 'projects',
    desired: { offices: [OSLO] },
    observed: { offices: [BERGEN] },
    base: {},
    agreed: { offices: [OSLO] },
  },
  'an office goes with its id, so that a new name of it is no other office': {
    desired: { office: OSLO },
    observed: { office: OSLO, office_id: 'o1' },
    base: null,
    agreed: { office: OSLO, office_id: 'o1' },
  },
  'an office that was agreed on before keeps the id of then': {
    desired: { office: OSLO },
    observed: { office: BERGEN, office_id: 'o2' },
    base: { office: BERGEN, office_id: 'o9' },
    agreed: { office: BERGEN, office_id: 'o9' },
  },
  'an office whose id nobody shows': {
    desired: { office: OSLO },
    observed: { office: OSLO },
    base: null,
    agreed: { office: OSLO },
  },
  'an office that the record names no more': {
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

describe('what is agreed on of a pair that is equal in part', () => {
  it.each(Object.entries(ROWS))('%s', (_, { entity = 'users', desired, observed, base = null, agreed }) => {
    expect(agreeInPart({ entity, desired, observed, written: null, rules: {} }, base)).toEqual(agreed);
  });
});

const BEFORE: Values = { telephone: '1', title: { en: 'a', no: 'b' }, office: OSLO, office_id: 'o1' };

describe('what was agreed on of what a source that could not be read says stays', () => {
  it.each<[string, readonly string[], Values, Values]>([
    ['nothing is unread', [], {}, {}],
    ['a field', ['telephone'], { name: 'c' }, { name: 'c', telephone: '1' }],
    ['a field that is agreed on anew', ['telephone'], { telephone: '2' }, { telephone: '2' }],
    ['one language beside another', ['title.no'], { title: { en: 'c' } }, { title: { en: 'c', no: 'b' } }],
    ['a language that was never agreed on', ['title.sv'], { title: { en: 'c' } }, { title: { en: 'c' } }],
    ['half an office: with its id', ['office.name'], {}, { office: OSLO, office_id: 'o1' }],
    ['no field of the entity', ['modified'], {}, {}],
  ])('%s', (_, unread, agreed, kept) => {
    expect(keepUnread(agreed, BEFORE, 'users', unread)).toEqual(kept);
  });

  it('where nothing was agreed on, nothing is', () => {
    expect(keepUnread({}, null, 'users', ['telephone'])).toEqual({});
  });
});
