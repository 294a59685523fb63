import type SftpClient from 'ssh2-sftp-client';

/** The raw protocol that the client wraps. */
export type SftpWire = Awaited<ReturnType<SftpClient['connect']>>;

const UNSUPPORTED = 8;

/**
 * Writes a new file, replacing any file with its name. The server flushes the file to disk if it supports OpenSSH's
 * `fsync@openssh.com`.
 */
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
 * Creates a file. An existing file with the name could be a link to another place, so it is deleted and never opened. If
 * the server does not allow deleting, the name must be free.
 */
async function createFile(wire: SftpWire, path: string): Promise<Buffer> {
  await ask((done) => wire.unlink(path, done)).catch(ignoreAnswer);
  return ask<Buffer>((done) => wire.open(path, 'wx', done));
}

/**
 * Renames in one step if the server supports `posix-rename@openssh.com`. OpenSSH's plain rename adds a second name and removes the
 * first, which programs that watch for renamed files do not notice.
 */
export async function renameFile(wire: SftpWire, from: string, to: string): Promise<void> {
  const isDone = await tryExtension((done) => wire.ext_openssh_rename(from, to, done));
  if (!isDone) await ask((done) => wire.rename(from, to, done));
}

/** Renames a file and replaces an existing one. If the server cannot do this in one step, the old file is deleted first. */
export async function renameOver(wire: SftpWire, from: string, to: string): Promise<void> {
  if (await tryExtension((done) => wire.ext_openssh_rename(from, to, done))) return;
  await ask((done) => wire.unlink(to, done)).catch(ignoreAnswer);
  await ask((done) => wire.rename(from, to, done));
}

async function flush(wire: SftpWire, handle: Buffer): Promise<void> {
  await tryExtension((done) => wire.ext_openssh_fsync(handle, done));
}

/** Calls an extension of the protocol; false if the server does not support it. */
async function tryExtension(call: Parameters<typeof ask>[0]): Promise<boolean> {
  try {
    await ask(call);
    return true;
  } catch (error) {
    // If the server never offered the extension, the library throws an error without a code. The server may also report
    // the missing extension.
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === UNSUPPORTED || (code === null && /does not support/.test(String(error)))) return false;
    throw error;
  }
}

/** Ignores errors that the server reports. Errors of the connection have no code and are thrown again. */
function ignoreAnswer(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'number')) throw error;
}

/** Sends a protocol request and resolves with its response. */
export function ask<T>(call: (done: (error: Error | null | undefined, answer?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, answer) => (error == null ? resolve(answer as T) : reject(error))),
  );
}
