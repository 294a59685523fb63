import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import ssh2 from 'ssh2';
import { closeAfterTest } from '../../closing.js';

const { OK, FAILURE, NO_SUCH_FILE } = ssh2.utils.sftp.STATUS_CODE;

/** Starts an SFTP server that accepts files but supports no protocol extensions, unlike OpenSSH. */
export async function startPlainServer(hostKey: string): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = new ssh2.Server({ hostKeys: [readFileSync(hostKey)] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (attempt) => attempt.accept());
    client.on('ready', () => client.on('session', (accept) => serve(accept(), asked)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  closeAfterTest({ close: () => void server.close() });
  return { port: (server.address() as AddressInfo).port, asked };
}

function serve(session: ssh2.Session, asked: string[]): void {
  session.on('sftp', (accept) => {
    const sftp = accept();
    const answer = (request: number, work: () => void): void => {
      try {
        work();
      } catch (error) {
        sftp.status(request, String(error).includes('ENOENT') ? NO_SUCH_FILE : FAILURE);
      }
    };
    const stat = (request: number, path: string): void =>
      answer(request, () => {
        const { mode, uid, gid, size } = statSync(path);
        sftp.attrs(request, { mode, uid, gid, size, atime: 0, mtime: 0 });
      });
    sftp.on('STAT', stat);
    sftp.on('LSTAT', stat);
    sftp.on('OPEN', (request, path) =>
      answer(request, () => sftp.handle(request, Buffer.from(String(openSync(path, 'w'))))),
    );
    sftp.on('WRITE', (request, handle, offset, data) =>
      answer(request, () => {
        writeSync(Number(handle), data, 0, data.length, offset);
        sftp.status(request, OK);
      }),
    );
    sftp.on('CLOSE', (request, handle) =>
      answer(request, () => {
        closeSync(Number(handle));
        sftp.status(request, OK);
      }),
    );
    sftp.on('RENAME', (request, from, to) =>
      answer(request, () => {
        asked.push('rename');
        renameSync(from, to);
        sftp.status(request, OK);
      }),
    );
  });
}
