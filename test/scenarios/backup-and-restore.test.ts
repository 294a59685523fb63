import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireRunLock } from '../../src/store/run-lock.js';
import { sweep } from '../depth.js';
import { HOUR, person } from './company.js';
import { CREATE_USER, openStory, UPDATE_USER } from './kit.js';

test('restores a backup without repeating changes or deactivating anyone, and finds what happened since', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  await story.sync();
  const backup = await story.backup();
  expect(backup).toMatchObject({ code: 0, json: { links: 2, open_intents: 0, account: '127.0.0.1' } });
  expect(backup.json.file).toContain(join('var', 'backups', 'state-'));
  expect(backup.json.audit.entries).toBe((await story.verify()).json.entries);

  story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
  await story.sync();
  expect(story.takeWrites()).toHaveLength(4);
  const restored = await story.restore(backup.json.file);
  expect(restored).toMatchObject({ code: 0, json: { links: 2, kept: expect.stringContaining('before-restore') } });
  expect((await story.status()).json.links.users).toBe(2);

  // E3 exists already: the run finds it by its number and links it. E1 already has the right title.
  const after = await story.sync();
  expect(after).toMatchObject({ code: 0, json: { done: 0, failed: [], held: [] } });
  expect(story.takeWrites()).toEqual([]);
  expect((await story.status()).json.links.users).toBe(3);
  expect((await story.verify()).json.ok).toBe(true);
  expect(story.users()).toHaveLength(3);
});

sweep('asks again for an approval that was spent after the backup', async () => {
  const story = await openStory();
  story.configure({ guards: { users: { update: { max: 0 } } } });
  story.deliver([person('E1')]);
  await story.sync();
  story.deliver([person('E1', { title: 'Lead' })]);
  await story.sync();
  await story.approve({ guard: 'users.update', reason: 'ticket 7' });
  const { file } = (await story.backup()).json;
  expect((await story.sync()).json.done).toBe(1);
  await story.restore(file);
  await story.editUser('E1', { title: { en: 'Other' } });
  story.takeWrites();
  const held = await story.sync();
  expect(held).toMatchObject({ code: 3, json: { done: 0 } });
  expect(story.takeWrites()).toEqual([]);
});

test('holds removals after a restore until one approval that names the lost period', async () => {
  const story = await openStory();
  story.deliver(['E1', 'E2', 'E3', 'E4'].map((key) => person(key)));
  await story.sync();
  const { file } = (await story.backup()).json;
  story.clock.advance(2 * HOUR);
  await story.restore(file);
  story.deliver([
    person('E1', { title: 'Lead' }),
    person('E2', { status: 'left' }),
    person('E3'),
    person('E4'),
    person('E5'),
  ]);
  const held = await story.sync();
  expect(held).toMatchObject({
    code: 3,
    json: {
      done: 2,
      guards: [
        { guard: 'state.restored', held: 1, cause: 'state restored', detail: expect.stringMatching(/ are lost; /) },
      ],
    },
  });
  expect(held.json.guards[0]?.detail).toMatch(/^a backup was restored on .+ UTC: .+ since .+ UTC are lost/);
  expect((await story.sync()).json.guards).toMatchObject([{ guard: 'state.restored' }]);
  expect(await story.approve({ guard: 'state.restored', reason: 'the list was checked' })).toMatchObject({ code: 0 });
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1, guards: [] } });
  // From then on the state is an ordinary one.
  story.clock.advance(30 * HOUR);
  story.deliver([
    person('E1', { title: 'Lead' }),
    person('E2', { status: 'left' }),
    person('E3', { status: 'left' }),
    person('E4'),
    person('E5'),
  ]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { done: 1 } });
});

sweep('rejects a backup of another account and a file that is not a backup, and changes nothing', async () => {
  const [story, other] = [await openStory(), await openStory()];
  story.deliver([person('E1')]);
  await story.sync();
  other.configure({ service: { base_url: other.sandbox.url.replace('127.0.0.1', 'localhost') } });
  other.deliver([person('E1')]);
  await other.sync();
  const foreign = (await other.backup()).json.file;
  expect((await story.restore(foreign)).error).toMatchObject({ code: 'SYNC_STATE_OTHER_ACCOUNT' });
  expect((await story.restore(story.configFile)).error).toMatchObject({ code: 'SYNC_STATE_BACKUP' });
  expect((await story.restore(join(story.folder, 'none.db'))).error).toMatchObject({ code: 'SYNC_STATE_BACKUP' });
  expect((await story.sync()).json.done).toBe(0);
});

sweep('makes a backup while a run holds the state, but does not restore one then', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  await story.sync();
  const lock = acquireRunLock(join(story.folder, 'var'), 'daemon, process 4711 on worker-1');
  const { code, json } = await story.backup(join(story.folder, 'copy.db'));
  expect(code).toBe(0);
  const refused = await story.restore(json.file);
  expect(refused).toMatchObject({ code: 1, error: { code: 'SYNC_STATE_LOCKED' } });
  expect(refused.error?.message).toContain('process 4711 on worker-1');
  lock.close();
  expect((await story.restore(json.file)).code).toBe(0);
});

sweep('waits for the state with --wait, and names the process that holds it', async () => {
  const story = await openStory();
  story.deliver([person('E1')]);
  const lock = acquireRunLock(join(story.folder, 'var'), 'daemon, process 4711 on worker-1');
  setTimeout(() => lock.close(), 200);
  const waited = await story.sync({ wait: true });
  expect(waited).toMatchObject({ code: 0, json: { done: 1 } });
  expect(waited.stderr.match(/process 4711 on worker-1\. Waiting for it/g)).toHaveLength(1);
});

sweep(
  'turns exit codes that count as completed into 0, keeps the true one in the document, and never hides 1',
  async () => {
    const story = await openStory();
    story.configure({ guards: { users: { create: { max: 0 } } } });
    story.deliver([person('E1')]);
    expect(await story.sync()).toMatchObject({ code: 3, json: { exit_code: 3 } });
    expect(await story.sync({ completeOn: [3, 4] })).toMatchObject({ code: 0, json: { exit_code: 3 } });
    expect(await story.sync({ completeOn: [4] })).toMatchObject({ code: 3 });
    expect(story.takeWrites().filter((call) => call === CREATE_USER || call === UPDATE_USER)).toEqual([]);
    story.env.TALENT_API_KEY = 'a key with blanks';
    expect((await story.sync({ completeOn: [3, 4] })).code).toBe(1);
  },
);
