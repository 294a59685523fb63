import { describe, expect, it } from 'vitest';
import { WordTrie } from '../../../src/sandbox/store/word-trie.js';
import { sweep } from '../../depth.js';
import { ACCOUNT, findUser, openSandbox, readPlaces } from '../open-sandbox.js';

/** Levenshtein's own definition: slow and simple. */
function distance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const change = distance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
  return Math.min(change, distance(a.slice(1), b) + 1, distance(a, b.slice(1)) + 1);
}

describe('words in a trie', () => {
  const letters = ['a', 'b', 'c'];
  const short = ['', ...letters, ...letters.flatMap((a) => letters.map((b) => a + b))];
  const words = [...new Set(short.flatMap((a) => short.map((b) => a + b)))].filter((word) => word !== '');

  it('are found for near words, and for no others', () => {
    const trie = new WordTrie();
    for (const [index, word] of words.entries()) expect(trie.add(word)).toBe(index);
    expect(trie.add(words[5] ?? '')).toBe(5);
    for (const wanted of ['a', 'abc', 'abca', 'ccc', 'abcab', 'x', 'xyzab']) {
      for (const allowed of [0, 1, 2]) {
        const near = words.filter((word) => distance(word, wanted) <= allowed);
        const found = trie.findNear(wanted, allowed).map((index) => words[index] ?? '');
        expect(found.toSorted(), `${wanted}, ${allowed}`).toEqual(near.toSorted());
      }
    }
  });
});

describe('users/search by name', () => {
  const search = async (send: Awaited<ReturnType<typeof openSandbox>>['send'], query: string) =>
    (await send('GET', `/api/v2/users/search?${query}`)).body.map((user: { email: string }) => user.email);

  it('follows users that are created, changed, deleted and rejected', async () => {
    const { send } = await openSandbox();
    const { oslo } = await readPlaces(send);
    const ingrid = { ...oslo, email: 'ingrid@example.com', name: 'Ingrid Solheim', external_unique_id: 'E77' };
    expect(await search(send, 'name=Solheim')).toEqual([]);
    const made = (await send('POST', '/api/v1/users', { user: ingrid })).body;
    expect(await search(send, 'name=Solheim')).toEqual(['ingrid@example.com']);
    expect(await search(send, 'name=Solhiem')).toEqual(['ingrid@example.com']);
    expect(await search(send, 'name=ingrit%20solhem')).toEqual(['ingrid@example.com']);
    expect(await search(send, 'name=e77')).toEqual(['ingrid@example.com']);
    const one = `/api/v1/users/${made.id}`;
    await send('PUT', one, { user: { name: 'Ingrid Nordby' } });
    expect(await search(send, 'name=Solheim')).toEqual([]);
    expect(await search(send, 'name=nordby')).toEqual(['ingrid@example.com']);
    expect((await send('POST', '/api/v1/users', { user: { ...ingrid, name: 'Twice Nordby' } })).status).toBe(422);
    expect(await search(send, 'name=nordby')).toEqual(['ingrid@example.com']);
    await send('PUT', one, { user: { deactivated: true } });
    expect(await search(send, 'name=nordby')).toEqual([]);
    expect(await search(send, 'name=nordby&deactivated=true')).toEqual(['ingrid@example.com']);
    await send('DELETE', one);
    expect(await search(send, 'name=nordby&deactivated=true')).toEqual([]);
  });

  sweep('pages by name, filters by role and office, and sorts exact matches first by relevance', async () => {
    const users = Array.from({ length: 700 }, (_, index) => ({
      email: `p${index}@example.com`,
      name: index % 7 === 0 ? `Marten ${String(index).padStart(3, '0')}` : `Martin ${String(index).padStart(3, '0')}`,
      country: 'no',
      office: index % 2 === 0 ? 'Oslo' : 'Bergen',
      roles: index % 10 === 0 ? ['consultant', 'bidmanager'] : ['consultant'],
    }));
    const { send } = await openSandbox({ fixture: { ...ACCOUNT, users } });
    const { bergen } = await readPlaces(send);
    const names = async (query: string) =>
      (await send('GET', `/api/v2/users/search?name=martin&${query}`)).body.map((user: { name: string }) => user.name);
    expect(await names('size=2')).toEqual(['Marten 000', 'Marten 007']);
    expect(await names('size=2&sort_by=relevance')).toEqual(['Martin 001', 'Martin 002']);
    expect(await names('size=2&from=99')).toEqual(['Marten 693', 'Martin 001']);
    expect(await names('size=500&from=600')).toHaveLength(100);
    expect(await names('size=500&role=bidmanager')).toHaveLength(70);
    expect(await names(`size=500&office_ids[]=${bergen.office_id}`)).toHaveLength(350);
    expect(await names('size=2&sort_by=country')).toEqual(['Marten 000', 'Marten 007']);
    expect(await search(send, 'name=%40&size=500')).toHaveLength(500);
    expect((await findUser(send, 'E1')).error).toBeDefined();
  });
});
