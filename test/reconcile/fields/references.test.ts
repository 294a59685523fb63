import { describe, expect, test } from 'vitest';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import { resolveNames } from '../../../src/reconcile/fields/references.js';
import { changeOf, desiredOf, observedOf } from '../../samples.js';
import { createFakePorts, type FakePorts, OSLO, settingsOf } from '../fake-ports.js';

const NAMES = {
  countries: ['no'],
  offices: ['no/Oslo'],
  categories: ['unit', 'grade'],
  tags: ['unit/north', 'unit/south', 'grade/a'],
  customers: ['C1'],
  emails: ['jane', 'joe', 'eve'],
  projects: ['P1'],
  industries: ['Water'],
  customFields: { size: 'numeric' },
};
const BODO = { country: 'no', name: 'Bodø' };
/** Joe's account is inactive, and Eve's is about to be. */
const PEOPLE = [
  observedOf('u:jane', {}, { label: 'Jane' }),
  observedOf('u:joe', {}, { label: 'Joe', active: false }),
  observedOf('u:eve', {}, { label: 'Eve' }),
];

/** Customers without a planned change; the second one will have another id than its key. */
const DELIVERED = [
  desiredOf('C7', { external_unique_id: 'c7' }, { entity: 'customers' }),
  desiredOf('C8', { external_unique_id: 'X8' }, { entity: 'customers' }),
];

interface Row {
  readonly entity?: Entity;
  readonly after: Values;
  /** The values that the object shows. */
  readonly shown?: Values;
  readonly prepare?: (ports: FakePorts) => void;
  readonly left: Values;
  readonly needs?: readonly string[];
  /** `field: the beginning of the reason` */
  readonly open?: readonly string[];
}

const plans =
  (action: 'create' | 'deactivate' | 'reactivate' | 'delete' | 'update', target: string | null, word?: string) =>
  (ports: FakePorts): void => {
    ports.plan.add(changeOf('users', 'K', { action, target, after: word === undefined ? {} : { email: word } }));
    if (word !== undefined) ports.plan.claim('users.email', word, 'K');
  };

const ROWS: Readonly<Record<string, Row>> = {
  'a plain field': { after: { name: 'a', telephone: null }, left: { name: 'a', telephone: null } },
  'no field of the entity': { after: { shoe_size: 9 }, left: { shoe_size: 9 } },
  'an office': { after: { office: OSLO }, left: { office: OSLO } },
  'a missing office': {
    after: { office: BODO, name: 'a' },
    left: { name: 'a' },
    open: ['office: The service has no office "Bodø"'],
  },
  'an office without a country': {
    after: { office: { name: 'Oslo' } },
    left: {},
    open: ['office: The service has no country ""'],
  },
  'no office': { after: { office: null }, left: {} },
  'a scope with a missing office': {
    after: { role_allowed_offices: [OSLO, BODO] },
    left: { role_allowed_offices: [OSLO] },
    open: ['role_allowed_offices: The service has no office "Bodø"'],
  },
  'a scope without a valid office': { after: { role_allowed_offices: ['Oslo'] }, left: {} },
  'a cleared scope': { after: { role_allowed_offices: null }, left: { role_allowed_offices: null } },
  'tags, one of them cleared': {
    after: { tags: { unit: 'north', grade: null } },
    left: { tags: { unit: 'north', grade: null } },
  },
  'tags, one of them missing': {
    after: { tags: { unit: 'east', grade: 'a' } },
    left: { tags: { grade: 'a' } },
    open: ['tags.unit: The service has no tag "east"'],
  },
  'the only tag, which is missing': {
    after: { tags: { unit: 'east' } },
    left: {},
    open: ['tags.unit: The service has no tag "east"'],
  },
  'a set of tags with a missing one, which keeps the current ones': {
    entity: 'customers',
    after: { tags: { unit: ['north', 'east'] } },
    shown: { tags: { unit: ['north', 'south'] } },
    left: { tags: { unit: ['north', 'south'] } },
    open: ['tags.unit: The service has no tag "east"'],
  },
  'a set of tags with a missing one, with none shown': {
    entity: 'customers',
    after: { tags: { unit: ['north', 'east'] } },
    left: { tags: { unit: ['north'] } },
    open: ['tags.unit: The service has no tag "east"'],
  },
  'a set of tags, all of them missing': {
    ...{ entity: 'customers', after: { tags: { unit: ['east'] } }, shown: { tags: { unit: ['north'] } }, left: {} },
    open: ['tags.unit: The service has no tag "east"'],
  },
  'an emptied set of tags': { entity: 'customers', after: { tags: { unit: [] } }, left: { tags: { unit: [] } } },
  'a customer': { entity: 'projects', after: { customer: 'C1' }, left: { customer: 'C1' } },
  'a missing customer': {
    entity: 'projects',
    after: { customer: 'C9' },
    left: {},
    open: ['customer: The service has no customer "C9" (by external_unique_id), and none will be created.'],
  },
  'a customer whose record is held': {
    entity: 'projects',
    after: { customer: 'C7' },
    left: {},
    open: ['customer: The service has no customer "C7" (by external_unique_id), and its record is held or left out.'],
  },
  'a customer whose record is delivered under another word': {
    entity: 'projects',
    after: { customer: 'C8' },
    left: {},
    open: ['customer: The service has no customer "C8" (by external_unique_id), and none will be created.'],
  },
  'an ambiguous word': {
    entity: 'projects',
    after: { customer: 'C1' },
    prepare: ({ service }) => {
      service.directory.find = () => ['k1', 'k2'];
    },
    left: {},
    open: ['customer: "C1" may mean 2 objects of the service: customer k1, k2.'],
  },
  'a person who is about to be created comes first': {
    ...{ entity: 'projects', after: { owners: ['new'] }, prepare: plans('create', null, 'new') },
    ...{ left: { owners: ['new'] }, needs: ['users:K'] },
  },
  'a person who is about to be deleted is left out': {
    ...{ entity: 'projects', after: { owners: ['new'] }, prepare: plans('delete', 'u9', 'new') },
    ...{ left: {}, open: ['owners: The service has no user "new" (by external_unique_id or email)'] },
  },
  'owners, one of them unknown: nobody is removed': {
    entity: 'projects',
    after: { owners: ['jane', 'nobody'] },
    shown: { owners: ['JANE', 'eve'] },
    left: { owners: ['jane', 'eve'] },
    open: ['owners: The service has no user "nobody"'],
  },
  'owners, all of them known: the others are removed': {
    ...{ entity: 'projects', after: { owners: ['jane'] }, shown: { owners: ['eve'] }, left: { owners: ['jane'] } },
  },
  'owners, all of them unknown, and none shown': {
    ...{ entity: 'projects', after: { owners: ['x'] }, left: {}, open: ['owners: The service has no user "x"'] },
  },
  'an inactive owner of a project': { entity: 'projects', after: { owners: ['joe'] }, left: { owners: ['joe'] } },
  'an inactive person for a proposal, and others already in it': {
    entity: 'proposals',
    after: { cvs: ['jane', 'joe'] },
    shown: { cvs: ['eve'] },
    left: { cvs: ['jane'] },
    open: ['cvs: Joe is deactivated in the service and is not put into a proposal.'],
  },
  'an inactive owner of a proposal': {
    entity: 'proposals',
    after: { owner: 'joe', name: 'a' },
    left: { name: 'a' },
    open: ['owner: Joe is deactivated in the service and is not put into a proposal.'],
  },
  'a person for a proposal who is about to be deactivated': {
    ...{ entity: 'proposals', after: { cvs: ['eve'] }, prepare: plans('deactivate', 'u:eve'), left: {} },
    open: ['cvs: Eve is about to be deactivated and is not put into a proposal.'],
  },
  'a person for a proposal who is about to be reactivated first': {
    ...{ entity: 'proposals', after: { cvs: ['joe'] }, prepare: plans('reactivate', 'u:joe') },
    ...{ left: { cvs: ['joe'] }, needs: ['users:K'] },
  },
  'a person for a proposal who is changed in another way': {
    ...{ entity: 'proposals', after: { cvs: ['eve'] }, prepare: plans('update', 'u:eve'), left: { cvs: ['eve'] } },
  },
  'custom fields, one of them not defined': {
    entity: 'projects',
    after: { custom_fields: { size: 1, colour: 'red' } },
    left: { custom_fields: { size: 1 } },
    open: ['custom_fields.colour: The service has no custom field "colour"'],
  },
  'custom fields, none of them defined': {
    entity: 'projects',
    after: { custom_fields: { colour: 'red' } },
    left: {},
    open: ['custom_fields.colour: The service has no custom field "colour"'],
  },
  'an industry': { entity: 'customers', after: { industry: 'water' }, left: { industry: 'water' } },
  'an unknown industry': {
    entity: 'customers',
    after: { industry: 'Air', customer_url: 'a' },
    left: { customer_url: 'a' },
    open: ['industry: The industry "Air" is not known'],
  },
};

describe('resolveNames', () => {
  test.each(Object.entries(ROWS))(
    'resolves %s',
    (_, { entity = 'users', after, shown, prepare, left, needs = [], open = [] }) => {
      const ports = createFakePorts({ names: NAMES, observed: PEOPLE, desired: DELIVERED });
      prepare?.(ports);
      const observed = shown === undefined ? null : observedOf('x1', shown, { entity });
      const context = { entity, place: 'hr a.csv:2', settings: settingsOf({ entity }), ports, observed };
      const found = resolveNames(after, context);
      expect({ left: found.after, needs: found.needs }).toEqual({ left, needs });
      expect(found.unresolved.map(({ field, reason }) => `${field}: ${reason}`)).toEqual(
        open.map((start) => expect.stringContaining(start)),
      );
      for (const { remedy } of found.unresolved) expect(remedy).toMatch(/^(Correct|Deliver|Make|Name|Add) .*\.$/);
    },
  );
});
