import { GROUP, USER } from '../desk.js';
import type { Rule } from './rule.js';

const JSON_BODY = { 'content-type': 'application/json' };
const post = (rule: string, body: unknown, status: number, scimType?: string, headers = {}): Rule => ({
  rule: `POST ${rule}`,
  ask: ['POST', '/Users', body, headers],
  status,
  ...(scimType === undefined ? {} : { scimType }),
});

/** Formats of bodies, creation, and missing objects. */
export const REQUEST_RULES: readonly Rule[] = [
  // 3.1, 3.12, 3.13, 7: media types, texts, errors
  post('application/json', '{"userName":"a"}', 201, undefined, JSON_BODY),
  post('a charset of UTF-8, in any case', '{"userName":"a"}', 201, undefined, {
    'content-type': 'Application/SCIM+JSON;charset="UTF-8"',
  }),
  post('another charset', '{"userName":"a"}', 415, undefined, {
    'content-type': 'application/scim+json; charset=iso-8859-1',
  }),
  post('bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xe5, 0x22, 0x7d]), 400, 'invalidSyntax'),
  post('a byte order mark', '\uFEFF{"userName":"a"}', 201),
  post('another type', '<user/>', 415, undefined, { 'content-type': 'application/xml' }),
  post('an empty body', '', 400, 'invalidSyntax'),
  post('a truncated body', '{"userName":', 400, 'invalidSyntax'),
  post('a list', [], 400, 'invalidSyntax'),
  post('null', 'null', 400, 'invalidSyntax'),
  // 3.3: creating
  post('without userName', { schemas: [USER] }, 400, 'invalidValue'),
  post('userName is a list', { schemas: [USER], userName: ['a', 'b'] }, 400, 'invalidValue'),
  post('the schema of a group', { schemas: [GROUP], userName: 'a' }, 400, 'invalidValue'),
  post('schemas is empty', { schemas: [], userName: 'a' }, 400, 'invalidValue'),
  post('schemas are not texts', { schemas: [{ toString: 1 }], userName: 'a' }, 400, 'invalidValue'),
  post('schemas is a text', { schemas: USER, userName: 'a' }, 400, 'invalidValue'),
  post('an unknown extension', { schemas: [USER, 'urn:x:1.0:Y'], userName: 'a', 'urn:x:1.0:Y': { z: 1 } }, 201),
  post('an unknown attribute', { schemas: [USER], userName: 'a', favouriteColour: 'red' }, 201),
  post('ignores id and meta from the client', { userName: 'a', id: '1', meta: { version: 'x' } }, 201),
  post('an existing person', { userName: 'jane' }, 409, 'uniqueness'),
  post('an existing person in capitals', { userName: 'JANE' }, 409, 'uniqueness'),
  post(
    'two primary addresses',
    {
      userName: 'a',
      emails: [
        { value: 'x', primary: true },
        { value: 'y', primary: true },
      ],
    },
    400,
    'invalidValue',
  ),
  post('active is not a boolean', { userName: 'a', active: 'perhaps' }, 400, 'invalidValue'),
  post('name is a text', { userName: 'a', name: 'Jane' }, 400, 'invalidValue'),
  // 3.4.1, 3.2: missing resources
  { rule: 'GET of an unknown user', ask: ['GET', '/Users/4711'], status: 404 },
  { rule: 'PUT of an unknown user', ask: ['PUT', '/Users/4711', { userName: 'a' }], status: 404 },
  {
    rule: 'PATCH of an unknown user',
    ask: ['PATCH', '/Users/4711', { Operations: [{ op: 'remove', path: 'title' }] }],
    status: 404,
  },
  { rule: 'DELETE of an unknown user', ask: ['DELETE', '/Users/4711'], status: 404 },
  { rule: 'a group at the address of users', ask: ['GET', '/Users/{team}'], status: 404 },
  { rule: 'an unknown type', ask: ['GET', '/Devices'], status: 404 },
  { rule: 'an unknown schema', ask: ['GET', '/Schemas/urn:none'], status: 404 },
  { rule: 'an unknown resource type', ask: ['GET', '/ResourceTypes/Device'], status: 404 },
  { rule: 'DELETE of all users', ask: ['DELETE', '/Users'], status: 405 },
  { rule: 'PATCH of all users', ask: ['PATCH', '/Users', {}], status: 405 },
  { rule: 'POST to the configuration', ask: ['POST', '/ServiceProviderConfig', {}], status: 405 },
  { rule: 'POST to the schemas', ask: ['POST', '/Schemas', {}], status: 405 },
  { rule: 'PUT of a resource type', ask: ['PUT', '/ResourceTypes/User', {}], status: 405 },
  { rule: 'OPTIONS', ask: ['OPTIONS', '/Users'], status: 405 },
  { rule: 'HEAD of a list', ask: ['HEAD', '/Users'], status: 200 },
  { rule: 'HEAD of a user', ask: ['HEAD', '/Users/{jane}'], status: 200 },
  { rule: 'HEAD of an unknown user', ask: ['HEAD', '/Users/4711'], status: 404 },
  { rule: 'a slash at the end', ask: ['GET', '/Users/'], status: 200, finds: ['jane', 'bo'] },
  { rule: 'Me', ask: ['GET', '/Me'], status: 501 },
  // 4: discovery must not be filtered
  { rule: 'filtered configuration', ask: ['GET', '/ServiceProviderConfig?filter=id pr'], status: 403 },
  { rule: 'filtered schemas', ask: ['GET', '/Schemas?filter=id pr'], status: 403 },
  { rule: 'filtered resource types', ask: ['GET', '/ResourceTypes?filter=id pr'], status: 403 },
  { rule: 'counted schemas', ask: ['GET', '/Schemas?count=1&startIndex=2'], status: 200 },
];
