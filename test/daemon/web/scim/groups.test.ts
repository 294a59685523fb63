import { describe, expect, it } from 'vitest';
import { sweep } from '../../../depth.js';
import { GROUP, openDesk } from './desk.js';

async function openTeam() {
  const desk = await openDesk();
  const anna = await desk.addUser('anna', { displayName: 'Anna' });
  const berit = await desk.addUser('berit');
  const team = await desk.addGroup('Team', [anna.id]);
  const path = `/Groups/${team.id}`;
  const members = async () => ((await desk.call('GET', path)).json.members ?? []).map(({ value }) => value).toSorted();
  return { ...desk, anna, berit, team, path, members };
}

describe('a group', () => {
  it('shows its members by name, and people show their groups', async () => {
    const { call, url, anna, team } = await openTeam();
    expect(team).toMatchObject({
      schemas: [GROUP],
      displayName: 'Team',
      members: [{ value: anna.id, type: 'User', display: 'Anna', $ref: `${url}/Users/${anna.id}` }],
    });
    const seen = await call('GET', `/Users/${anna.id}`);
    expect(seen.json.groups).toEqual([
      { value: team.id, display: 'Team', type: 'direct', $ref: `${url}/Groups/${team.id}` },
    ]);
    expect((await call('GET', '/Users?filter=groups.display eq "team"')).json.totalResults).toBe(1);
  });

  it('changes the version of its members when it changes', async () => {
    const { call, anna, berit, path, patch } = await openTeam();
    const versionOf = async (id: string) => (await call('GET', `/Users/${id}`)).json.meta.version;
    const [before, other] = [await versionOf(anna.id), await versionOf(berit.id)];
    await patch(path, { op: 'add', path: 'members', value: [{ value: berit.id }] });
    expect([await versionOf(anna.id), (await versionOf(berit.id)) === other]).toEqual([before, false]);
    await patch(path, { op: 'replace', path: 'displayName', value: 'Crew' });
    const renamed = await versionOf(anna.id);
    expect(renamed).not.toBe(before);
    const seen = await call('GET', `/Users/${anna.id}`, undefined, { 'if-none-match': renamed });
    expect([seen.status, seen.headers.get('etag')]).toEqual([304, renamed]);
    await call('DELETE', path);
    const stale = await call('PUT', `/Users/${anna.id}`, { userName: 'anna' }, { 'if-match': renamed });
    expect([stale.status, await versionOf(berit.id)]).toEqual([412, other]);
  });

  it('answers PATCH with 204, or with the requested attributes', async () => {
    const { call, path, berit, patch } = await openTeam();
    const done = await patch(path, { op: 'Add', path: 'members', value: [{ value: berit.id }] });
    expect([done.status, done.text, done.headers.get('etag')]).toEqual([204, '', expect.stringMatching(/^W\/"2\./)]);
    const asked = await call('PATCH', `${path}?attributes=displayName`, {
      Operations: [{ op: 'replace', value: { id: 'sent by Okta', displayName: 'Crew' } }],
    });
    expect([asked.status, asked.json.displayName, asked.json.members]).toEqual([200, 'Crew', undefined]);
  });

  it('adds members once, and removes them by list, by filter, or all', async () => {
    const { path, patch, members, anna, berit } = await openTeam();
    const both = [anna.id, berit.id].toSorted();
    await patch(path, {
      op: 'add',
      path: 'members',
      value: [{ value: anna.id }, { value: berit.id }, { value: berit.id }],
    });
    expect(await members()).toEqual(both);
    await patch(path, { op: 'Remove', path: 'members', value: [{ value: anna.id }] });
    expect(await members()).toEqual([berit.id]);
    await patch(path, { op: 'add', value: { members: [{ value: anna.id }] } });
    await patch(path, { op: 'remove', path: `members[value eq "${berit.id}"]` });
    expect(await members()).toEqual([anna.id]);
    await patch(path, { op: 'replace', path: 'members', value: [{ value: berit.id }] });
    expect(await members()).toEqual([berit.id]);
    await patch(path, { op: 'remove', path: 'members[display sw "BER"]' });
    expect(await members()).toEqual([]);
    await patch(path, { op: 'add', path: 'members', value: { value: anna.id } });
    await patch(path, { op: 'remove', path: 'members' });
    expect(await members()).toEqual([]);
    const odd = await patch(path, { op: 'add', path: 'members', value: [{ display: 'nobody' }] });
    expect([odd.status, odd.json.scimType]).toEqual([400, 'invalidValue']);
  });

  it('changes nobody if an operation fails halfway', async () => {
    const { path, patch, members, anna, berit } = await openTeam();
    const failed = await patch(
      path,
      { op: 'add', path: 'members', value: [{ value: berit.id }] },
      { op: 'replace', path: 'id', value: 'x' },
    );
    expect(failed.status).toBe(400);
    expect(await members()).toEqual([anna.id]);
  });

  it('replaces name and members by PUT, and keeps the version of an identical one', async () => {
    const { call, path, berit } = await openTeam();
    const body = { schemas: [GROUP], displayName: 'Crew', members: [{ value: berit.id }] };
    const first = await call('PUT', path, body);
    expect(first.json).toMatchObject({ displayName: 'Crew', members: [{ value: berit.id }] });
    expect((await call('PUT', path, body)).json.meta.version).toBe(first.json.meta.version);
  });

  it('omits members that were not requested', async () => {
    const { call, path } = await openTeam();
    for (const address of [`${path}?excludedAttributes=members`, `${path}?attributes=displayName`]) {
      expect((await call('GET', address)).json).not.toHaveProperty('members');
    }
    const list = await call('GET', '/Groups?excludedAttributes=members&filter=displayName eq "TEAM"');
    expect(list.json.Resources).toHaveLength(1);
    expect(list.json.Resources[0]).not.toHaveProperty('members');
  });

  it.each([
    ['', []],
    ['?excludedAttributes=displayName', []],
    ['?excludedAttributes=members.display', []],
    ['?attributes=members', []],
    ['?attributes=members.value', []],
    ['?excludedAttributes=members', undefined],
    ['?attributes=displayName', undefined],
  ])('of nobody has an empty list wherever its members are asked for: %s', async (query, members) => {
    const { call, addGroup, addUser } = await openDesk();
    const [empty, full] = [await addGroup('Empty'), await addGroup('Full', [(await addUser('anna')).id])];
    expect(empty.members).toEqual([]);
    const sent = { schemas: [GROUP], displayName: 'Empty' };
    const operations = { Operations: [{ op: 'remove', path: 'members' }] };
    const answers = [
      await call('GET', `/Groups/${empty.id}${query}`),
      await call('PUT', `/Groups/${empty.id}${query}`, sent),
      ...(query.startsWith('?attributes') ? [await call('PATCH', `/Groups/${full.id}${query}`, operations)] : []),
    ];
    for (const { json } of answers) expect(json.members).toEqual(members);
    for (const list of [`/Groups${query}`, `/Groups${query}${query === '' ? '?' : '&'}filter=displayName eq "empty"`]) {
      const [first] = (await call('GET', list)).json.Resources;
      expect([list, first?.id, first?.members]).toEqual([list, empty.id, members]);
    }
    const absent = (await call('GET', '/Groups?filter=members pr')).json.Resources.map(({ id }) => id);
    expect(absent).not.toContain(empty.id);
  });

  it('is found by its members, as Entra asks', async () => {
    const { call, anna, berit, team } = await openTeam();
    const count = async (filter: string) =>
      (await call('GET', `/Groups?filter=${encodeURIComponent(filter)}`)).json.totalResults;
    expect(await count(`id eq "${team.id}" and members eq "${anna.id}"`)).toBe(1);
    expect(await count(`members[value eq "${anna.id}"]`)).toBe(1);
    expect(await count(`members.value eq "${berit.id}"`)).toBe(0);
  });

  sweep('shows each of thousands of members once, up to a limit', async () => {
    const { call, path, patch } = await openTeam();
    for (const part of [0, 1, 2]) {
      const value = Array.from({ length: 1_000 }, (_, n) => ({ value: `person-${part}-${n}` }));
      await patch(path, { op: 'add', path: 'members', value });
    }
    const shown = ((await call('GET', path)).json.members ?? []).map(({ value }) => value);
    expect([shown.length, new Set(shown).size]).toEqual([3_001, 3_001]);
    const tooMany = Array.from({ length: 100_001 }, (_, n) => ({ value: `p${n}` }));
    expect((await patch(path, { op: 'add', path: 'members', value: tooMany })).status).toBe(413);
    const most = Array.from({ length: 97_000 }, (_, n) => ({ value: `p${n}` }));
    expect((await patch(path, { op: 'add', path: 'members', value: most })).status).toBe(413);
    expect((await patch(path, { op: 'add', path: 'members', value: most.slice(1) })).status).toBe(204);
    expect((await patch(path, { op: 'add', path: 'members', value: most.slice(0, 1) })).status).toBe(413);
    expect((await patch(path, { op: 'add', path: 'members', value: most.slice(1, 9) })).status).toBe(204);
  });

  it('is deleted with its memberships, and loses deleted people', async () => {
    const { call, path, members, anna, berit, addGroup } = await openTeam();
    const other = await addGroup('Other', [anna.id, berit.id]);
    await call('DELETE', `/Users/${anna.id}`);
    expect(await members()).toEqual([]);
    expect((await call('GET', `/Groups/${other.id}`)).json.members).toHaveLength(1);
    expect((await call('DELETE', `/Groups/${other.id}`)).status).toBe(204);
    expect((await call('GET', `/Users/${berit.id}`)).json.groups).toBeUndefined();
    expect((await call('GET', path)).status).toBe(200);
  });

  it('rejects a duplicate with 409, but accepts one name from two origins', async () => {
    const { call } = await openTeam();
    const post = async (body: object) => (await call('POST', '/Groups', { schemas: [GROUP], ...body })).status;
    expect(await post({ displayName: 'TEAM' })).toBe(409);
    expect(await post({ displayName: 'Sales', externalId: 'g1' })).toBe(201);
    expect(await post({ displayName: 'Sales', externalId: 'g1' })).toBe(409);
    expect(await post({ displayName: 'Sales', externalId: 'g2' })).toBe(201);
    expect(await post({ displayName: '' })).toBe(400);
  });
});
