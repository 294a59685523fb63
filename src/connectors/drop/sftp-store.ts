import type SftpClient from 'ssh2-sftp-client';
import type { SftpAccess } from '../../settings/sftp-access.js';
import type { ConnectorContext } from '../connector.js';
import { refuseUnsettled } from './faults.js';
import { type FileEntry, type FileSystem, nullIfMissing } from './file-system.js';
import { createNameless } from './nameless-file.js';
import { readHandle } from './read-handle.js';
import { createSftpSession, type SftpSession } from './sftp-session.js';
import { renameFile, renameOver, uploadFile } from './sftp-upload.js';
import { DropStore, type FileFacts, isSameFile, type OpenFile } from './store.js';

type Context = Pick<ConnectorContext, 'clock' | 'downloads' | 'limitTransfers'>;

/** A folder of an SFTP server. */
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
    // The protocol does not tell the server's time.
    clockErrorMs: 15 * 60_000,
    async list(folder) {
      const entries = await run((client) => client.list(folder));
      const names = entries.filter(({ type }) => type !== 'd').map(({ name }) => name);
      // The library decodes names: U+FFFD is left for each byte of one that was not UTF-8, and no file has that name.
      return names.map((name) => ({ shown: name.replaceAll('\uFFFD', '\\ufffd'), isUtf8: !name.includes('\uFFFD') }));
    },
    look: (path) => run((client) => look(client, path)),
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
      limitTransfers(() => run((client) => download(client, path, { facts, at, into: downloads }))),
    write: (path, content, bytes) =>
      limitTransfers(() =>
        run(async (client, _isAgain, wire) => {
          await uploadFile(wire, path, content());
          const { size } = await client.stat(path);
          if (size !== bytes) throw new Error(`${size} of ${bytes} bytes of ${path} came through`);
        }),
      ),
    move: (from, to, replaces) =>
      run(async (client, isAgain, wire) => {
        // The answer to the first try may have been lost: then the file has its new name already.
        if (isAgain && (await look(client, from)) === null && (await look(client, to)) !== null) return true;
        if (!replaces && (await look(client, to)) !== null) return false;
        await (replaces ? renameOver : renameFile)(wire, from, to);
        return true;
      }),
    remove: async (path) => void (await run((client) => client.delete(path, true))),
    makeFolder: async (path) => void (await run((client) => client.mkdir(path, true))),
    async checkWritable(folder) {
      const { isDirectory } = await run((client) => client.stat(folder));
      if (!isDirectory) throw new Error('it is no folder');
    },
    close,
  };
}

async function look(client: SftpClient, path: string): Promise<FileEntry | null> {
  if ((await client.exists(path)) === 'l') return { kind: 'link', size: 0, mtimeMs: 0, inode: '' };
  const stats = await client.stat(path).catch(nullIfMissing);
  if (stats === null) return null;
  const other = stats.isDirectory ? 'folder' : 'other';
  return { kind: stats.isFile ? 'file' : other, size: stats.size, mtimeMs: stats.modifyTime, inode: '' };
}

/**
 * Into a file of this machine that has no name any more, so that none is left behind however the process ends. The size is
 * compared with the server's: a transfer that was cut is tried again, a file that moved meanwhile is not settled.
 */
async function download(
  client: SftpClient,
  path: string,
  { facts, at, into }: { readonly facts: FileFacts; readonly at: string; readonly into: string },
): Promise<OpenFile> {
  const copy = await createNameless(into);
  try {
    const stream = client.createReadStream(path, { highWaterMark: 256 * 1024 });
    // A broken connection is an error of the session, and once more of each request that was still open.
    stream.on('error', () => undefined);
    let size = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      await copy.write(chunk);
      size += chunk.length;
      // It grows, perhaps faster than it can be read.
      if (size > facts.size) break;
    }
    if (size === facts.size) return { facts, bytes: () => readHandle(copy, at), close: () => copy.close() };
    const after = await look(client, path);
    if (after === null || !isSameFile(facts, after)) throw refuseUnsettled(at);
    throw new Error(`${size} of ${facts.size} bytes of ${path} came through`);
  } catch (error) {
    await copy.close();
    throw error;
  }
}
