import type SftpClient from 'ssh2-sftp-client';
import { createNameless } from '../../base/nameless-file.js';
import type { SftpAccess } from '../../base/settings/sftp-access.js';
import type { ConnectorContext } from '../connector.js';
import { refuseUnsettled } from './faults.js';
import { type FileEntry, type FileFacts, type FileSystem, nullIfMissing, type OpenFile } from './file-system.js';
import { readHandle } from './read-handle.js';
import { createSftpSession, type SftpSession } from './sftp-session.js';
import { ask, renameFile, renameOver, type SftpWire, uploadFile } from './sftp-upload.js';
import { DropStore, isSameFile } from './store.js';

type Context = Pick<ConnectorContext, 'clock' | 'downloads' | 'limitTransfers'>;

/** Opens a folder on an SFTP server. */
export function createSftpStore(
  access: SftpAccess,
  context: Context,
  signal?: AbortSignal,
  followLinks = false,
): DropStore {
  const { host, port, path } = access;
  const files = sftpFiles(createSftpSession(access, context.clock, signal), context);
  return new DropStore(`sftp://${host}:${port}${path.startsWith('/') ? '' : '/~/'}${path}`, path, files, followLinks);
}

function sftpFiles({ run, close }: SftpSession, { downloads, limitTransfers }: Context): FileSystem {
  return {
    // The protocol does not report the server's time.
    clockErrorMs: 15 * 60_000,
    async list(folder) {
      const entries = await run((client) => client.list(folder));
      const names = entries.filter(({ type }) => type !== 'd').map(({ name }) => name);
      // The library decodes names and replaces each byte that is not UTF-8 with U+FFFD, so the original name is lost.
      return names.map((name) => ({ shown: name.replaceAll('\uFFFD', '\\ufffd'), isUtf8: !name.includes('\uFFFD') }));
    },
    look: (path) => run((_client, _isAgain, wire) => findEntry(wire, path)),
    async lookAll(folder, names) {
      const wanted = new Set(names);
      const entries = await run((client) => client.list(folder, ({ name }) => wanted.has(name)));
      return new Map(
        entries.map(({ name, type, size, modifyTime }) => [
          name,
          { kind: type === 'l' ? 'link' : 'file', size, mtimeMs: modifyTime, inode: '' },
        ]),
      );
    },
    realPath: (path) => run((client) => client.realPath(path)).catch(nullIfMissing),
    open: (path, facts, at) =>
      limitTransfers(() =>
        run(
          (client, _isAgain, wire) => download(client, wire, path, { facts, at, into: downloads }),
          (file) => file.close(),
        ),
      ),
    write: (path, content, bytes) =>
      limitTransfers(() =>
        run(async (client, _isAgain, wire) => {
          await uploadFile(wire, path, content());
          const { size } = await client.stat(path);
          if (size !== bytes) throw new Error(`${size} of ${bytes} bytes of ${path} came through`);
        }),
      ),
    move: (from, to, replaces) =>
      run(async (_client, isAgain, wire) => {
        // If the response to the first attempt was lost, the file may already have its new name.
        if (isAgain && (await findEntry(wire, from)) === null && (await findEntry(wire, to)) !== null) return true;
        if (!replaces && (await findEntry(wire, to)) !== null) return false;
        await (replaces ? renameOver : renameFile)(wire, from, to);
        return true;
      }),
    remove: async (path) => void (await run((client) => client.delete(path, true))),
    makeFolder: async (path) => void (await run((client) => client.mkdir(path, true))),
    async checkWritable(folder) {
      const stats = await run((_client, _isAgain, wire) => ask<Stats>((done) => wire.stat(folder, done)));
      if (!stats.isDirectory()) throw new Error('it is not a folder');
    },
    close,
  };
}

type Stats = Parameters<Parameters<SftpWire['lstat']>[1]>[1];

/** Calls the protocol directly, because the client reports every failure as a missing file. */
async function findEntry(wire: SftpWire, path: string): Promise<FileEntry | null> {
  const stats = await ask<Stats>((done) => wire.lstat(path, done)).catch(nullIfMissing);
  if (stats === null) return null;
  const kinds = [stats.isSymbolicLink() && 'link', stats.isFile() && 'file', stats.isDirectory() && 'folder'] as const;
  const kind = kinds.find((one) => one !== false) ?? 'other';
  if (kind === 'link') return { kind, size: 0, mtimeMs: 0, inode: '' };
  return { kind, size: stats.size, mtimeMs: stats.mtime * 1_000, inode: '' };
}

/**
 * Downloads into a nameless local file, so that no file is left behind after a crash. The size is compared with the size
 * on the server. A truncated transfer is repeated; a file that changed during the transfer is not settled.
 */
async function download(
  client: SftpClient,
  wire: SftpWire,
  path: string,
  { facts, at, into }: { readonly facts: FileFacts; readonly at: string; readonly into: string },
): Promise<OpenFile> {
  const copy = await createNameless(into);
  let stop = (): void => undefined;
  try {
    const stream = client.createReadStream(path, { highWaterMark: 256 * 1024 });
    // A broken connection is reported by the session and again by each open request. The stream is destroyed too,
    // because a request that waits for another kind of response would hang indefinitely.
    stream.on('error', () => undefined);
    stop = () => void stream.destroy(new Error('the connection was closed'));
    client.on('close', stop);
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      await copy.write(chunk);
      size += chunk.length;
      // The file is growing, perhaps faster than it can be read.
      if (size > facts.size) break;
    }
    if (size === facts.size) return { facts, bytes: () => readHandle(copy, at), close: () => copy.close() };
    const after = await findEntry(wire, path);
    if (after === null || !isSameFile(facts, after)) throw refuseUnsettled(at);
    throw new Error(`${size} of ${facts.size} bytes of ${path} came through`);
  } catch (error) {
    await copy.close();
    throw error;
  } finally {
    client.removeListener('close', stop);
  }
}
