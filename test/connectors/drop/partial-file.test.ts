import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLocalStore } from '../../../src/connectors/drop/local-store.js';
import { discardFile, showFile, type WholeFile, writePartialFile } from '../../../src/connectors/drop/partial-file.js';
import { createSftpStore } from '../../../src/connectors/drop/sftp-store.js';
import type { DropStore } from '../../../src/connectors/drop/store.js';
import { closeAfterTest } from '../../closing.js';
import { sweep } from '../../depth.js';
import { buildContext, catchSyncError, makeFolder } from '../fixtures.js';
import { startOpenSsh } from '../sftp/openssh.js';

interface Place {
  readonly store: DropStore;
  readonly folder: string;
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  'a folder': async () => {
    const folder = await makeFolder();
    return { store: createLocalStore(folder), folder };
  },
  'an OpenSSH server': async () => {
    const { access, drop } = await startOpenSsh();
    const store = createSftpStore(access, buildContext());
    closeAfterTest(store);
    return { store, folder: drop };
  },
};

/** The text comes in several chunks, so that it takes more than one write. */
function outgoing(name: string, text: string, size = Buffer.byteLength(text)): WholeFile {
  return {
    name,
    size,
    async *bytes() {
      for (let i = 0; i < text.length; i += 70_000) yield Buffer.from(text.slice(i, i + 70_000));
    },
  };
}

describe.each(Object.entries(PLACES))('a file for %s', (_, open) => {
  it('appears under its name only when it is shown, and then replaces an older one', async () => {
    const { store, folder } = await open();
    writeFileSync(join(folder, 'people.csv'), 'old');
    const text = 'ü,1\r\n'.repeat(100_000);
    const file = outgoing('people.csv', text);
    await writePartialFile(store, file);
    expect(readdirSync(folder).sort()).toEqual(['.people.csv.partial', 'people.csv']);
    expect(readFileSync(join(folder, 'people.csv'), 'utf8')).toBe('old');
    await showFile(store, file);
    expect(readdirSync(folder)).toEqual(['people.csv']);
    expect(readFileSync(join(folder, 'people.csv'), 'utf8') === text).toBe(true);
    // Showing it again, as after a crash, moves nothing.
    const { mtimeMs } = statSync(join(folder, 'people.csv'));
    await showFile(store, file);
    expect(statSync(join(folder, 'people.csv')).mtimeMs).toBe(mtimeMs);
  });

  it('is an error if it is incomplete, and is not shown', async () => {
    const { store, folder } = await open();
    const file = outgoing('people.csv', 'half', 8);
    const error = await catchSyncError(writePartialFile(store, file));
    expect(['SYNC_SOURCE_UNWRITABLE', 'SYNC_SOURCE_DOWN']).toContain(error.code);
    expect(error.message).toContain('4 of 8 bytes');
    await showFile(store, file);
    expect(existsSync(join(folder, 'people.csv'))).toBe(false);
    for (const _twice of [1, 2]) await discardFile(store, 'people.csv');
    expect(readdirSync(folder)).toEqual([]);
  });

  sweep('is rejected if its folder is missing, or if a folder has its name', async () => {
    const { store, folder } = await open();
    expect((await catchSyncError(writePartialFile(store, outgoing('no/people.csv', 'x')))).code).toBe(
      'SYNC_SOURCE_MISSING',
    );
    await mkdir(join(folder, 'people.csv', 'full'), { recursive: true });
    const file = outgoing('people.csv', 'x');
    await writePartialFile(store, file);
    expect((await catchSyncError(showFile(store, file))).code).toBe('SYNC_SOURCE_UNWRITABLE');
  });
});
