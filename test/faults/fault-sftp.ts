import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { Secret } from '../../src/base/secrets/secret.js';
import type { SftpAccess } from '../../src/base/settings/sftp-access.js';
import { sha256 } from '../../src/model/sha256.js';
import { createSshKey } from '../ssh-key.js';

const { OK, EOF, FAILURE, NO_SUCH_FILE, PERMISSION_DENIED, OP_UNSUPPORTED } = ssh2.utils.sftp.STATUS_CODE;
const { CREAT, EXCL, TRUNC, WRITE } = ssh2.utils.sftp.OPEN_MODE;

/** A request of the protocol, for a folder of this machine. */
export interface Asked {
  /** `READ /drop/a.csv` */
  readonly name: string;
  readonly operation: string;
  readonly request: number;
  readonly sftp: ssh2.SFTPWrapper;
  /** Carries it out. @returns a function that sends the answer */
  work(): () => void;
  /** Ends the connection silently. */
  drop(): void;
}

export interface RequestFault {
  readonly name: string;
  /** The requests that can meet it. */
  readonly of?: RegExp;
  readonly meet: (asked: Asked) => void;
  readonly isSlow?: boolean;
  /** True if an answer said that nothing was done. */
  readonly isAnswer?: boolean;
}

const say =
  (code: number, message: string): RequestFault['meet'] =>
  ({ sftp, request }) =>
    void sftp.status(request, code, message);

/** The possible faults of a request. */
export const REQUEST_FAULTS: readonly RequestFault[] = [
  { name: 'reset before', meet: ({ drop }) => drop() },
  {
    name: 'reset after',
    meet: ({ work, drop }) => {
      work();
      drop();
    },
  },
  { name: 'hang', meet: () => undefined, isSlow: true },
  { name: 'permission denied', meet: say(PERMISSION_DENIED, 'Permission denied'), isAnswer: true },
  { name: 'no such file', meet: say(NO_SUCH_FILE, 'No such file'), isAnswer: true },
  { name: 'failure', meet: say(FAILURE, 'Failure'), isAnswer: true },
  { name: 'not supported', meet: say(OP_UNSUPPORTED, 'Operation unsupported'), isAnswer: true },
  {
    name: 'disk full',
    of: /^(WRITE|MKDIR|OPEN) /,
    meet: say(FAILURE, 'No space left on device'),
    isAnswer: true,
  },
  { name: 'end of file', of: /^(READ|READDIR) /, meet: say(EOF, 'End of file'), isAnswer: true },
  {
    name: 'short read',
    of: /^READ /,
    // Half of the requested data: the client has to request the rest again.
    meet: ({ work, sftp }) => {
      const { data } = sftp;
      sftp.data = (request, bytes) =>
        data.call(sftp, request, Buffer.from(bytes).subarray(0, Math.ceil(bytes.length / 2)));
      work()();
      sftp.data = data;
    },
  },
  {
    name: 'wrong type',
    of: /^(?!READDIR |REALPATH )/,
    meet: ({ sftp, request }) => void sftp.name(request, []),
    // Nobody waits for an answer of that kind.
    isSlow: true,
  },
];

/** The possible faults before the first request. */
export const CONNECTION_FAULTS = [
  'nothing listens',
  'immediate reset',
  'silence',
  'another protocol',
  'another host key',
  'login rejected',
  'no SFTP service',
  'closed after the login',
] as const;
export type ConnectionFault = (typeof CONNECTION_FAULTS)[number];

const HOST_KEYS = [0, 1].map(() => createSshKey().private);

function fingerprintOf(key: string): string {
  const parsed = ssh2.utils.parseKey(key);
  if (parsed instanceof Error) throw parsed;
  return `SHA256:${sha256(parsed.getPublicSSH(), 'base64').replace(/=+$/, '')}`;
}

export interface FaultySftp {
  readonly access: Omit<SftpAccess, 'timeoutMs' | 'path'>;
  /** All received requests, in order. */
  readonly asked: readonly string[];
  /** Ends the connections silently, and accepts others. */
  drop(): void;
  close(): void;
}

/** @param at number of the request that meets the fault, from 0; each repetition of that request meets it too */
export async function openFaultySftp(
  folder: string,
  fault: RequestFault | ConnectionFault | null,
  at = 0,
): Promise<FaultySftp> {
  const asked: string[] = [];
  let met: string | null = null;
  const meet = (one: Asked): void => {
    const number = asked.push(one.name) - 1;
    if (fault === null || typeof fault === 'string') {
      one.work()();
      return;
    }
    if (number === at && (fault.of ?? /./).test(one.name)) met = one.name;
    if (one.name === met) fault.meet(one);
    else one.work()();
  };
  const sockets = new Set<Socket>();
  const drop = (): void => void sockets.forEach((socket) => void socket.destroy());
  const hostKey = HOST_KEYS[fault === 'another host key' ? 1 : 0] ?? '';
  const ssh = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (attempt) => {
      if (fault === 'login rejected') attempt.reject(['password']);
      else attempt.accept();
    });
    client.on('ready', () => {
      if (fault === 'closed after the login') client.end();
      client.on('session', (accept) => {
        const session = accept();
        session.on('sftp', (open, refuse) => {
          if (fault === 'no SFTP service') refuse();
          else serveFolder(open(), folder, { meet, drop });
        });
      });
    });
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (fault === 'immediate reset') socket.resetAndDestroy();
    else if (fault === 'another protocol') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    else if (fault !== 'silence') ssh.injectSocket(socket);
  });
  const port = await listen(server);
  const close = (): void => {
    server.close();
    drop();
  };
  if (fault === 'nothing listens') close();
  return {
    asked,
    drop,
    close,
    access: {
      host: '127.0.0.1',
      port,
      username: 'hr',
      login: { password: new Secret('a-password') },
      hostKeys: [fingerprintOf(HOST_KEYS[0] ?? '')],
    },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface Serving {
  readonly meet: (asked: Asked) => void;
  readonly drop: () => void;
}

type Work = () => () => void;

/** Paths are absolute, and all below the folder, since nobody else sends requests. */
function serveFolder(sftp: ssh2.SFTPWrapper, folder: string, { meet, drop }: Serving): void {
  const handles = new Map<string, { readonly path: string; readonly fd: number | null; listed: boolean }>();
  const done = (request: number) => (): void => void sftp.status(request, OK);
  const ask = (operation: string, request: number, path: string, work: Work): void =>
    meet({
      name: `${operation} ${path.replace(folder, '')}`,
      operation,
      request,
      sftp,
      drop,
      work() {
        try {
          return work();
        } catch (error) {
          const isMissing = String(error).includes('ENOENT');
          return () => void sftp.status(request, isMissing ? NO_SUCH_FILE : FAILURE, String(error));
        }
      },
    });
  const openHandle = (path: string, fd: number | null): Buffer => {
    const name = String(handles.size + 1);
    handles.set(name, { path, fd, listed: false });
    return Buffer.from(name);
  };
  const find = (handle: Buffer) => handles.get(handle.toString()) ?? { path: '', fd: null, listed: true };

  const stat = (operation: string) => (request: number, path: string) =>
    ask(operation, request, path, () => {
      const attributes = toAttributes(lstatSync(path));
      return () => void sftp.attrs(request, attributes);
    });
  sftp.on('STAT', stat('STAT'));
  sftp.on('LSTAT', stat('LSTAT'));
  sftp.on('FSTAT', (request, handle) =>
    ask('FSTAT', request, find(handle).path, () => {
      const attributes = toAttributes(fstatSync(find(handle).fd ?? -1));
      return () => void sftp.attrs(request, attributes);
    }),
  );
  sftp.on('REALPATH', (request, path) =>
    ask(
      'REALPATH',
      request,
      path,
      () => () => void sftp.name(request, [{ filename: path, longname: path, attrs: toAttributes(lstatSync(folder)) }]),
    ),
  );
  sftp.on('OPENDIR', (request, path) =>
    ask('OPENDIR', request, path, () => {
      readdirSync(path);
      return () => void sftp.handle(request, openHandle(path, null));
    }),
  );
  sftp.on('READDIR', (request, handle) => {
    const opened = find(handle);
    ask('READDIR', request, opened.path, () => {
      if (opened.listed) return () => void sftp.status(request, EOF);
      opened.listed = true;
      const names = readdirSync(opened.path).map((filename) => {
        const stats = lstatSync(join(opened.path, filename));
        const longname = `${stats.isDirectory() ? 'd' : '-'}rw-r--r-- 1 hr hr ${stats.size} Jan 1 00:00 ${filename}`;
        return { filename, longname, attrs: toAttributes(stats) };
      });
      return () => void sftp.name(request, names);
    });
  });
  sftp.on('OPEN', (request, path, flags) =>
    ask('OPEN', request, path, () => {
      const writes = (flags & WRITE) !== 0;
      if ((flags & EXCL) !== 0 && existsSync(path)) throw new Error('it is there');
      const mode = (flags & TRUNC) !== 0 || (flags & CREAT) !== 0 ? 'w' : 'r+';
      const fd = openSync(path, writes ? mode : 'r');
      return () => void sftp.handle(request, openHandle(path, fd));
    }),
  );
  sftp.on('READ', (request, handle, offset, length) =>
    ask('READ', request, find(handle).path, () => {
      const bytes = Buffer.alloc(Math.min(length, 65_536));
      const read = readSync(find(handle).fd ?? -1, bytes, 0, bytes.length, offset);
      return () => void (read === 0 ? sftp.status(request, EOF) : sftp.data(request, bytes.subarray(0, read)));
    }),
  );
  sftp.on('WRITE', (request, handle, offset, data) =>
    ask('WRITE', request, find(handle).path, () => {
      writeSync(find(handle).fd ?? -1, data, 0, data.length, offset);
      return done(request);
    }),
  );
  sftp.on('CLOSE', (request, handle) => {
    const { path, fd } = find(handle);
    ask('CLOSE', request, path, () => {
      handles.delete(handle.toString());
      if (fd !== null) closeSync(fd);
      return done(request);
    });
  });
  const change =
    (operation: string, work: (path: string, to: string) => void) => (request: number, path: string, to?: unknown) =>
      ask(operation, request, path, () => {
        work(path, String(to));
        return done(request);
      });
  sftp.on('REMOVE', change('REMOVE', unlinkSync));
  sftp.on(
    'MKDIR',
    change('MKDIR', (path) => void mkdirSync(path)),
  );
  sftp.on(
    'RENAME',
    change('RENAME', (from, to) => {
      // As the protocol requires: not over another file.
      if (existsSync(to)) throw new Error('it is there');
      renameSync(from, to);
    }),
  );
}

function toAttributes({ mode, uid, gid, size, mtimeMs }: Stats): ssh2.Attributes {
  return { mode, uid, gid, size, atime: 0, mtime: Math.floor(mtimeMs / 1_000) };
}
