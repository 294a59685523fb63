import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tries } from '../../../depth.js';
import { ENTERPRISE, openDesk, USER } from './desk.js';

const HR = 'urn:acme:params:hr:1.0:User';
const RUNS = { numRuns: tries(150) };

const name = fc.constantFrom(
  'userName',
  'active',
  'emails',
  'emails.value',
  'name.givenName',
  'name',
  'manager',
  'groups',
  'members',
  'meta.created',
  'id',
  'password',
  '__proto__',
  'constructor',
  `${ENTERPRISE}:department`,
  ENTERPRISE,
  `${USER}:title`,
  '$ref',
  HR,
  `${HR}:badge`,
  `${HR}:office.floor`,
  `${HR}:items[type eq "x"].value`,
  'urn:x',
  'urn:x:',
);
/** Includes objects that cannot be converted to text. */
const anything = fc.oneof(
  { weight: 5, arbitrary: fc.jsonValue() },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>({ toString: 1, valueOf: 2 }, [{ toString: '' }], { length: 3 }, 1e308),
  },
);
const word = fc.oneof(
  fc.constantFrom(
    'eq',
    'co',
    'pr',
    'GT',
    'and',
    'or',
    'not',
    '(',
    ')',
    '[',
    ']',
    '].value',
    '"work"',
    'true',
    'null',
    '7',
    '"',
    '\\',
  ),
  name,
  fc.string({ unit: 'binary', maxLength: 6 }),
);
const filter = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const path = fc.oneof(
  name,
  filter,
  fc.tuple(name, filter, name).map(([list, inner, sub]) => `${list}[${inner}].${sub}`),
  fc.constantFrom('emails[type eq "work"].value', 'emails[type eq "work"]', 'members[value eq "x"]'),
);
const operation = fc.record(
  {
    op: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('add', 'Replace', 'REMOVE') },
      { weight: 1, arbitrary: anything },
    ),
    path: fc.oneof({ weight: 4, arbitrary: path }, { weight: 1, arbitrary: anything }),
    value: fc.oneof(
      anything,
      fc.dictionary(path, anything),
      fc.dictionary(path, fc.dictionary(name, anything)),
      fc.array(fc.record({ value: fc.string() })),
    ),
  },
  { requiredKeys: ['op'] },
);

it('no filter, path, order or page causes a 500', async () => {
  const { call, addUser } = await openDesk();
  await addUser('jane', { emails: [{ type: 'work', value: 'j@e.no' }], name: { givenName: 'J' } });
  const query = fc.record(
    { filter, sortBy: path, attributes: path, excludedAttributes: path, startIndex: fc.string(), count: fc.string() },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom('/Users', '/Groups'), async (asked, type) => {
      const { status } = await call('GET', `${type}?${new URLSearchParams(asked)}`);
      expect([200, 400]).toContain(status);
    }),
    RUNS,
  );
});

it('no PATCH causes a 500; a rejected one changes nothing, and the user keeps a name', async () => {
  const { call, addUser, addGroup } = await openDesk();
  const user = await addUser('jane', { emails: [{ type: 'work', value: 'j@e.no' }], name: { givenName: 'J' } });
  const group = await addGroup('Team', [user.id]);
  const address = fc.constantFrom(`/Users/${user.id}`, `/Groups/${group.id}`);
  await fc.assert(
    fc.asyncProperty(address, fc.array(operation, { maxLength: 4 }), async (at, Operations) => {
      const before = (await call('GET', at)).json;
      const { status, json } = await call('PATCH', at, { Operations });
      const after = (await call('GET', at)).json;
      expect([200, 204, 400]).toContain(status);
      if (status === 400) expect(after).toEqual(before);
      if (status === 200) expect(after).toEqual(json);
      expect(String(after.userName ?? after.displayName).trim()).not.toBe('');
      expect(after.id).toBe(before.id);
      // A client can send the stored data back unchanged.
      const again = await call('PUT', at, after);
      expect([again.status, again.json.meta.version]).toEqual([200, after.meta.version]);
    }),
    RUNS,
  );
});

it('no bulk request causes a 500; operations are atomic, and nobody is lost', async () => {
  const { call, addUser, addGroup } = await openDesk();
  const user = await addUser('jane');
  const group = await addGroup('Team', [user.id]);
  const bulkId = fc.constantFrom('a', 'b', 'c');
  const reference = bulkId.map((id) => `bulkId:${id}`);
  const data = fc.oneof(
    fc.record({ userName: fc.string(), [ENTERPRISE]: fc.record({ manager: fc.record({ value: reference }) }) }),
    fc.record({ displayName: fc.string(), members: fc.array(fc.record({ value: reference })) }),
    fc.array(operation, { maxLength: 3 }),
    anything,
  );
  const address = fc.oneof(
    fc.constantFrom('/Users', '/Groups', `/Users/${user.id}`, `/Groups/${group.id}`, '/Bulk', '/Users/%zz'),
    reference.map((id) => `/Groups/${id}`),
    fc.string(),
  );
  const write = fc.record(
    {
      method: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom('POST', 'put', 'PATCH') },
        { weight: 1, arbitrary: anything },
      ),
      path: address,
      bulkId,
      data,
    },
    { requiredKeys: ['method', 'path'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(write, { maxLength: 5 }), async (Operations) => {
      const { totalResults } = (await call('POST', '/.search', {})).json;
      const { status, json } = await call('POST', '/Bulk', { Operations });
      expect([200, 400]).toContain(status);
      const outcomes = status === 400 ? [] : (json.Operations as readonly { status: string; location?: string }[]);
      for (const outcome of outcomes)
        expect(['200', '201', '204', '400', '404', '405', '409']).toContain(outcome.status);
      const created = outcomes.filter((outcome) => outcome.status === '201').length;
      expect((await call('POST', '/.search', {})).json.totalResults).toBe(totalResults + created);
      for (const at of [`/Users/${user.id}`, `/Groups/${group.id}`]) expect((await call('GET', at)).status).toBe(200);
    }),
    RUNS,
  );
});

it('no body causes a 500; each created user is found complete under its name', async () => {
  const { call } = await openDesk();
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string());
  const body = fc.record(
    {
      schemas: fc.oneof({ weight: 4, arbitrary: fc.constant([USER]) }, { weight: 1, arbitrary: anything }),
      [HR]: fc.oneof(fc.dictionary(fc.oneof(name, text), anything), anything),
      userName: fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() }),
      externalId: fc.oneof(text, fc.jsonValue()),
      name: fc.oneof(fc.record({ givenName: text, familyName: fc.jsonValue() }), fc.jsonValue()),
      emails: fc.oneof(fc.array(fc.record({ value: text, type: text, primary: fc.jsonValue() })), fc.jsonValue()),
      active: fc.oneof(fc.boolean(), fc.constantFrom('True', 'false'), fc.jsonValue()),
      password: fc.constant('hunter2-secret'),
      [ENTERPRISE]: fc.oneof(fc.record({ department: text, manager: fc.jsonValue() }), fc.jsonValue()),
    },
    { requiredKeys: ['userName'] },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ weight: 9, arbitrary: body }, { weight: 1, arbitrary: fc.jsonValue() }),
      async (sent) => {
        const { status, json, text: answer } = await call('POST', '/Users', JSON.stringify(sent));
        expect([201, 400, 409]).toContain(status);
        expect(answer).not.toContain('hunter2');
        if (status !== 201) return;
        expect((await call('GET', `/Users/${json.id}`)).json).toEqual(json);
        const found = await call('POST', '/Users/.search', { filter: `userName eq ${JSON.stringify(json.userName)}` });
        expect(found.json.Resources?.map(({ id }) => id)).toEqual(json.userName === '' ? [] : [json.id]);
      },
    ),
    RUNS,
  );
});
