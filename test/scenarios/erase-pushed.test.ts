import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { openPushStore } from '../../src/store/state/open-push-store.js';
import { openStory } from './kit.js';
import { PUSHED_PEOPLE } from './pushed-people.js';

test('erases the pushed row, the memberships and the rest of a delete of a person, and keeps others', async () => {
  const story = await openStory();
  story.configure(PUSHED_PEOPLE);
  await story.plan();
  const { store, close } = openPushStore(join(story.folder, 'var'));
  const insert = (type: 'User' | 'Group', id: string, name: string, attributes: JsonObject): void => {
    const row = { id, nameKey: name.toLowerCase(), externalId: type === 'User' ? id : null, display: name, attributes };
    store.insert('entra', type, { ...row, created: '2026-01-01T00:00:00.000Z' });
  };
  const people = [
    ['oid-jane', 'jane.quimby@example.com', 'Jane Quimby'],
    ['oid-berit', 'berit@example.com', 'Berit Moe'],
  ] as const;
  for (const [id, mail, displayName] of people) {
    insert('User', id, mail, {
      userName: mail,
      externalId: id,
      displayName,
      active: true,
      emails: [{ value: mail, primary: true }],
    });
  }
  insert('Group', 'g1', 'Friends of Jane Quimby', { displayName: 'Friends of Jane Quimby' });
  store.addMembers('entra', 'g1', ['oid-jane', 'oid-berit']);
  // This is under another key, from an earlier time.
  store.noteGone('entra', {
    keyColumn: 'userName',
    key: 'jane.quimby@example.com',
    id: 'x',
    at: '2026-01-01T00:00:00.000Z',
  });
  // The digest by which a person keeps the id names nobody, but the id does.
  store.noteGone('entra', {
    keyColumn: 'origin of id',
    key: 'Zm9v',
    id: 'oid-jane',
    at: '2026-01-01T00:00:00.000Z',
  });
  expect((await story.sync()).json.done).toBe(2);

  const erased = JSON.parse(
    (await story.type('audit', 'erase', 'jane.quimby@example.com', '--reason', 'request 7', '--json', '--yes')).stdout,
  ) as { readonly rows: Readonly<Record<string, number>> };
  expect(erased.rows).toMatchObject({ links: 1, pushed_resources: 2, pushed_members: 1, pushed_gone: 2 });
  expect(store.count('entra')).toMatchObject({ users: 1, groups: 1 });
  expect(store.membersOf('entra', ['g1'], 'all').get('g1')).toMatchObject([
    { id: 'oid-berit', display: 'berit@example.com' },
  ]);
  close();
  const bytes = readFileSync(join(story.folder, 'var', 'state.db'));
  for (const trace of ['Quimby', 'quimby', 'oid-jane']) expect([trace, bytes.includes(trace)]).toEqual([trace, false]);
});
