import { describe, expect, it } from 'vitest';
import type { PushStore } from '../../../../src/store/state/push-store.js';
import { sweep } from '../../../depth.js';
import { type Desk, ENTERPRISE, openDesk, type ScimBody, USER } from './desk.js';

async function openPeople(): Promise<Desk> {
  const desk = await openDesk();
  await desk.addUser('Anna@example.com', {
    externalId: 'X-1',
    displayName: 'Anna "Ann" Berg',
    name: { familyName: 'Berg' },
    emails: [
      { type: 'work', value: 'Anna@example.com', primary: true },
      { type: 'home', value: 'anna@home.example' },
    ],
    [ENTERPRISE]: { department: 'Sales', employeeNumber: '10', manager: { value: 'm1' } },
  });
  await desk.addUser('berit@example.com', {
    externalId: 'x-1',
    active: false,
    title: 'DOMAIN\\berit',
    emails: [{ type: 'home', value: 'berit@work.example' }],
    [ENTERPRISE]: { department: 'IT', employeeNumber: '9' },
  });
  await desk.addUser('carl@example.com', { name: { familyName: 'Åberg' }, nickName: '' });
  return desk;
}

const letters = ({ Resources }: ScimBody): string =>
  Resources.map(({ userName }) => String(userName).slice(0, 1).toUpperCase()).join('');

describe('filters', () => {
  const rows: readonly (readonly [filter: string, found: string])[] = [
    ['userName eq "ANNA@EXAMPLE.COM"', 'A'],
    ['USERNAME Eq "berit@example.com"', 'B'],
    ['externalId eq "x-1"', 'B'],
    ['externalId eq "X-1"', 'A'],
    ['id eq "nobody"', ''],
    ['userName ne "anna@example.com"', 'BC'],
    ['userName sw "BER"', 'B'],
    ['userName ew ".COM" and active eq true', 'AC'],
    ['userName co "r" and not (active eq true)', 'B'],
    ['active eq "False"', 'B'],
    ['active eq false or name.familyName eq "åberg"', 'BC'],
    ['name.familyName pr', 'AC'],
    ['nickName pr', ''],
    ['not (name pr)', 'B'],
    ['title eq "domain\\\\berit"', 'B'],
    ['displayName eq "Anna \\"ann\\" berg"', 'A'],
    ['emails co "work.example"', 'B'],
    ['emails.value eq "anna@home.example"', 'A'],
    ['emails[type eq "work"]', 'A'],
    ['emails[type eq "work"].value eq "anna@home.example"', ''],
    ['emails[type eq "home"].value eq "ANNA@home.example"', 'A'],
    ['emails[type eq "home" and value co "berit"]', 'B'],
    ['emails[not (type eq "home") or primary eq true]', 'A'],
    ['emails[type eq "work"] or emails[value ew ".example" and type eq "home"]', 'AB'],
    ['emails.type ne "work"', 'BC'],
    [`${ENTERPRISE}:department eq "sales"`, 'A'],
    [`${ENTERPRISE} pr`, 'AB'],
    [`not (${ENTERPRISE} pr)`, 'C'],
    [`${ENTERPRISE.toUpperCase()}:Manager.Value eq "m1"`, 'A'],
    [`${ENTERPRISE}:manager eq "m1"`, 'A'],
    [`${ENTERPRISE}:manager eq "M1"`, ''],
    [`${USER}:name.familyName eq "berg"`, 'A'],
    ['employeeNumber gt "10"', 'B'],
    ['meta.created ge "2026-01-01T12:00:00Z"', 'ABC'],
    ['meta.lastModified lt "2026-01-01T12:00:00+00:00"', ''],
    ['meta.resourceType eq "User"', 'ABC'],
    ['manager eq null', 'BC'],
    ['title ne null', 'B'],
    ['favouriteColour pr', ''],
    ['favouriteColour ne "green"', 'ABC'],
    ['userName eq "anna@example.com" or externalId eq "x-1"', 'AB'],
    ['userName eq "anna@example.com" and active eq false', ''],
    ['userName sw "a" or userName sw "b" and active eq true', 'A'],
    ['(userName sw "a" or userName sw "b") and active eq false', 'B'],
    ['groups pr', ''],
  ];
  it('find the right people', async () => {
    const { call } = await openPeople();
    const found: (readonly [string, string])[] = [];
    for (const [filter] of rows) {
      const { json } = await call('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      found.push([filter, json.Resources === undefined ? json.detail : letters(json)]);
    }
    expect(found).toEqual(rows);
  });

  it('are rejected with 400 invalidFilter if invalid or too large', async () => {
    const { call } = await openDesk();
    const broken = [
      'userName',
      'userName eq',
      'userName eq jane',
      'userName is "jane"',
      '(userName pr',
      'userName pr)',
      'userName eq "jane',
      'emails[type eq "work"',
      'emails[type[value eq "a"]]',
      'userName[value eq "a"]',
      'active gt true',
      'name eq "jane"',
      'meta.created gt "yesterday"',
      'userName gt null',
      '"jane" eq userName',
      `userName eq "${'a'.repeat(5_000)}"`,
      `${'('.repeat(40)}userName pr${')'.repeat(40)}`,
      `${'not '.repeat(40)}(userName pr)`,
      Array.from({ length: 100 }, () => 'userName pr').join(' or '),
    ];
    for (const filter of broken) {
      const { status, json } = await call('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect([filter.slice(0, 60), status, json.scimType]).toEqual([filter.slice(0, 60), 400, 'invalidFilter']);
    }
  });
});

describe('pages and order', () => {
  it('follow count and startIndex, with the total', async () => {
    const { call } = await openPeople();
    const page = async (query: string) => {
      const { totalResults, startIndex, itemsPerPage, ...rest } = (await call('GET', `/Users?${query}`)).json;
      return [totalResults, startIndex, itemsPerPage, letters({ totalResults, itemsPerPage, ...rest })];
    };
    expect(await page('startIndex=2&count=1')).toEqual([3, 2, 1, 'B']);
    expect(await page('startIndex=3&count=100')).toEqual([3, 3, 1, 'C']);
    expect(await page('startIndex=9')).toEqual([3, 9, 0, '']);
    expect(await page('startIndex=-4&count=2')).toEqual([3, 1, 2, 'AB']);
    expect(await page('count=0')).toEqual([3, 1, 0, '']);
    expect(await page('count=-1')).toEqual([3, 1, 0, '']);
    expect(await page('filter=userName pr&startIndex=2&count=1')).toEqual([3, 2, 1, 'B']);
    expect((await call('GET', '/Users?count=many')).json.scimType).toBe('invalidValue');
  });

  it('sort by any attribute, with missing values last, or first in descending order', async () => {
    const { call } = await openPeople();
    const order = async (query: string) => letters((await call('GET', `/Users?${query}`)).json);
    expect(await order('sortBy=userName&sortOrder=descending')).toBe('CBA');
    expect(await order('sortBy=name.familyName')).toBe('ACB');
    expect(await order('sortBy=name.familyName&sortOrder=descending')).toBe('BCA');
    expect(await order(`sortBy=${ENTERPRISE}:department`)).toBe('BAC');
    expect(await order('sortBy=emails')).toBe('ABC');
    expect(await order('sortBy=favouriteColour')).toBe('ABC');
    expect(await order('sortBy=userName&startIndex=2&count=1')).toBe('B');
  });

  it('show attributes as asked by attributes and excludedAttributes', async () => {
    const { call, addUser } = await openDesk();
    const { id } = await addUser('jane', {
      name: { givenName: 'Jane', familyName: 'Doe' },
      emails: [{ value: 'j@e.no', type: 'work' }],
      [ENTERPRISE]: { department: 'IT', division: 'North' },
    });
    const head = { schemas: [USER, ENTERPRISE], id };
    const show = async (query: string) => (await call('GET', `/Users/${id}?${query}`)).json;
    expect(await show('attributes=userName')).toEqual({ ...head, userName: 'jane' });
    expect(await show('attributes=name.givenName,emails.value')).toEqual({
      ...head,
      name: { givenName: 'Jane' },
      emails: [{ value: 'j@e.no' }],
    });
    expect(await show(`attributes=${ENTERPRISE}:department`)).toEqual({ ...head, [ENTERPRISE]: { department: 'IT' } });
    expect(await show('attributes=nothing')).toEqual(head);
    const less = await show(`excludedAttributes=id,name.familyName,emails,${ENTERPRISE}:division,meta`);
    expect(less).toEqual({
      ...head,
      userName: 'jane',
      active: true,
      name: { givenName: 'Jane' },
      [ENTERPRISE]: { department: 'IT' },
    });
  });

  it('reject a write whose requested view is invalid, and write nothing', async () => {
    const { call, addUser } = await openDesk();
    const jane = await addUser('jane');
    const query = 'attributes=userName&excludedAttributes=name';
    const writes = [
      call('POST', `/Users?${query}`, { schemas: [USER], userName: 'ann' }),
      call('PUT', `/Users/${jane.id}?${query}`, { schemas: [USER], userName: 'ann' }),
      call('PATCH', `/Users/${jane.id}?${query}`, { Operations: [{ op: 'add', path: 'title', value: 'x' }] }),
    ];
    for (const { status } of await Promise.all(writes)) expect(status).toBe(400);
    expect((await call('GET', '/Users')).json.Resources).toEqual([jane]);
  });
});

describe('POST /.search', () => {
  it('searches one type or all, like a GET', async () => {
    const { call, addGroup } = await openPeople();
    await addGroup('Anna fans');
    const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter: 'displayName sw "anna"' };
    const everywhere = await call('POST', '/.search', { ...body, attributes: ['displayName'] });
    expect(everywhere.json.Resources.map(({ displayName }) => displayName)).toEqual(['Anna "Ann" Berg', 'Anna fans']);
    expect((await call('POST', '/Groups/.search', body)).json.totalResults).toBe(1);
    const second = await call('POST', '/.search', { ...body, startIndex: 2, count: 1 });
    expect([second.json.totalResults, second.json.Resources.length]).toEqual([2, 1]);
  });
});

sweep('pages through 20,000 people completely, and finds each by name', async () => {
  const { call, write } = await openDesk();
  const fill = (store: PushStore) => {
    for (let n = 0; n < 20_000; n++) {
      const attributes = {
        userName: `User${n}`,
        externalId: `e${n}`,
        active: true,
        title: n === 19_990 ? 'Boss' : 'Hand',
      };
      const row = { id: `id-${n}`, nameKey: `user${n}`, externalId: `e${n}`, display: `User${n}`, attributes };
      store.insert('idp', 'User', { ...row, created: '2026-01-01T00:00:00.000Z' });
    }
  };
  await write((store) => store.transaction(() => fill(store)));
  const seen = new Set<string>();
  for (let startIndex = 1; startIndex <= 20_000; startIndex += 500) {
    const { json } = await call('GET', `/Users?startIndex=${startIndex}&count=5000`);
    expect([json.totalResults, json.itemsPerPage]).toEqual([20_000, 500]);
    for (const { id } of json.Resources) seen.add(id);
  }
  expect(seen.size).toBe(20_000);
  expect((await call('GET', '/Users?filter=userName eq "USER12345"')).json.Resources[0]?.id).toBe('id-12345');
  expect((await call('GET', '/Users?filter=externalId eq "e19999"')).json.Resources[0]?.id).toBe('id-19999');
  expect((await call('GET', '/Users?filter=title eq "boss"')).json.Resources.map(({ id }) => id)).toEqual(['id-19990']);
});
