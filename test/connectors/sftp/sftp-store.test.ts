import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { SftpAccess } from '../../../src/base/settings/sftp-access.js';
import type { OpenFile } from '../../../src/connectors/drop/file-system.js';
import { createTransferLimit } from '../../../src/connectors/drop/open-store.js';
import { createSftpStore } from '../../../src/connectors/drop/sftp-store.js';
import type { DropStore } from '../../../src/connectors/drop/store.js';
import { closeAfterTest } from '../../closing.js';
import { oneIn, sweep } from '../../depth.js';
import { openFaultySftp, REQUEST_FAULTS } from '../../faults/fault-sftp.js';
import { buildContext, catchSyncError, FILE_TIME, makeFolder, writeFileIn } from '../fixtures.js';
import { startOpenSsh } from './openssh.js';
import { startWire } from './wire.js';

function openStore(access: SftpAccess, context = buildContext(), signal?: AbortSignal): DropStore {
  const store = createSftpStore(access, context, signal);
  closeAfterTest(store);
  return store;
}

async function readText(file: OpenFile): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of file.bytes()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a folder on an OpenSSH server', () => {
  it('is listed, read, written and cleared', async () => {
    const { drop, access, port } = await startOpenSsh();
    await writeFileIn(drop, 'ü 1.csv', 'id\n1\n');
    await mkdir(join(drop, 'folder'));
    const store = openStore(access);
    expect(await store.list()).toEqual(['ü 1.csv']);
    expect(store.locate('a.csv')).toBe(`sftp://127.0.0.1:${port}${drop}/a.csv`);
    expect(await store.stat('ü 1.csv')).toEqual({ size: 5, mtimeMs: FILE_TIME, inode: '' });
    expect(await store.stat('other.csv')).toBeNull();
    const file = await store.open('ü 1.csv');
    expect([await readText(file), await readText(file)]).toEqual(['id\n1\n', 'id\n1\n']);
    await file.close();
    for (const _ of [1, 2]) await store.mkdir('archive');
    await store.put('archive/ü 1.csv', 'older');
    await store.rename('ü 1.csv', 'archive/ü 1.csv');
    expect(readFileSync(join(drop, 'archive', 'ü 1.csv'), 'utf8')).toBe('id\n1\n');
    for (const _ of [1, 2]) await store.delete('archive/ü 1.csv');
    expect(await readdir(join(drop, 'archive'))).toEqual([]);
  });

  sweep('can be reached with a key that has a passphrase', async () => {
    const { lockedKeyFile, access } = await startOpenSsh();
    const login = {
      privateKey: new Secret(readFileSync(lockedKeyFile, 'utf8')),
      passphrase: new Secret('open sesame'),
    };
    expect(await openStore({ ...access, login }).list()).toEqual([]);
  });

  it('is not accessed without the correct host key, and then shows it in the format of ssh-keygen', async () => {
    const { access, fingerprint } = await startOpenSsh();
    for (const hostKeys of [[], [`SHA256:${'A'.repeat(43)}`]]) {
      const error = await catchSyncError(openStore({ ...access, hostKeys }).list());
      expect([error.code, error.kind]).toEqual(['SYNC_SOURCE_HOST_KEY', 'unsafe']);
      expect(error.message).toContain(fingerprint);
      expect(error.remedy).toContain(`host_key: ${fingerprint}`);
    }
  });

  sweep('is reported as denied, missing or unreadable', async () => {
    const { access, drop } = await startOpenSsh();
    const other = join(await makeFolder(), 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', other]);
    const login = { privateKey: new Secret(readFileSync(other, 'utf8')) };
    expect((await catchSyncError(openStore({ ...access, login }).list())).code).toBe('SYNC_SOURCE_DENIED');
    const missing = openStore({ ...access, path: `${drop}/no` });
    expect((await catchSyncError(missing.list())).code).toBe('SYNC_SOURCE_MISSING');
    await mkdir(join(drop, 'folder'));
    expect((await catchSyncError(openStore(access).open('folder'))).code).toBe('SYNC_SOURCE_UNREADABLE');
    expect((await catchSyncError(openStore(access).put('no/a', ''))).code).toBe('SYNC_SOURCE_UNWRITABLE');
  });
});

it('does not report a file as missing if the server fails to look at it', async () => {
  const folder = await makeFolder();
  const [failure] = REQUEST_FAULTS.filter(({ name }) => name === 'failure');
  const server = await openFaultySftp(folder, failure ?? null);
  closeAfterTest(server);
  const store = openStore({ ...server.access, path: folder, timeoutMs: 20_000 });
  expect((await catchSyncError(store.stat('a.csv'))).code).toBe('SYNC_SOURCE_UNREADABLE');
  expect(await store.stat('b.csv')).toBeNull();
});

describe('a store, with connection faults', () => {
  const CONTENT = 'x'.repeat(2_000_000);

  sweep.each(oneIn(1, ['reset', 'hang'] as const))(
    'fetches the complete file again after a %s in the middle',
    async (kind) => {
      const { access, drop, port } = await startOpenSsh();
      await writeFile(join(drop, 'a.csv'), CONTENT);
      const wire = await startWire(port, { onConnection: (number) => number === 1, afterBytes: 1_000_000, kind });
      const context = buildContext();
      const store = openStore({ ...access, port: wire.port, timeoutMs: 2_000 }, context);
      const file = await store.open('a.csv');
      expect(await readText(file)).toBe(CONTENT);
      await file.close();
      expect(wire.connections()).toBe(2);
      expect(context.slept).toEqual([1_000]);
    },
  );

  sweep.each(oneIn(1, ['reset', 'hang'] as const, 1))(
    'sends the complete file again after a %s in the middle of the upload',
    async (kind) => {
      const { access, drop, port } = await startOpenSsh();
      const wire = await startWire(port, { onConnection: (number) => number === 1, afterBytes: 5_000, kind });
      const store = openStore({ ...access, port: wire.port, timeoutMs: 2_000 });
      const chunks = async function* () {
        for (let i = 0; i < CONTENT.length; i += 100_000) yield Buffer.from(CONTENT.slice(i, i + 100_000));
      };
      await store.write('a.csv', chunks, CONTENT.length);
      expect(readFileSync(join(drop, 'a.csv'), 'utf8') === CONTENT).toBe(true);
      expect(wire.connections()).toBe(2);
    },
  );

  sweep.each(
    oneIn(1, [
      ['reset', 0],
      ['hang', 0],
      ['reset', 3_000],
    ] as const),
  )('gives up after three attempts with a %s after %i bytes', async (kind, afterBytes) => {
    const { access, port } = await startOpenSsh();
    const wire = await startWire(port, { onConnection: () => true, afterBytes, kind });
    const context = buildContext();
    const store = openStore({ ...access, port: wire.port, timeoutMs: 1_000 }, context);
    const error = await catchSyncError(store.list());
    expect([error.code, error.kind]).toEqual(['SYNC_SOURCE_DOWN', 'transient']);
    expect(wire.connections()).toBe(3);
    expect(context.slept).toEqual([1_000, 4_000]);
  });

  sweep('reports a file that grows while it is fetched as unsettled', async () => {
    const { access, drop } = await startOpenSsh();
    const path = join(drop, 'a.csv');
    await writeFile(path, CONTENT);
    const store = openStore(access);
    await store.list();
    const opening = store.open('a.csv');
    const growing = setInterval(() => appendFileSync(path, 'y'), 1);
    closeAfterTest({ close: () => clearInterval(growing) });
    expect((await catchSyncError(opening)).code).toBe('SYNC_SOURCE_UNSETTLED');
  });

  it('ends immediately when the run is stopped', async () => {
    const { access, port } = await startOpenSsh();
    const wire = await startWire(port, { onConnection: () => true, afterBytes: 0, kind: 'hang' });
    const stop = new AbortController();
    const store = openStore({ ...access, port: wire.port }, buildContext(), stop.signal);
    setTimeout(() => stop.abort(new Error('shutdown')), 50);
    await expect(store.list()).rejects.toThrow('shutdown');
  });

  sweep('runs four transfers at the same time', async () => {
    const limit = createTransferLimit();
    let running = 0;
    let most = 0;
    const transfer = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    };
    await Promise.all(Array.from({ length: 20 }, () => limit(transfer)));
    expect(most).toBe(4);
  });
});

describe('passwords', () => {
  /** This is not OpenSSH, whose passwords would be those of the machine’s accounts. */
  async function startPasswordServer(hostKey: string): Promise<number> {
    const server = new ssh2.Server({ hostKeys: [readFileSync(hostKey)] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (attempt) => {
        const isRight = attempt.method === 'password' && attempt.username === 'hr' && attempt.password === 'right';
        if (isRight) attempt.accept();
        else attempt.reject(['password']);
      });
      client.on('ready', () => client.on('session', (accept) => serveEmptyFolder(accept())));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    closeAfterTest({ close: () => void server.close() });
    return (server.address() as AddressInfo).port;
  }

  function serveEmptyFolder(session: ssh2.Session): void {
    session.on('sftp', (accept) => {
      const sftp = accept();
      sftp.on('OPENDIR', (request) => sftp.handle(request, Buffer.from('d')));
      sftp.on('READDIR', (request) => sftp.status(request, ssh2.utils.sftp.STATUS_CODE.EOF));
      sftp.on('CLOSE', (request) => sftp.status(request, ssh2.utils.sftp.STATUS_CODE.OK));
    });
  }

  it('are accepted if correct, rejected if wrong, and never shown', async () => {
    const { access, fingerprint, keyFile } = await startOpenSsh();
    const port = await startPasswordServer(keyFile.replace(/user\.key$/, 'host.key'));
    const login = (password: string): SftpAccess => ({
      ...access,
      port,
      username: 'hr',
      login: { password: new Secret(password) },
    });
    expect(await openStore(login('right')).list()).toEqual([]);
    const error = await catchSyncError(openStore(login('wrong-SECRET')).list());
    expect(error.code).toBe('SYNC_SOURCE_DENIED');
    expect([error.message, error.remedy, error.stack].join()).not.toContain('SECRET');
    expect(access.hostKeys).toEqual([fingerprint]);
  });
});

sweep('reports a port without a listener as a server that is down', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  const access = { host: '127.0.0.1', port, path: '/', username: 'hr', hostKeys: [], timeoutMs: 1_000 };
  const error = await catchSyncError(openStore({ ...access, login: { password: new Secret('x') } }).list());
  expect(error.code).toBe('SYNC_SOURCE_DOWN');
});
