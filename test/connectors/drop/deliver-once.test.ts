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

/** Opens a folder where the rename is replaced by something else and then loses its answer. */
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

describe('deliverOnce, when the answer to the rename is lost', () => {
  it('succeeds if the name has our content', async () => {
    const { store, folder } = await openStore((inner, from, to) => inner.renameNew(from, to));
    expect(await deliverOnce(store, 'a.csv', fileOf('content'))).toBeNull();
    expect(await readFolder(folder)).toEqual({ 'a.csv': 'content' });
  });

  it('succeeds even if the partial file is still there (a server that links, then unlinks)', async () => {
    const { store, folder } = await openStore((_, _from, to, at) => writeFile(join(at, to), 'content'));
    expect(await deliverOnce(store, 'a.csv', fileOf('content'))).toBeNull();
    expect(await readFolder(folder)).toEqual({ 'a.csv': 'content' });
  });

  it('fails if the name has other content of the same size, and leaves that file', async () => {
    const { store, folder } = await openStore((_, _from, to, at) => writeFile(join(at, to), 'CONTENT'));
    const error = await catchSyncError(deliverOnce(store, 'a.csv', fileOf('content')));
    expect([error.code, error.place]).toEqual(['SYNC_SOURCE_UNWRITABLE', join(folder, 'a.csv')]);
    expect(await readFolder(folder)).toEqual({ 'a.csv': 'CONTENT' });
  });

  it('fails if only the partial file is there, and removes it', async () => {
    const { store, folder } = await openStore(async () => {});
    expect(await catchSyncError(deliverOnce(store, 'a.csv', fileOf('content')))).toBe(DOWN);
    expect(await readFolder(folder)).toEqual({});
  });

  it('reports uncertainty if neither file is there, because the delivery may have been collected', async () => {
    const { store } = await openStore((_, from, _to, at) => rm(join(at, from)));
    expect(await deliverOnce(store, 'a.csv', fileOf('content'))).toContain('it went away');
  });

  it('reports uncertainty if the folder can no longer be read', async () => {
    let isGone = false;
    const { store } = await openStore(async () => {
      isGone = true;
    });
    const stat: DropStore['stat'] = (name) => (isGone ? Promise.reject(DOWN) : store.stat(name));
    expect(await deliverOnce(changeStore(store, { stat }), 'a.csv', fileOf('content'))).toContain('it went away');
  });
});

describe('deliverOnce, when writing fails', () => {
  it.each([
    ['midway, as on a full disk', fileOf('content', Object.assign(new Error('no space'), { code: 'ENOSPC' }))],
    ['because of fewer bytes than announced', { ...fileOf('content'), size: 99 }],
  ])('reports a failure %s, and leaves nothing behind', async (_, file) => {
    const folder = await makeFolder();
    const error = await catchSyncError(deliverOnce(createLocalStore(folder), 'a.csv', file));
    expect([error.code, error.kind]).toEqual(['SYNC_SOURCE_UNWRITABLE', 'transient']);
    expect(await readFolder(folder)).toEqual({});
  });
});

it('does not replace a file that takes the name during writing', async () => {
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

it('does not write through a link in place of the partial file', async () => {
  const folder = await makeFolder();
  const secret = join(await makeFolder(), 'secret');
  await writeFile(secret, 'secret');
  await symlink(secret, join(folder, '.a.csv.partial'));
  expect(await deliverOnce(createLocalStore(folder), 'a.csv', fileOf('content'))).toBeNull();
  expect(await readFolder(join(secret, '..'))).toEqual({ secret: 'secret' });
});

it('skips tidying a folder that cannot be listed, without failing', async () => {
  const folder = await makeFolder();
  await writeFileIn(folder, '.a-1.csv.partial', 'x', NOW - 7_200_000);
  const store = createLocalStore(folder);
  await tidyPartials(changeStore(store, { list: () => Promise.reject(DOWN) }), 'a-{run}.csv', NOW);
  expect(Object.keys(await readFolder(folder))).toEqual(['.a-1.csv.partial']);
  await tidyPartials(store, 'a-{run}.csv', NOW);
  expect(await readFolder(folder)).toEqual({});
});
