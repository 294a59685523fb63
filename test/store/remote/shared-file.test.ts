import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { openPostgres, type Postgres } from '../../../src/store/remote/postgres.js';
import { preparePostgres } from '../../../src/store/remote/prepare.js';
import { openSharedFile, type SharedFile } from '../../../src/store/remote/shared-file.js';
import { closeAfterTest } from '../../closing.js';
import { IS_THOROUGH, sweep } from '../../depth.js';
import { type Postgres as Server, startPostgres } from '../../postgres.js';
import { EMPTY } from './remote-kit.js';

let server: Server;

beforeAll(async () => {
  server = await startPostgres();
  const postgres = connect();
  await preparePostgres(postgres);
  await postgres.close();
});
afterAll(() => server?.close());
beforeEach(() => server.ask(EMPTY));

/**
 * A process with its own folder. Like the receiver of pushes, it keeps its connection while the file stays the same.
 */
interface Copy {
  readonly file: SharedFile;
  /** Writes a row of about two pages. */
  add(name: string): Promise<void>;
  names(): readonly string[];
  refreshed(): Promise<readonly string[]>;
  database(): Database.Database;
}

function connect(): Postgres {
  return openPostgres({ url: new Secret(server.url), tls: null, connections: 4 });
}

function openCopy(postgres: Postgres = connect()): Copy {
  closeAfterTest(postgres);
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  const path = join(folder, 'file.db');
  let open: { readonly inode: number; readonly database: Database.Database } | null = null;
  const file = openSharedFile(
    postgres,
    { tenant: 'acme', name: 'pushed' },
    {
      ...{ folder, file: 'file.db', onReplaced: () => undefined },
      prepare() {
        const database = connectTo(path);
        database.exec('CREATE TABLE IF NOT EXISTS t (name TEXT PRIMARY KEY, text TEXT)');
        database.close();
      },
    },
  );
  function database(): Database.Database {
    const inode = statSync(path).ino;
    if (open?.inode !== inode) open = { inode, database: connectTo(path) };
    return open.database;
  }
  closeAfterTest({
    close() {
      file.close();
      open?.database.close();
    },
  });
  const names = () => database().prepare<[], string>('SELECT name FROM t ORDER BY name').pluck().all();
  return {
    file,
    database,
    names,
    add: (name) =>
      file.write(() => void database().prepare('INSERT INTO t VALUES (?, ?)').run(name, name.padEnd(8_000, '.'))),
    async refreshed() {
      await file.refresh();
      expect(database().pragma('integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      return names();
    },
  };
}

function connectTo(path: string): Database.Database {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('wal_autocheckpoint = 0');
  return database;
}

sweep('shows each process its own writes and those of the others', async () => {
  const copies = [openCopy(), openCopy(), openCopy()] as const;
  const [a, b, c] = copies;
  // Nobody has written yet: the first reader creates the tables for all.
  expect(await c.refreshed()).toEqual([]);
  for (const [at, copy] of [a, a, b, a, c, c, b, a].entries()) await copy.add(`${at}`);
  for (const copy of copies) expect(await copy.refreshed()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(await openCopy().refreshed()).toHaveLength(8);
});

test('keeps all simultaneous writes of three processes', async () => {
  const copies = [openCopy(), openCopy(), openCopy()] as const;
  const wanted = Array.from({ length: IS_THOROUGH ? 200 : 40 }, (_, at) => `n${String(at).padStart(3, '0')}`);
  await Promise.all(wanted.map((name, at) => copies[((at * 7) % 11) % 3]?.add(name)));
  for (const copy of copies) expect(await copy.refreshed()).toEqual(wanted);
});

test('changes nothing if the work fails, even after it committed something itself', async () => {
  const [a, b] = [openCopy(), openCopy()];
  await a.add('before');
  const asked = new Error('no');
  const first = () => {
    throw asked;
  };
  await expect(a.file.write(first)).rejects.toBe(asked);
  const half = () => {
    a.database().prepare("INSERT INTO t VALUES ('half', '')").run();
    throw asked;
  };
  await expect(a.file.write(half)).rejects.toBe(asked);
  expect([await a.refreshed(), await b.refreshed()]).toEqual([['before'], ['before']]);
  await b.add('after');
  expect(await a.refreshed()).toEqual(['after', 'before']);
});

test('drops the write of a process that dies before its commit, and blocks nobody', async () => {
  const [a, b] = [openCopy(), openCopy()];
  await a.add('before');
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const dying = a.file.write(async () => {
    a.database().prepare("INSERT INTO t VALUES ('dying', '')").run();
    begin();
    // PostgreSQL sees the connection end, as when a process is killed.
    await b.file.refresh();
    // A writer that is still waiting for the lock would be disconnected too.
    while ((await server.ask("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length === 0)
      await setTimeout(20);
    await server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction'");
  });
  await begun;
  const startedMs = performance.now();
  await b.add('after');
  expect(performance.now() - startedMs).toBeLessThan(2_000);
  await expect(dying).rejects.toMatchObject({ code: 'SYNC_BACKEND_AWAY' });
  expect([await a.refreshed(), await b.refreshed()]).toEqual([
    ['after', 'before'],
    ['after', 'before'],
  ]);
});

test.each([
  ['before the commit, so the write is lost', 'before', ['first', 'second']],
  ['after the commit, so the write is kept', 'after', ['doubtful', 'first', 'second']],
] as const)('repairs the copy when PostgreSQL dies %s', async (_, moment, expected) => {
  const postgres = connect();
  let isDying = false;
  const a = openCopy({
    ...postgres,
    async together(work, as) {
      const isNow = isDying && as !== 'snapshot';
      const answer = await postgres.together(async (ask) => {
        const inside = await work(ask);
        if (isNow && moment === 'before') await server.kill();
        return inside;
      }, as);
      if (!isNow) return answer;
      await server.kill();
      // This is what a lost answer to a commit looks like.
      return postgres.together(() => Promise.reject(new Error('it cannot be asked')));
    },
  });
  const b = openCopy();
  await a.add('first');
  isDying = true;
  await expect(a.add('doubtful')).rejects.toMatchObject({ code: 'SYNC_BACKEND_AWAY' });
  isDying = false;
  await expect(b.add('away')).rejects.toMatchObject({ code: 'SYNC_BACKEND_AWAY' });
  await server.start();
  await b.add('second');
  expect([await a.refreshed(), await b.refreshed()]).toEqual([expected, expected]);
});

sweep("keeps a long reader's snapshot while the file is updated", async () => {
  const [a, b] = [openCopy(), openCopy()];
  for (const name of ['1', '2', '3']) await a.add(name);
  await b.file.refresh();
  const read = a.database().prepare<[], string>('SELECT name FROM t ORDER BY name').pluck().iterate();
  const seen = [read.next().value];
  await b.add('4');
  // The reader still has its snapshot. Rows written here must not get lost with it.
  expect(await a.refreshed()).toEqual(['1', '2', '3', '4']);
  for (const name of read) seen.push(name);
  expect(seen).toEqual(['1', '2', '3']);
  await a.add('5');
  expect([await a.refreshed(), await b.refreshed()]).toEqual([
    ['1', '2', '3', '4', '5'],
    ['1', '2', '3', '4', '5'],
  ]);
});
