import { type Attribute, defineAttribute, defineComplex, defineList } from './attributes.js';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

const exact = { caseExact: true } as const;
const reference = (...referenceTypes: string[]) => ({ type: 'reference', caseExact: true, referenceTypes }) as const;
const value = defineAttribute('value', 'The value itself.');
const WORK = ['work', 'home', 'other'];

/** Attributes that every resource has in addition to the attributes of its schema (RFC 7643, 3.1). */
export const COMMON: readonly Attribute[] = [
  defineAttribute('schemas', 'The schemas of the resource.', {
    ...reference('uri'),
    multiValued: true,
    mutability: 'readOnly',
    returned: 'always',
  }),
  defineAttribute('id', 'Permanent id of the resource in this service.', {
    ...exact,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  defineAttribute('externalId', 'Id of the resource in its origin.', exact),
  defineComplex('meta', 'Metadata of the resource.', { mutability: 'readOnly' }, [
    defineAttribute('resourceType', 'Its type.', exact),
    defineAttribute('created', 'When it was created.', { type: 'dateTime' }),
    defineAttribute('lastModified', 'When it was last changed.', { type: 'dateTime' }),
    defineAttribute('location', 'Its address.', reference('uri')),
    defineAttribute('version', 'Its version, as an entity tag.', exact),
  ]),
];

export const USER_SCHEMA: Schema = {
  id: USER,
  name: 'User',
  description: 'A person (RFC 7643, 4.1).',
  attributes: [
    defineAttribute('userName', 'The name that the person signs in with.', { required: true, uniqueness: 'server' }),
    defineComplex('name', 'The parts of the name.', {}, [
      defineAttribute('formatted', 'The full name.'),
      defineAttribute('familyName', 'Family name.'),
      defineAttribute('givenName', 'Given name.'),
      defineAttribute('middleName', 'Middle name.'),
      defineAttribute('honorificPrefix', 'Title before the name.'),
      defineAttribute('honorificSuffix', 'Suffix after the name.'),
    ]),
    defineAttribute('displayName', 'The name for display.'),
    defineAttribute('nickName', 'The casual name.'),
    defineAttribute('profileUrl', 'A page about the person.', reference('external')),
    defineAttribute('title', 'Job title.'),
    defineAttribute('userType', 'Relation to the organisation.'),
    defineAttribute('preferredLanguage', 'Preferred language.'),
    defineAttribute('locale', 'Locale for dates and numbers.'),
    defineAttribute('timezone', 'Time zone.'),
    defineAttribute('active', 'true if the person may sign in; false counts as having left.', { type: 'boolean' }),
    defineAttribute('password', 'Discarded on arrival.', { ...exact, mutability: 'writeOnly', returned: 'never' }),
    defineList('emails', 'E-mail addresses.', WORK, value),
    defineList('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other'], value),
    defineList('ims', 'Instant messaging addresses.', [], value),
    defineList(
      'photos',
      'Pictures.',
      ['photo', 'thumbnail'],
      defineAttribute('value', 'Its address.', reference('external')),
    ),
    defineComplex('addresses', 'Postal addresses.', { multiValued: true }, [
      defineAttribute('formatted', 'The complete address.'),
      defineAttribute('streetAddress', 'Street and number.'),
      defineAttribute('locality', 'City.'),
      defineAttribute('region', 'Region.'),
      defineAttribute('postalCode', 'Postal code.'),
      defineAttribute('country', 'Country.'),
      defineAttribute('type', 'The purpose of the address.', { canonicalValues: WORK }),
      defineAttribute('primary', 'true for the main value.', { type: 'boolean' }),
    ]),
    defineComplex(
      'groups',
      'The groups the person is a member of; changed through the groups.',
      { multiValued: true, mutability: 'readOnly' },
      [
        defineAttribute('value', 'Id of the group.', { ...exact, mutability: 'readOnly' }),
        defineAttribute('$ref', 'Address of the group.', { ...reference('Group'), mutability: 'readOnly' }),
        defineAttribute('display', 'Name of the group.', { mutability: 'readOnly' }),
        defineAttribute('type', 'Always direct.', { mutability: 'readOnly', canonicalValues: ['direct'] }),
      ],
    ),
    defineList('entitlements', 'Entitlements.', [], value),
    defineList('roles', 'Roles.', [], value),
    defineList(
      'x509Certificates',
      'Certificates.',
      [],
      defineAttribute('value', 'The certificate.', { type: 'binary', ...exact }),
    ),
  ],
};

export const ENTERPRISE_SCHEMA: Schema = {
  id: ENTERPRISE,
  name: 'EnterpriseUser',
  description: 'A person in an organisation (RFC 7643, 4.3).',
  attributes: [
    defineAttribute('employeeNumber', 'Number of the employee.'),
    defineAttribute('costCenter', 'Cost centre.'),
    defineAttribute('organization', 'Organisation.'),
    defineAttribute('division', 'Division.'),
    defineAttribute('department', 'Department.'),
    defineComplex('manager', 'The manager.', {}, [
      defineAttribute('value', 'Id of the manager.', exact),
      defineAttribute('$ref', 'Address of the manager.', reference('User')),
      defineAttribute('displayName', 'Name of the manager.', { mutability: 'readOnly' }),
    ]),
  ],
};

export const GROUP_SCHEMA: Schema = {
  id: GROUP,
  name: 'Group',
  description: 'A group of people and groups (RFC 7643, 4.2).',
  attributes: [
    defineAttribute('displayName', 'Name of the group.', { required: true }),
    defineComplex('members', 'Its members.', { multiValued: true }, [
      defineAttribute('value', 'Id of the member.', { ...exact, mutability: 'immutable' }),
      defineAttribute('$ref', 'Address of the member.', { ...reference('User', 'Group'), mutability: 'immutable' }),
      defineAttribute('type', 'User or Group.', { mutability: 'immutable', canonicalValues: ['User', 'Group'] }),
      defineAttribute('display', 'Name of the member.', { mutability: 'readOnly' }),
    ]),
  ],
};
