import { describe, expect, it } from 'vitest';
import { oneIn } from '../../../depth.js';
import { ENTERPRISE, openDesk, USER } from './desk.js';

const START = {
  externalId: 'e1',
  displayName: 'Jane Doe',
  name: { givenName: 'Jane', familyName: 'Doe' },
  title: 'Consultant',
  emails: [
    { type: 'work', value: 'jane@work.example', primary: true },
    { type: 'home', value: 'jane@home.example' },
  ],
  [ENTERPRISE]: { department: 'Sales', manager: { value: 'm1' } },
};

interface Row {
  readonly what: string;
  readonly do: readonly object[];
  /** The attributes afterwards; undefined means missing. */
  readonly after: Readonly<Record<string, unknown>>;
}

const WORK = START.emails[0];
const HOME = START.emails[1];

const ROWS: readonly Row[] = [
  {
    what: 'Entra: capital op, active as a text',
    do: [{ op: 'Replace', path: 'active', value: 'False' }],
    after: { active: false },
  },
  {
    what: 'older Entra: a single value as a list',
    do: [{ op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'J' }] }],
    after: { displayName: 'J' },
  },
  {
    what: 'older Entra: the same for a part, and an element as a list of one',
    do: [
      { op: 'Replace', path: 'name.familyName', value: [{ $ref: null, value: 'Roe' }] },
      { op: 'Replace', path: 'emails[type eq "work"].value', value: [{ $ref: null, value: 'roe@work.example' }] },
      { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: [{ $ref: null, value: '+47 1' }] },
      { op: 'Replace', path: 'emails[type eq "home"]', value: [{ value: 'roe@home.example' }] },
    ],
    after: {
      name: { givenName: 'Jane', familyName: 'Roe' },
      emails: [
        { ...WORK, value: 'roe@work.example' },
        { ...HOME, value: 'roe@home.example' },
      ],
      phoneNumbers: [{ type: 'mobile', value: '+47 1' }],
    },
  },
  {
    what: 'Entra’s validator: the type before the value of a missing element',
    do: [
      { op: 'add', path: 'phoneNumbers[type eq "work"].primary', value: 'True' },
      { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '+47 1' },
      { op: 'add', path: 'roles[primary eq "True"].type', value: 'x' },
      { op: 'add', path: 'roles[primary eq "True"].value', value: 'admin' },
    ],
    after: {
      phoneNumbers: [{ type: 'work', primary: true, value: '+47 1' }],
      roles: [{ primary: true, type: 'x', value: 'admin' }],
    },
  },
  { what: 'Okta: without a path', do: [{ op: 'replace', value: { active: false } }], after: { active: false } },
  {
    what: 'without a path: dotted keys, URN keys, value paths, and unknown names',
    do: [
      {
        op: 'add',
        value: {
          'name.givenName': 'Janet',
          [`${ENTERPRISE}:department`]: 'IT',
          'emails[type eq "work"].value': 'janet@work.example',
          'phoneNumbers[type eq "mobile"].value': '+47 1',
          [`${USER}:nickName`]: 'J',
          id: 'other',
          schemas: [],
          favouriteColour: 'green',
        },
      },
    ],
    after: {
      name: { givenName: 'Janet', familyName: 'Doe' },
      [ENTERPRISE]: { department: 'IT', manager: { value: 'm1' } },
      emails: [{ ...WORK, value: 'janet@work.example' }, HOME],
      phoneNumbers: [{ type: 'mobile', value: '+47 1' }],
      nickName: 'J',
    },
  },
  {
    what: 'without a path: an extension as an object, a partial name',
    do: [{ op: 'replace', value: { [ENTERPRISE]: { division: 'North' }, name: { familyName: 'Roe' } } }],
    after: {
      [ENTERPRISE]: { department: 'Sales', manager: { value: 'm1' }, division: 'North' },
      name: { givenName: 'Jane', familyName: 'Roe' },
    },
  },
  {
    what: 'add creates the element of a value path without a match',
    do: [{ op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' }],
    after: { phoneNumbers: [{ type: 'work', value: '1' }] },
  },
  {
    what: 'replace creates the element of a value path without a match',
    do: [{ op: 'replace', path: 'emails[Type eq "other" and primary eq "false"].value', value: 'o@e.no' }],
    after: { emails: [WORK, HOME, { type: 'other', primary: false, value: 'o@e.no' }] },
  },
  {
    what: 'a value path replaces an element',
    do: [{ op: 'replace', path: 'emails[type eq "home"]', value: { value: 'new@home.example' } }],
    after: { emails: [WORK, { type: 'home', value: 'new@home.example' }] },
  },
  {
    what: 'an empty value removes an element',
    do: [{ op: 'replace', path: 'emails[type eq "home"].value', value: '' }],
    after: { emails: [WORK] },
  },
  { what: 'removes an element', do: [{ op: 'remove', path: 'emails[type eq "work"]' }], after: { emails: [HOME] } },
  {
    what: 'ignores the removal of a missing element',
    do: [{ op: 'remove', path: 'emails[type eq "other"]' }],
    after: { emails: START.emails },
  },
  {
    what: 'removes a part of an element',
    do: [{ op: 'remove', path: 'emails[type eq "work"].primary' }],
    after: { emails: [{ type: 'work', value: 'jane@work.example' }, HOME] },
  },
  {
    what: 'removes elements by value',
    do: [{ op: 'remove', path: 'emails', value: [{ value: 'jane@home.example' }] }],
    after: { emails: [WORK] },
  },
  { what: 'removes a list', do: [{ op: 'remove', path: 'emails' }], after: { emails: undefined } },
  {
    what: 'does not add an element twice',
    do: [{ op: 'add', path: 'emails', value: [{ type: 'home', value: 'jane@home.example' }] }],
    after: { emails: START.emails },
  },
  {
    what: 'a new primary replaces the old one',
    do: [{ op: 'add', path: 'emails', value: { type: 'other', value: 'o@e.no', primary: true } }],
    after: { emails: [{ ...WORK, primary: false }, HOME, { type: 'other', value: 'o@e.no', primary: true }] },
  },
  {
    what: 'reads a manager as a plain text',
    do: [{ op: 'Add', path: `${ENTERPRISE}:manager`, value: 'm2' }],
    after: { [ENTERPRISE]: { department: 'Sales', manager: { value: 'm2' } } },
  },
  {
    what: 'reads a manager as an object',
    do: [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: { value: 'm2', displayName: 'Boss' } }],
    after: { [ENTERPRISE]: { department: 'Sales', manager: { value: 'm2' } } },
  },
  {
    what: 'an empty text removes a manager',
    do: [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: '' }],
    after: { [ENTERPRISE]: { department: 'Sales' } },
  },
  {
    what: 'removes a manager',
    do: [{ op: 'Remove', path: `${ENTERPRISE}:manager` }],
    after: { [ENTERPRISE]: { department: 'Sales' } },
  },
  {
    what: 'removes an extension and its schema',
    do: [{ op: 'remove', path: ENTERPRISE }],
    after: { [ENTERPRISE]: undefined, schemas: [USER] },
  },
  {
    what: 'null removes an attribute',
    do: [{ op: 'replace', path: 'title', value: null }],
    after: { title: undefined },
  },
  {
    what: 'removes a part of a name',
    do: [{ op: 'remove', path: 'name.givenName' }],
    after: { name: { familyName: 'Doe' } },
  },
  {
    what: 'applies several operations in order',
    do: [
      { op: 'remove', path: 'title' },
      { op: 'add', path: 'title', value: 'Boss' },
    ],
    after: { title: 'Boss' },
  },
];

describe('PATCH of a user', () => {
  it.each(oneIn(1 / 2, ROWS))('$what', async ({ do: operations, after }) => {
    const { call, addUser, patch } = await openDesk();
    const before = await addUser('jane', START);
    const { status, json } = await patch(`/Users/${before.id}`, ...operations);
    const expected: Record<string, unknown> = { ...before, ...after, meta: json.meta };
    expect([status, json]).toEqual([200, JSON.parse(JSON.stringify(expected))]);
    expect((await call('GET', `/Users/${before.id}`)).json).toEqual(json);
  });

  const REFUSED: readonly (readonly [what: string, operation: object, scimType: string])[] = [
    ['an unknown op', { op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
    ['a missing op', { path: 'title', value: 'x' }, 'invalidSyntax'],
    ['an unknown path', { op: 'add', path: 'favouriteColour', value: 'green' }, 'invalidPath'],
    ['an invalid path', { op: 'add', path: 'emails[type eq', value: 'x' }, 'invalidPath'],
    ['a path that is not text', { op: 'add', path: 7, value: 'x' }, 'invalidPath'],
    ['an unknown part', { op: 'add', path: 'emails[type eq "work"].colour', value: 'x' }, 'invalidPath'],
    ['a filter on a single value', { op: 'add', path: 'title[value eq "x"]', value: 'x' }, 'invalidPath'],
    ['an id', { op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    ['the groups', { op: 'add', path: 'groups', value: [{ value: 'g' }] }, 'mutability'],
    ['a removed name', { op: 'remove', path: 'userName' }, 'mutability'],
    ['an empty name', { op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
    ['a remove without a path', { op: 'remove' }, 'noTarget'],
    [
      'a value path that cannot create an element',
      { op: 'add', path: 'emails[value co "zzz"].value', value: 'x' },
      'noTarget',
    ],
    ['an unclear value of active', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    ['a name as a text', { op: 'replace', path: 'name', value: 'Jane' }, 'invalidValue'],
    ['a missing value', { op: 'add', path: 'title' }, 'invalidValue'],
    ['neither path nor object', { op: 'add', value: 'x' }, 'invalidValue'],
    [
      'two primaries',
      {
        op: 'replace',
        path: 'emails',
        value: [
          { value: 'a', primary: true },
          { value: 'b', primary: true },
        ],
      },
      'invalidValue',
    ],
  ];
  it.each(oneIn(1 / 2, REFUSED))('rejects %s and the other operations', async (_what, operation, scimType) => {
    const { call, addUser, patch } = await openDesk();
    const before = await addUser('jane', START);
    const { status, json } = await patch(
      `/Users/${before.id}`,
      { op: 'replace', path: 'nickName', value: 'J' },
      operation,
    );
    expect([status, json.scimType, json.status]).toEqual([400, scimType, '400']);
    expect((await call('GET', `/Users/${before.id}`)).json).toEqual(before);
  });

  it('rejects a body without a list of operations', async () => {
    const { call, addUser } = await openDesk();
    const { id } = await addUser('jane');
    for (const body of [{}, { Operations: 'x' }, { Operations: ['x'] }, [], 'no json']) {
      expect(await call('PATCH', `/Users/${id}`, body)).toMatchObject({
        status: 400,
        json: { scimType: 'invalidSyntax' },
      });
    }
  });
});
