import { ENTERPRISE, USER } from '../desk.js';
import { PATCH_OP, type Rule } from './rule.js';

const patch = (rule: string, Operations: unknown, status: number, scimType?: string, schemas = [PATCH_OP]): Rule => ({
  rule: `PATCH ${rule}`,
  ask: ['PATCH', '/Users/{jane}', { schemas, Operations }],
  status,
  ...(scimType === undefined ? {} : { scimType }),
});

/** PUT, PATCH and versions. */
export const CHANGE_RULES: readonly Rule[] = [
  // 3.5.1: replacing
  {
    rule: 'PUT without userName',
    ask: ['PUT', '/Users/{jane}', { schemas: [USER] }],
    status: 400,
    scimType: 'invalidValue',
  },
  {
    rule: 'PUT with another id',
    ask: ['PUT', '/Users/{jane}', { schemas: [USER], id: 'x', userName: 'jane' }],
    status: 200,
  },
  {
    rule: 'PUT with a taken name',
    ask: ['PUT', '/Users/{jane}', { schemas: [USER], userName: 'BO' }],
    status: 409,
    scimType: 'uniqueness',
  },
  {
    rule: 'PUT with an old version',
    ask: ['PUT', '/Users/{jane}', { userName: 'jane' }, { 'if-match': 'W/"none"' }],
    status: 412,
  },
  {
    rule: 'PATCH with an old version',
    ask: ['PATCH', '/Users/{jane}', { Operations: [{ op: 'remove', path: 'title' }] }, { 'if-match': 'W/"none"' }],
    status: 412,
  },
  {
    rule: 'DELETE with an old version',
    ask: ['DELETE', '/Users/{jane}', undefined, { 'if-match': 'W/"none"' }],
    status: 412,
  },
  {
    rule: 'PUT with any version',
    ask: ['PUT', '/Users/{jane}', { userName: 'jane' }, { 'if-match': '*' }],
    status: 200,
  },
  // 3.5.2: changing
  patch('no Operations', undefined, 400, 'invalidSyntax'),
  patch('Operations are not a list', { op: 'remove', path: 'title' }, 400, 'invalidSyntax'),
  patch('no operations, as from Entra’s validator', [], 200),
  patch('another schema', [{ op: 'remove', path: 'title' }], 400, 'invalidSyntax', [USER]),
  patch('an unknown op', [{ op: 'move', path: 'title' }], 400, 'invalidSyntax'),
  patch('an op that is not text', [{ op: { toString: 1, valueOf: 1 }, path: 'title' }], 400, 'invalidSyntax'),
  patch('a missing op', [{ path: 'title', value: 'x' }], 400, 'invalidSyntax'),
  patch('remove without a path', [{ op: 'remove' }], 400, 'noTarget'),
  patch('add without path and value', [{ op: 'add' }], 400, 'invalidValue'),
  patch('replace with a text and without a path', [{ op: 'replace', value: 'x' }], 400, 'invalidValue'),
  patch('replace without a value', [{ op: 'replace', path: 'title' }], 400, 'invalidValue'),
  patch('an unknown attribute', [{ op: 'add', path: 'favouriteColour', value: 'x' }], 400, 'invalidPath'),
  patch('an unknown part', [{ op: 'add', path: 'name.nick', value: 'x' }], 400, 'invalidPath'),
  patch('an invalid path', [{ op: 'add', path: 'emails[', value: 'x' }], 400, 'invalidPath'),
  patch('a path that is a number', [{ op: 'add', path: 1, value: 'x' }], 400, 'invalidPath'),
  patch('a filter on a single value', [{ op: 'add', path: 'name[givenName eq "x"]', value: {} }], 400, 'invalidPath'),
  patch(
    'a filter that chooses nobody',
    [{ op: 'replace', path: 'emails[value co "none"].type', value: 'x' }],
    400,
    'noTarget',
  ),
  patch('id', [{ op: 'replace', path: 'id', value: 'x' }], 400, 'mutability'),
  patch('meta', [{ op: 'remove', path: 'meta' }], 400, 'mutability'),
  patch('the groups of a person', [{ op: 'add', path: 'groups', value: [{ value: '{team}' }] }], 400, 'mutability'),
  patch('remove a required attribute', [{ op: 'remove', path: 'userName' }], 400, 'mutability'),
  patch('schemas, which are derived', [{ op: 'add', path: 'schemas', value: [ENTERPRISE] }], 200),
  patch('remove a missing attribute', [{ op: 'remove', path: 'nickName' }], 200),
  patch('an invalid boolean', [{ op: 'replace', path: 'active', value: 'perhaps' }], 400, 'invalidValue'),
  patch('a taken name', [{ op: 'replace', path: 'userName', value: 'Bo' }], 409, 'uniqueness'),
];
