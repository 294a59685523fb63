import { describe, expect, it } from 'vitest';
import { type Desk, openDesk, USER } from './desk.js';

const HR = 'urn:acme:params:hr:1.0:User';
const SENT = { badge: '0007', grade: 7, remote: false, office: { floor: 2, name: 'Nord' }, skills: ['go', 'sql'] };

async function openHr(): Promise<Desk & { readonly at: string }> {
  const desk = await openDesk();
  const { id } = await desk.addUser('jane', { schemas: [USER, HR], [HR]: SENT });
  await desk.addUser('bo');
  return { ...desk, at: `/Users/${id}` };
}

describe('an extension of an unknown schema', () => {
  it('is kept unchanged, and named among the schemas', async () => {
    const { call, at } = await openHr();
    expect((await call('GET', at)).json).toMatchObject({ schemas: [USER, HR], [HR]: SENT });
    const { json } = await call('PUT', at, { userName: 'jane', [HR.toUpperCase()]: { badge: '8' } });
    expect(json).toMatchObject({ schemas: [USER, HR.toUpperCase()], [HR.toUpperCase()]: { badge: '8' } });
    expect((await call('PUT', at, { userName: 'jane' })).json.schemas).toEqual([USER]);
  });

  it.each([
    ['an existing attribute', { op: 'replace', path: `${HR}:badge`, value: '9' }, { ...SENT, badge: '9' }],
    [
      'an attribute in another case',
      { op: 'replace', path: `${HR.toUpperCase()}:BADGE`, value: '9' },
      { ...SENT, badge: '9' },
    ],
    ['a new attribute', { op: 'add', path: `${HR}:nick`, value: 'J' }, { ...SENT, nick: 'J' }],
    [
      'a part of an attribute',
      { op: 'replace', path: `${HR}:office.floor`, value: 3 },
      { ...SENT, office: { floor: 3, name: 'Nord' } },
    ],
    [
      'a complex attribute',
      { op: 'add', path: `${HR}:office`, value: { floor: 3 } },
      { ...SENT, office: { floor: 3, name: 'Nord' } },
    ],
    [
      'more elements of a list',
      { op: 'add', path: `${HR}:skills`, value: ['js', 'go'] },
      { ...SENT, skills: ['sql', 'js', 'go'] },
    ],
    ['a replaced list', { op: 'replace', path: `${HR}:skills`, value: ['js'] }, { ...SENT, skills: ['js'] }],
    [
      'a missing element',
      { op: 'add', path: `${HR}:cars[type eq "own"].plate`, value: 'A1' },
      { ...SENT, cars: [{ type: 'own', plate: 'A1' }] },
    ],
    ['removed', { op: 'remove', path: `${HR}:badge` }, { ...SENT, badge: undefined }],
    [
      'all of it, by its path',
      { op: 'add', path: HR, value: { badge: '9', grade: null } },
      { ...SENT, badge: '9', grade: undefined },
    ],
    ['all of it, without a path', { op: 'replace', value: { [HR]: { badge: '9' } } }, { ...SENT, badge: '9' }],
    [
      'by a key of an operation without a path',
      { op: 'replace', value: { [`${HR}:badge`]: '9' } },
      { ...SENT, badge: '9' },
    ],
    ['no password', { op: 'add', path: `${HR}:password`, value: 'hunter2' }, SENT],
  ])('is changed by a PATCH: %s', async (_, operation, after) => {
    const { patch, call, at } = await openHr();
    const { status, json } = await patch(at, operation);
    expect([status, json[HR]]).toEqual([200, JSON.parse(JSON.stringify(after))]);
    expect((await call('GET', at)).json).toEqual(json);
  });

  it('appears and disappears by PATCH', async () => {
    const { patch, at } = await openHr();
    expect((await patch(at, { op: 'remove', path: HR })).json).toMatchObject({ schemas: [USER] });
    const { json } = await patch(at, { op: 'add', path: `${HR}:badge`, value: '1' });
    expect(json).toMatchObject({ schemas: [USER, HR], [HR]: { badge: '1' } });
  });

  it('is found and shown like any other attribute', async () => {
    const { call, at } = await openHr();
    const namesOf = async (filter: string) =>
      (await call('GET', `/Users?filter=${encodeURIComponent(filter)}`)).json.Resources.map(({ userName }) => userName);
    for (const filter of [
      `badge eq "0007"`,
      'grade gt 6',
      'remote eq false',
      'office.name sw "no"',
      'skills eq "SQL"',
      'office pr',
    ])
      expect(await namesOf(`${HR}:${filter}`)).toEqual(['jane']);
    expect(await namesOf(`${HR} pr`)).toEqual(['jane']);
    expect(await namesOf(`${HR}:grade gt 10`)).toEqual([]);
    expect(await namesOf(`not (${HR}:badge pr)`)).toEqual(['bo']);
    const shown = async (query: string) => (await call('GET', `${at}?${query}`)).json[HR];
    expect(await shown(`attributes=${HR}:badge`)).toEqual({ badge: '0007' });
    expect(await shown(`attributes=${HR}`)).toEqual(SENT);
    expect(await shown(`excludedAttributes=${HR}:skills,${HR}:office`)).toEqual({
      badge: '0007',
      grade: 7,
      remote: false,
    });
  });

  it('drops secrets at any depth', async () => {
    const { call, addUser, store } = await openDesk();
    const secret = { password: 'hunter2', badge: '1', login: [{ Passwd: 'hunter2', name: 'j' }], apiSecret: 'hunter2' };
    const user = await addUser('jane', { [HR]: secret });
    expect(user[HR]).toEqual({ badge: '1', login: [{ name: 'j' }] });
    expect(JSON.stringify(store.find('idp', 'User', 'id', user.id))).not.toContain('hunter2');
    expect((await call('GET', `/Users?filter=${encodeURIComponent(`${HR}:password pr`)}`)).json.Resources).toEqual([]);
  });

  it('is limited in number, size and depth, and rejected beyond', async () => {
    const { call, addUser, patch } = await openDesk();
    const { id } = await addUser('bo', { [HR]: { badge: '1' } });
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`urn:acme:n${n}:User`, { x: 1 }]));
    let deep: unknown = 'x';
    for (let level = 0; level < 3_000; level++) deep = { deep };
    const large = { [HR]: { text: 'x'.repeat(17_000) } };
    for (const more of [many, { [HR]: deep }, large]) {
      expect(await call('POST', '/Users', { userName: 'jane', ...more })).toMatchObject({
        status: 400,
        json: { scimType: 'invalidValue' },
      });
      expect(await patch(`/Users/${id}`, { op: 'add', value: more })).toMatchObject({
        status: 400,
        json: { scimType: 'invalidValue' },
      });
    }
    expect((await call('GET', `/Users/${id}`)).json[HR]).toEqual({ badge: '1' });
  });
});
