import { describe, expect, it } from 'vitest';
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
  /** Attributes afterwards; undefined: it has none. */
  readonly after: Readonly<Record<string, unknown>>;
}

const WORK = START.emails[0];
const HOME = START.emails[1];

const ROWS: readonly Row[] = [
  {
    what: 'Entra: op with a capital, active as a text',
    do: [{ op: 'Replace', path: 'active', value: 'False' }],
    after: { active: false },
  },
  {
    what: 'Entra, older: a single value as a list',
    do: [{ op: 'Replace', path: 'displayName', value: [{ $ref: null, value: 'J' }] }],
    after: { displayName: 'J' },
  },
  {
    what: 'Entra, older: the same for a part, and an element as a list of one',
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
    what: 'Entra’s validator: the type before the value of an element that is not there yet',
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
    what: 'without a path: dotted keys, URN keys, value paths, and names that nobody knows',
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
    what: 'without a path: an extension as an object, a name in part',
    do: [{ op: 'replace', value: { [ENTERPRISE]: { division: 'North' }, name: { familyName: 'Roe' } } }],
    after: {
      [ENTERPRISE]: { department: 'Sales', manager: { value: 'm1' }, division: 'North' },
      name: { givenName: 'Jane', familyName: 'Roe' },
    },
  },
  {
    what: 'a value path that chooses nothing makes the element: add',
    do: [{ op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' }],
    after: { phoneNumbers: [{ type: 'work', value: '1' }] },
  },
  {
    what: 'a value path that chooses nothing makes the element: replace',
    do: [{ op: 'replace', path: 'emails[Type eq "other" and primary eq "false"].value', value: 'o@e.no' }],
    after: { emails: [WORK, HOME, { type: 'other', primary: false, value: 'o@e.no' }] },
  },
  {
    what: 'a value path with a whole element',
    do: [{ op: 'replace', path: 'emails[type eq "home"]', value: { value: 'new@home.example' } }],
    after: { emails: [WORK, { type: 'home', value: 'new@home.example' }] },
  },
  {
    what: 'an element whose value is emptied is gone',
    do: [{ op: 'replace', path: 'emails[type eq "home"].value', value: '' }],
    after: { emails: [WORK] },
  },
  { what: 'an element is removed', do: [{ op: 'remove', path: 'emails[type eq "work"]' }], after: { emails: [HOME] } },
  {
    what: 'an element that is not there is removed: nothing',
    do: [{ op: 'remove', path: 'emails[type eq "other"]' }],
    after: { emails: START.emails },
  },
  {
    what: 'a part of an element is removed',
    do: [{ op: 'remove', path: 'emails[type eq "work"].primary' }],
    after: { emails: [{ type: 'work', value: 'jane@work.example' }, HOME] },
  },
  {
    what: 'elements are removed by value',
    do: [{ op: 'remove', path: 'emails', value: [{ value: 'jane@home.example' }] }],
    after: { emails: [WORK] },
  },
  { what: 'a list is removed', do: [{ op: 'remove', path: 'emails' }], after: { emails: undefined } },
  {
    what: 'the same element twice stays one',
    do: [{ op: 'add', path: 'emails', value: [{ type: 'home', value: 'jane@home.example' }] }],
    after: { emails: START.emails },
  },
  {
    what: 'a new primary takes the place of the old one',
    do: [{ op: 'add', path: 'emails', value: { type: 'other', value: 'o@e.no', primary: true } }],
    after: { emails: [{ ...WORK, primary: false }, HOME, { type: 'other', value: 'o@e.no', primary: true }] },
  },
  {
    what: 'a manager as a plain text',
    do: [{ op: 'Add', path: `${ENTERPRISE}:manager`, value: 'm2' }],
    after: { [ENTERPRISE]: { department: 'Sales', manager: { value: 'm2' } } },
  },
  {
    what: 'a manager as an object',
    do: [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: { value: 'm2', displayName: 'Boss' } }],
    after: { [ENTERPRISE]: { department: 'Sales', manager: { value: 'm2' } } },
  },
  {
    what: 'a manager is taken away by an empty text',
    do: [{ op: 'replace', path: `${ENTERPRISE}:manager`, value: '' }],
    after: { [ENTERPRISE]: { department: 'Sales' } },
  },
  {
    what: 'a manager is removed',
    do: [{ op: 'Remove', path: `${ENTERPRISE}:manager` }],
    after: { [ENTERPRISE]: { department: 'Sales' } },
  },
  {
    what: 'an extension is removed, and its schema with it',
    do: [{ op: 'remove', path: ENTERPRISE }],
    after: { [ENTERPRISE]: undefined, schemas: [USER] },
  },
  { what: 'null takes away', do: [{ op: 'replace', path: 'title', value: null }], after: { title: undefined } },
  {
    what: 'a part of a name is removed',
    do: [{ op: 'remove', path: 'name.givenName' }],
    after: { name: { familyName: 'Doe' } },
  },
  {
    what: 'several operations, one after the other',
    do: [
      { op: 'remove', path: 'title' },
      { op: 'add', path: 'title', value: 'Boss' },
    ],
    after: { title: 'Boss' },
  },
];

describe('PATCH of a user', () => {
  it.each(ROWS)('$what', async ({ do: operations, after }) => {
    const { call, addUser, patch } = await openDesk();
    const before = await addUser('jane', START);
    const { status, json } = await patch(`/Users/${before.id}`, ...operations);
    const expected: Record<string, unknown> = { ...before, ...after, meta: json.meta };
    expect([status, json]).toEqual([200, JSON.parse(JSON.stringify(expected))]);
    expect((await call('GET', `/Users/${before.id}`)).json).toEqual(json);
  });

  const REFUSED: readonly (readonly [what: string, operation: object, scimType: string])[] = [
    ['another op', { op: 'move', path: 'title', value: 'x' }, 'invalidSyntax'],
    ['no op', { path: 'title', value: 'x' }, 'invalidSyntax'],
    ['a path that names nothing', { op: 'add', path: 'favouriteColour', value: 'green' }, 'invalidPath'],
    ['a path that cannot be read', { op: 'add', path: 'emails[type eq', value: 'x' }, 'invalidPath'],
    ['a path that is no text', { op: 'add', path: 7, value: 'x' }, 'invalidPath'],
    ['a part that is not there', { op: 'add', path: 'emails[type eq "work"].colour', value: 'x' }, 'invalidPath'],
    ['a filter on a single value', { op: 'add', path: 'title[value eq "x"]', value: 'x' }, 'invalidPath'],
    ['an id', { op: 'replace', path: 'id', value: 'x' }, 'mutability'],
    ['the groups', { op: 'add', path: 'groups', value: [{ value: 'g' }] }, 'mutability'],
    ['the name removed', { op: 'remove', path: 'userName' }, 'mutability'],
    ['an empty name', { op: 'replace', path: 'userName', value: '' }, 'invalidValue'],
    ['a remove without a path', { op: 'remove' }, 'noTarget'],
    ['a value path nobody can make', { op: 'add', path: 'emails[value co "zzz"].value', value: 'x' }, 'noTarget'],
    ['active in other words', { op: 'replace', path: 'active', value: 'perhaps' }, 'invalidValue'],
    ['a name as a text', { op: 'replace', path: 'name', value: 'Jane' }, 'invalidValue'],
    ['no value', { op: 'add', path: 'title' }, 'invalidValue'],
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
  it.each(REFUSED)('refuses %s, and nothing of the request happens', async (_what, operation, scimType) => {
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

  it('refuses a body without a list of operations', async () => {
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
