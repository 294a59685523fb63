import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SftpAccess } from '../../../src/base/settings/sftp-access.js';
import { createSftpStore } from '../../../src/connectors/drop/sftp-store.js';
import type { SourceWriter } from '../../../src/connectors/source-writer.js';
import { closeAfterTest } from '../../closing.js';
import { oneIn, sweep } from '../../depth.js';
import { buildContext, catchSyncError } from '../fixtures.js';
import { startOpenSsh } from '../sftp/openssh.js';
import { startPlainServer } from '../sftp/plain-server.js';
import { startWire } from '../sftp/wire.js';
import { backTo, FILE, openWriter, RUN, readFolder, tell, writeAll } from './writing.js';

const PARTIAL = `.${FILE}.partial`;
const WRITES = [tell('1', { mobile: '+47 22' }), tell('2', { mobile: 'ø' })];
const CONTENT = 'id;mobile\r\n1;+47 22\r\n2;ø\r\n';

const writerTo = (sftp: SftpAccess, manifest = false): SourceWriter =>
  openWriter(backTo('sftp://there', { sftp, manifest }));

describe('the file writer, over SFTP to OpenSSH', () => {
  it('delivers a complete file, then its manifest, and leaves nothing else', async () => {
    const { access, drop } = await startOpenSsh();
    const writer = writerTo(access, true);
    const outcomes = await writeAll(writer, WRITES);
    expect(outcomes.map(({ record, status, at }) => [record, status, at])).toEqual([
      ['1', 'done', FILE],
      ['2', 'done', FILE],
    ]);
    expect(await readFolder(drop)).toEqual({
      [FILE]: CONTENT,
      [`${FILE}.done`]: expect.stringMatching(/^\{"rows":2,"sha256":"[0-9a-f]{64}"\}\n$/),
    });
    expect(await writer.wasDelivered?.(RUN)).toBe(true);
    const before = statSync(join(drop, FILE)).ino;
    expect((await writeAll(writer, WRITES)).map(({ status }) => status)).toEqual(['done', 'done']);
    expect(statSync(join(drop, FILE)).ino).toBe(before);
  });

  sweep('never replaces an existing file', async () => {
    const { access, drop } = await startOpenSsh();
    await writeFile(join(drop, FILE), 'theirs');
    const error = await catchSyncError(writeAll(writerTo(access), WRITES));
    expect([error.code, error.place]).toEqual([
      'SYNC_SOURCE_UNWRITABLE',
      expect.stringMatching(/^sftp:.*talent-r1\.csv$/),
    ]);
    expect(await readFolder(drop)).toEqual({ [FILE]: 'theirs' });
  });

  sweep('does not replace a file that takes the name at the last moment', async () => {
    const { access, drop } = await startOpenSsh();
    await writeFile(join(drop, PARTIAL), 'ours');
    await writeFile(join(drop, FILE), 'theirs');
    const store = createSftpStore(access, buildContext());
    closeAfterTest(store);
    expect((await catchSyncError(store.renameNew(PARTIAL, FILE))).message).toContain('is not replaced');
    expect(await readFolder(drop)).toEqual({ [FILE]: 'theirs', [PARTIAL]: 'ours' });
  });

  sweep('checks log-in, host key and folder, and says which part it cannot check', async () => {
    const { access, drop } = await startOpenSsh();
    expect(await writerTo(access).probe()).toEqual({
      at: expect.stringContaining(drop),
      detail: 'writes talent-{run}.csv; the first file will show if it may write',
    });
    const wrong = { ...access, hostKeys: [`SHA256:${'A'.repeat(43)}`] };
    expect((await catchSyncError(writerTo(wrong).probe())).code).toBe('SYNC_SOURCE_HOST_KEY');
    expect((await catchSyncError(writeAll(writerTo(wrong), WRITES))).code).toBe('SYNC_SOURCE_HOST_KEY');
    const missing = { ...access, path: `${drop}/no` };
    expect((await catchSyncError(writerTo(missing).probe())).code).toBe('SYNC_SOURCE_MISSING');
    expect((await catchSyncError(writeAll(writerTo(missing), WRITES))).code).toBe('SYNC_SOURCE_MISSING');
    expect(await readFolder(drop)).toEqual({});
  });

  sweep('reports a server that allows no writing', async () => {
    const { access, drop } = await startOpenSsh('-R');
    const error = await catchSyncError(writeAll(writerTo(access), WRITES));
    expect([error.code, error.remedy]).toEqual([
      'SYNC_SOURCE_UNWRITABLE',
      expect.stringContaining('permission to write'),
    ]);
    expect(await readFolder(drop)).toEqual({});
  });
});

sweep('writes to a server without the extensions of OpenSSH', async () => {
  const { access, drop, keyFile } = await startOpenSsh();
  const { port, asked } = await startPlainServer(keyFile.replace(/user\.key$/, 'host.key'));
  const outcomes = await writeAll(writerTo({ ...access, port }, true), WRITES);
  expect(outcomes.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(Object.keys(await readFolder(drop)).sort()).toEqual([FILE, `${FILE}.done`]);
  expect(asked).toEqual(['rename', 'rename']);
});

describe('the file writer, when the connection breaks', () => {
  /**
   * Opens a connection that breaks once a file with that name exists (and has that size). The server’s answer is then
   * lost.
   */
  async function startBreaking(
    onConnection: (number: number) => boolean,
    name: string,
    size = 0,
    kind: 'reset' | 'hang' = 'reset',
  ): Promise<{
    writer: (manifest?: boolean) => SourceWriter;
    drop: string;
    access: SftpAccess;
    connections(): number;
  }> {
    const { access, drop, port } = await startOpenSsh();
    const path = join(drop, name);
    const when = (): boolean => existsSync(path) && statSync(path).size >= size;
    const wire = await startWire(port, { onConnection, afterBytes: 0, kind, when });
    // A busy machine may take seconds to report a reset connection.
    const timeoutMs = kind === 'hang' ? 2_000 : 20_000;
    const broken = { ...access, port: wire.port, timeoutMs };
    return { writer: (manifest) => writerTo(broken, manifest), drop, access, connections: wire.connections };
  }

  const LARGE = [tell('1', { mobile: 'x'.repeat(3_000_000) })];

  sweep.each(oneIn(1, ['reset', 'hang'] as const))(
    'sends the complete file again after a %s in the middle of the transfer',
    async (kind) => {
      const { writer, drop, connections } = await startBreaking((number) => number === 1, PARTIAL, 500_000, kind);
      expect((await writeAll(writer(), LARGE)).map(({ status }) => status)).toEqual(['done']);
      expect(await readFolder(drop)).toEqual({ [FILE]: `id;mobile\r\n1;${'x'.repeat(3_000_000)}\r\n` });
      expect(connections()).toBeGreaterThanOrEqual(2);
    },
  );

  sweep('reports no record if every transfer breaks, and tidies up with the next delivery', async () => {
    const { writer, drop, access } = await startBreaking(() => true, PARTIAL, 500_000);
    const error = await catchSyncError(writeAll(writer(), LARGE));
    expect([error.code, error.kind]).toEqual(['SYNC_SOURCE_DOWN', 'transient']);
    expect(Object.keys(await readFolder(drop))).toEqual([PARTIAL]);
    const direct = writerTo(access);
    expect(await direct.wasDelivered?.(RUN)).toBe(false);
    expect((await writeAll(direct, WRITES)).map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await readFolder(drop)).toEqual({ [FILE]: CONTENT });
  });

  sweep('finds its file under the final name, if the connection breaks once after the rename', async () => {
    const { writer, drop, connections } = await startBreaking((number) => number === 1, FILE);
    expect((await writeAll(writer(), WRITES)).map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await readFolder(drop)).toEqual({ [FILE]: CONTENT });
    expect(connections()).toBe(2);
  });

  it('reports a delivery as lost if no connection works after the rename, and later finds it', async () => {
    const { writer, drop, access } = await startBreaking(() => true, FILE);
    const outcomes = await writeAll(writer(), WRITES);
    expect(outcomes.map(({ record, status, at }) => [record, status, at])).toEqual([
      ['1', 'lost', FILE],
      ['2', 'lost', FILE],
    ]);
    expect(outcomes[0]?.message).toContain('not known whether sftp://');
    expect((await readFolder(drop))[FILE]).toBe(CONTENT);
    expect(await writerTo(access).wasDelivered?.(RUN)).toBe(true);
  });

  sweep('reports a delivery as lost if no connection works after its manifest was renamed', async () => {
    const { writer, drop, access } = await startBreaking(() => true, `${FILE}.done`);
    expect((await writeAll(writer(true), WRITES)).map(({ status }) => status)).toEqual(['lost', 'lost']);
    expect(Object.keys(await readFolder(drop)).sort()).toEqual([FILE, `${FILE}.done`]);
    expect(await writerTo(access, true).wasDelivered?.(RUN)).toBe(true);
  });

  sweep('reports a delivery as lost, without waiting, if the run is stopped during the rename', async () => {
    const stop = new AbortController();
    const { access, drop, port } = await startOpenSsh();
    const path = join(drop, FILE);
    const when = (): boolean => {
      if (!existsSync(path)) return false;
      stop.abort(new Error('shutdown'));
      return true;
    };
    const wire = await startWire(port, { onConnection: () => true, afterBytes: 0, kind: 'hang', when });
    const outcomes = await writeAll(writerTo({ ...access, port: wire.port }), WRITES, RUN, stop.signal);
    expect(outcomes.map(({ status }) => status)).toEqual(['lost', 'lost']);
    expect(wire.connections()).toBe(1);
  });
});
