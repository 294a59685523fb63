import { createHash } from 'node:crypto';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { type Delivery, deliverOnce, tidyPartials } from '../../../src/connectors/drop/deliver-once.js';
import { createLocalStore } from '../../../src/connectors/drop/local-store.js';
import type { DropStore } from '../../../src/connectors/drop/store.js';
import { catchSyncError, makeFolder, NOW, writeFileIn } from '../fixtures.js';
import { changeStore, readFolder } from './writing.js';

const DOWN = new SyncError('SYNC_SOURCE_DOWN', { message: 'it went away', remedy: 'wait' });

function fileOf(content: string, failure: Error | null = null): Delivery {
  const bytes = Buffer.from(content);
  return {
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: async function* () {
      yield bytes.subarray(0, 3);
      if (failure !== null) throw failure;
      yield bytes.subarray(3);
    },
  };
}

/** A folder in which something else happens at the rename, and then the answer is lost. */
async function openStore(
  atRename: (store: DropStore, from: string, to: string, folder: string) => Promise<unknown>,
): Promise<{ readonly store: DropStore; readonly folder: string }> {
  const folder = await makeFolder();
  const store = createLocalStore(folder);
  const renameNew = async (from: string, to: string): Promise<void> => {
    await atRename(store, from, to, folder);
    throw DOWN;
  };
  return { folder, store: changeStore(store, { renameNew }) };
}

describe('when the answer to the rename is lost', () => {
  it('and the name is there with our content, it is delivered', async () => {
    const { store, folder } = await openStore((inner, from, to) => inner.renameNew(from, to));
    expect(await deliverOnce(store, 'a.csv', fileOf('content'))).toBeNull();
    expect(await readFolder(folder)).toEqual({ 'a.csv': 'content' });
  });

  it('and the partial file is there as well (a server that links, then unlinks), it is delivered', async () => {
    const { store, folder } = await openStore((_, _from, to, at) => writeFile(join(at, to), 'content'));
    expect(await deliverOnce(store, 'a.csv', fileOf('content'))).toBeNull();
    expect(await readFolder(folder)).toEqual({ 'a.csv': 'content' });
  });

  it('and the name is there with other content of the same size, it is refused and left', async () => {
    const { store, folder } = await openStore((_, _from, to, at) => writeFile(join(at, to), 'CONTENT'));
    const error = await catchSyncError(deliverOnce(store, 'a.csv', fileOf('content')));
    expect([error.code, error.place]).toEqual(['SYNC_SOURCE_UNWRITABLE', join(folder, 'a.csv')]);
    expect(await readFolder(folder)).toEqual({ 'a.csv': 'CONTENT' });
  });

  it('and the partial file alone is there, it is not delivered for sure', async () => {
    const { store, folder } = await openStore(async () => {});
    expect(await catchSyncError(deliverOnce(store, 'a.csv', fileOf('content')))).toBe(DOWN);
    expect(await readFolder(folder)).toEqual({});
  });

  it('and neither is there, it may have been taken already', async () => {
    const { store } = await openStore((_, from, _to, at) => rm(join(at, from)));
    expect(await deliverOnce(store, 'a.csv', fileOf('content'))).toContain('it went away');
  });

  it('and the folder cannot be looked at any more, nobody knows', async () => {
    let isGone = false;
    const { store } = await openStore(async () => {
      isGone = true;
    });
    const stat: DropStore['stat'] = (name) => (isGone ? Promise.reject(DOWN) : store.stat(name));
    expect(await deliverOnce(changeStore(store, { stat }), 'a.csv', fileOf('content'))).toContain('it went away');
  });
});

describe('when writing fails', () => {
  it.each([
    ['midway, as on a full disk', fileOf('content', Object.assign(new Error('no space'), { code: 'ENOSPC' }))],
    ['because fewer bytes came than were announced', { ...fileOf('content'), size: 99 }],
  ])('%s: it says so and leaves nothing', async (_, file) => {
    const folder = await makeFolder();
    const error = await catchSyncError(deliverOnce(createLocalStore(folder), 'a.csv', file));
    expect([error.code, error.kind]).toEqual(['SYNC_SOURCE_UNWRITABLE', 'transient']);
    expect(await readFolder(folder)).toEqual({});
  });
});

it('a file that takes the name while ours is written is not replaced', async () => {
  const folder = await makeFolder();
  const file = fileOf('content');
  const bytes: Delivery['bytes'] = async function* () {
    yield* file.bytes();
    await writeFile(join(folder, 'a.csv'), 'theirs');
  };
  const error = await catchSyncError(deliverOnce(createLocalStore(folder), 'a.csv', { ...file, bytes }));
  expect(error.message).toContain('is not replaced');
  expect(await readFolder(folder)).toEqual({ 'a.csv': 'theirs' });
});

it('a link that is where the partial file goes leads nowhere', async () => {
  const folder = await makeFolder();
  const secret = join(await makeFolder(), 'secret');
  await writeFile(secret, 'secret');
  await symlink(secret, join(folder, '.a.csv.partial'));
  expect(await deliverOnce(createLocalStore(folder), 'a.csv', fileOf('content'))).toBeNull();
  expect(await readFolder(join(secret, '..'))).toEqual({ secret: 'secret' });
});

it('a folder that cannot be listed is not tidied, and nothing fails', async () => {
  const folder = await makeFolder();
  await writeFileIn(folder, '.a-1.csv.partial', 'x', NOW - 7_200_000);
  const store = createLocalStore(folder);
  await tidyPartials(changeStore(store, { list: () => Promise.reject(DOWN) }), 'a-{run}.csv', NOW);
  expect(Object.keys(await readFolder(folder))).toEqual(['.a-1.csv.partial']);
  await tidyPartials(store, 'a-{run}.csv', NOW);
  expect(await readFolder(folder)).toEqual({});
});
