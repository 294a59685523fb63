import type SftpClient from 'ssh2-sftp-client';
import { cleanLine } from '../../model/clean-text.js';
import type { SftpAccess } from '../../settings/sftp-access.js';
import type { ConnectorContext } from '../connector.js';
import {
  refuseLink,
  refuseNoFolder,
  refuseTaken,
  refuseUnreadable,
  refuseUnsettled,
  refuseUnwritable,
} from './faults.js';
import { createNameless } from './nameless-file.js';
import { readHandle } from './read-handle.js';
import { createSftpSession, isMissing } from './sftp-session.js';
import { renameFile, renameOver, uploadFile } from './sftp-upload.js';
import { type DropStore, type FileFacts, isSameFile, numberNames, type OpenFile } from './store.js';
import { isReplaced, showReplaced } from './unreadable-name.js';

type Context = Pick<ConnectorContext, 'clock' | 'downloads' | 'limitTransfers'>;

/** A folder of an SFTP server. */
export function createSftpStore(
  access: SftpAccess,
  context: Context,
  signal?: AbortSignal,
  followLinks = false,
): DropStore {
  const { run, close } = createSftpSession(access, context.clock, signal);
  const pathOf = (name: string): string => (name === '' ? access.path : `${access.path.replace(/\/$/, '')}/${name}`);
  const at = `sftp://${access.host}:${access.port}${access.path.startsWith('/') ? '' : '/~/'}${access.path}`;
  const locate = (name: string): string => cleanLine(`${at.replace(/\/$/, '')}/${name}`);

  /** Where a name leads to on the server; links are followed as in a folder of this machine. */
  async function resolve(client: SftpClient, name: string): Promise<string> {
    if ((await client.exists(pathOf(name))) !== 'l') return pathOf(name);
    const real = await client.realPath(pathOf(name)).catch((error: unknown) => {
      throw isMissing(error) ? refuseLink(locate(name), 'leads nowhere') : error;
    });
    if ((await client.exists(real)) === false) throw refuseLink(locate(name), 'leads nowhere');
    const folder = (await client.realPath(access.path)).replace(/\/*$/, '/');
    if (followLinks || real.startsWith(folder)) return real;
    throw refuseLink(locate(name), 'leads out of the drop folder');
  }

  async function look(client: SftpClient, name: string): Promise<FileFacts | null> {
    try {
      const stats = await client.stat(await resolve(client, name));
      if (!stats.isFile) throw refuseUnreadable(locate(name), new Error('it is not a regular file'));
      return { size: stats.size, mtimeMs: stats.modifyTime, inode: '' };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /**
   * Into a file of this machine that has no name any more, so that none is left behind however the process ends. The size is
   * compared with the server's: a transfer that was cut is tried again, a file that moved meanwhile is not settled.
   */
  async function download(name: string): Promise<OpenFile> {
    const { facts, handle } = await run(async (client) => {
      const before = await look(client, name);
      if (before === null) throw refuseUnsettled(locate(name));
      const copy = await createNameless(context.downloads);
      try {
        const stream = client.createReadStream(await resolve(client, name), { highWaterMark: 256 * 1024 });
        // A connection that breaks is told to the loop below, and once more to whatever request was still open.
        stream.on('error', () => undefined);
        let size = 0;
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          await copy.write(chunk);
          size += chunk.length;
          // It grows, perhaps faster than it can be read.
          if (size > before.size) break;
        }
        if (size === before.size) return { facts: before, handle: copy };
        const after = await look(client, name);
        if (after === null || !isSameFile(before, after)) throw refuseUnsettled(locate(name));
        throw new Error(`${size} of ${before.size} bytes of ${name} came through`);
      } catch (error) {
        await copy.close();
        throw error;
      }
    });
    return { facts, bytes: () => readHandle(handle, locate(name)), close: () => handle.close() };
  }

  function reading<T>(name: string, work: (client: SftpClient) => Promise<T>): Promise<T> {
    return run(work).catch((error: unknown) => {
      throw refuseUnreadable(locate(name), error);
    });
  }

  async function writing(name: string, work: Parameters<typeof run<void>>[0]): Promise<void> {
    await run(work).catch((error: unknown) => {
      throw refuseUnwritable(locate(name), error);
    });
  }

  async function delivering(name: string, work: Parameters<typeof run<void>>[0]): Promise<void> {
    await run(work).catch((error: unknown) => {
      throw isMissing(error) ? refuseNoFolder(at, error) : refuseUnwritable(locate(name), error);
    });
  }

  return {
    at,
    // The protocol does not tell the server's time.
    clockErrorMs: 15 * 60_000,
    locate,
    list: async (onUnreadable) => {
      const entries = await run((client) => client.list(access.path)).catch((error: unknown) => {
        throw isMissing(error) ? refuseNoFolder(at, error) : refuseUnreadable(at, error);
      });
      const names = entries.filter(({ type }) => type !== 'd').map(({ name }) => name);
      // The library tells names as text: one that was not UTF-8 is the name of no file any more.
      for (const name of names.filter(isReplaced)) onUnreadable?.(showReplaced(name));
      return names.filter((name) => !isReplaced(name));
    },
    times: async (names) => {
      const entries = await reading('', (client) => client.list(access.path));
      const wanted = new Set(names);
      return new Map(
        entries.flatMap(({ name, modifyTime, type }) => (type !== 'd' && wanted.has(name) ? [[name, modifyTime]] : [])),
      );
    },
    stat: (name) => reading(name, (client) => look(client, name)),
    open: (name) =>
      context
        .limitTransfers(() => download(name))
        .catch((error: unknown) => {
          throw refuseUnreadable(locate(name), error);
        }),
    rename: (name, to) =>
      writing(to, async (client, isAgain, wire) => {
        // The answer to the first try may have been lost: then the file has its new name already.
        if (isAgain && (await look(client, name)) === null && (await look(client, to)) !== null) return;
        await renameOver(wire, pathOf(name), pathOf(to));
      }),
    putAway: (name, into) =>
      writing(`${into}/${name}`, async (client, isAgain, wire) => {
        if (isAgain && !(await client.exists(pathOf(name)))) return;
        for (const one of numberNames(name)) {
          if (await client.exists(pathOf(`${into}/${one}`))) continue;
          return renameFile(wire, pathOf(name), pathOf(`${into}/${one}`));
        }
        throw refuseUnwritable(locate(`${into}/${name}`), new Error('every name for it is taken'));
      }),
    put: (name, content) =>
      writing(name, async (_client, _isAgain, wire) => {
        await uploadFile(wire, pathOf(`${name}.part`), [Buffer.from(content)]);
        await renameOver(wire, pathOf(`${name}.part`), pathOf(name));
      }),
    write: (name, content, bytes) =>
      context.limitTransfers(() =>
        delivering(name, async (client, _isAgain, wire) => {
          await uploadFile(wire, pathOf(name), content());
          const { size } = await client.stat(pathOf(name));
          if (size !== bytes) throw new Error(`${size} of ${bytes} bytes of ${name} came through`);
        }),
      ),
    renameNew: (name, to) =>
      delivering(to, async (client, _isAgain, wire) => {
        if ((await look(client, to)) !== null) throw refuseTaken(locate(to));
        await renameFile(wire, pathOf(name), pathOf(to));
      }),
    checkWritable: () =>
      delivering('', async (client) => {
        const { isDirectory } = await client.stat(access.path);
        if (!isDirectory) throw new Error('it is no folder');
      }),
    delete: (name) => writing(name, async (client) => void (await client.delete(pathOf(name), true))),
    mkdir: (name) =>
      writing(name, async (client) => {
        const found = await client.exists(pathOf(name));
        if (found === false) await client.mkdir(pathOf(name), true);
        else if (found !== 'd')
          throw refuseUnwritable(locate(name), new Error('it is no folder of its own, or a link'));
      }),
    close,
  };
}
