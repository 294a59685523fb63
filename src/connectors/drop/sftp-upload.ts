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

async function flush(wire: SftpWire, handle: Buffer): Promise<void> {
  try {
    await ask((done) => wire.ext_openssh_fsync(handle, done));
  } catch (error) {
    // The library throws where the server never offered it; a server may also say so itself.
    const isOffered = error instanceof Error && 'code' in error && error.code !== UNSUPPORTED;
    if (isOffered || !/support/i.test(String(error))) throw error;
  }
}

function ask<T>(call: (done: (error: Error | null | undefined, answer?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    call((error, answer) => (error == null ? resolve(answer as T) : reject(error))),
  );
}
