import type SftpClient from 'ssh2-sftp-client';

/** The protocol itself, below the client that wraps it. */
export type SftpWire = Awaited<ReturnType<SftpClient['connect']>>;

const UNSUPPORTED = 8;

/** Writes a new file, in the place of whatever has its name, and has the server bring it to its disk, where it can (OpenSSH's `fsync@openssh.com`). */
export async function uploadFile(
  wire: SftpWire,
  path: string,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<void> {
  const handle = await createFile(wire, path);
  try {
    let position = 0;
    for await (const chunk of content) {
      await ask((done) => wire.write(handle, chunk, 0, chunk.length, position, done));
      position += chunk.length;
    }
    await flush(wire, handle);
  } finally {
    await ask((done) => wire.close(handle, done));
  }
}

/**
 * What has the name could be a link that leads elsewhere: it is taken away, never opened. A server may take files and let
 * nobody delete; then only a name that is free will do.
 */
async function createFile(wire: SftpWire, path: string): Promise<Buffer> {
  await ask((done) => wire.unlink(path, done)).catch(ignoreAnswer);
  return ask<Buffer>((done) => wire.open(path, 'wx', done));
}

/**
 * In one step, where the server can (`posix-rename@openssh.com`): OpenSSH's plain rename gives a file a second name and takes off
 * the first, which those who watch for renamed files do not see.
 */
export async function renameFile(wire: SftpWire, from: string, to: string): Promise<void> {
  const isDone = await tryExtension((done) => wire.ext_openssh_rename(from, to, done));
  if (!isDone) await ask((done) => wire.rename(from, to, done));
}

/** The same in the place of what has the name; a server that cannot do it in one step is asked to delete first. */
export async function renameOver(wire: SftpWire, from: string, to: string): Promise<void> {
  if (await tryExtension((done) => wire.ext_openssh_rename(from, to, done))) return;
  await ask((done) => wire.unlink(to, done)).catch(ignoreAnswer);
  await ask((done) => wire.rename(from, to, done));
}

async function flush(wire: SftpWire, handle: Buffer): Promise<void> {
  await tryExtension((done) => wire.ext_openssh_fsync(handle, done));
}

/** False where the server does not have it. */
async function tryExtension(call: Parameters<typeof ask>[0]): Promise<boolean> {
  try {
    await ask(call);
    return true;
  } catch (error) {
    // The library throws, without a code, where the server never offered it; a server may also say so itself.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === UNSUPPORTED || (code === null && /does not support/.test(String(error)))) return false;
    throw error;
  }
}

/** A fault of the connection has no code. */
function ignoreAnswer(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'number')) throw error;
}

/** A request of the protocol, with its answer. */
export function ask<T>(call: (done: (error: Error | null | undefined, answer?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, answer) => (error == null ? resolve(answer as T) : reject(error))),
  );
}
