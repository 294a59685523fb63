import type SftpClient from 'ssh2-sftp-client';
import type { OutgoingFile } from './store.js';

/** The protocol itself, below the client that wraps it. */
export type SftpWire = Awaited<ReturnType<SftpClient['connect']>>;

const UNSUPPORTED = 8;

/** Writes a file anew and has the server bring it to its disk, where it can (OpenSSH's `fsync@openssh.com`). */
export async function uploadFile(wire: SftpWire, path: string, file: OutgoingFile): Promise<void> {
  const handle = await ask<Buffer>((done) => wire.open(path, 'w', done));
  try {
    let position = 0;
    for await (const chunk of file.bytes()) {
      await ask((done) => wire.write(handle, chunk, 0, chunk.length, position, done));
      position += chunk.length;
    }
    await flush(wire, handle);
  } finally {
    await ask((done) => wire.close(handle, done));
  }
}

/**
 * In one step, where the server can (`posix-rename@openssh.com`): OpenSSH's plain rename gives a file a second name and takes off
 * the first, which those who watch for renamed files do not see.
 */
export async function renameFile(wire: SftpWire, from: string, to: string): Promise<void> {
  const isDone = await tryExtension((done) => wire.ext_openssh_rename(from, to, done));
  if (!isDone) await ask((done) => wire.rename(from, to, done));
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

function ask<T>(call: (done: (error: Error | null | undefined, answer?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, answer) => (error == null ? resolve(answer as T) : reject(error))),
  );
}
