import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { acquireRunLock, findUnderWay } from '../../src/store/run-lock.js';
import { oneIn } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { catchError, makeFolder } from '../samples.js';

function refuse(folder: string): SyncError {
  try {
    acquireRunLock(folder, 'second').close();
  } catch (error) {
    if (error instanceof SyncError) return error;
    throw error;
  }
  throw new Error('the lock was given twice');
}

describe('a reader of the run lock', () => {
  it('sees its holder and stage without taking it', () => {
    const folder = makeFolder();
    expect(findUnderWay(folder)).toBeNull();
    const lock = acquireRunLock(folder, 'sync, process 1 on a');
    const nothing = { run: null, since: null, stage: null, stageSince: null };
    expect(findUnderWay(folder)).toEqual({ holder: 'sync, process 1 on a', ...nothing });
    lock.note({ stage: 'reading', at: '2026-01-01T10:00:00Z', run: null });
    lock.note({ stage: 'applying', at: '2026-01-01T10:05:00Z', run: 'r1' });
    expect(findUnderWay(folder)).toEqual({
      ...{ holder: 'sync, process 1 on a', run: 'r1', since: '2026-01-01T10:00:00Z' },
      ...{ stage: 'applying', stageSince: '2026-01-01T10:05:00Z' },
    });
    expect(refuse(folder).message).toContain('sync, process 1 on a');
    lock.close();
    expect(findUnderWay(folder)).toBeNull();
    const next = acquireRunLock(folder, 'plan');
    expect(findUnderWay(folder)).toEqual({ holder: 'plan', ...nothing });
    next.close();
  });
});

describe('the run lock', () => {
  it('is given once, names its holder, and can be acquired again when it is free', () => {
    const folder = join(makeFolder(), 'new');
    const first = acquireRunLock(folder, 'sync, process 1');
    const error = refuse(folder);
    expect([error.code, error.message]).toEqual([
      'SYNC_STATE_LOCKED',
      'Another run holds this state: sync, process 1.',
    ]);
    first.close();
    const second = acquireRunLock(folder, 'apply, process 2');
    expect(refuse(folder).message).toContain('apply, process 2');
    second.close();
    acquireRunLock(folder, 'third').close();
  });

  it('is separate for each folder', () => {
    const [one, two] = [acquireRunLock(makeFolder(), 'a'), acquireRunLock(makeFolder(), 'b')];
    one.close();
    two.close();
  });

  it('ends only with its process, even if that is killed', async () => {
    const folder = makeFolder();
    const script = `import { acquireRunLock } from ${JSON.stringify(join(ROOT, 'dist/store/run-lock.js'))};
      acquireRunLock(${JSON.stringify(folder)}, 'the child');
      await new Promise(setImmediate);
      gc();
      await new Promise(setImmediate);
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      expect(line).toBe('held');
      expect(refuse(folder).message).toContain('the child');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    acquireRunLock(folder, 'after the crash').close();
  });
});

it('is released if the name of its holder cannot be written', () => {
  const folder = makeFolder();
  acquireRunLock(folder, 'first').close();
  const holders = new Database(join(folder, 'run.lock.holder'));
  holders.exec("CREATE TRIGGER full BEFORE UPDATE ON holder BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  expect(catchError(() => acquireRunLock(folder, 'second')).code).toBe('SYNC_STATE_UNUSABLE');
  holders.exec('DROP TRIGGER full');
  holders.close();
  acquireRunLock(folder, 'third').close();
});

describe('a damaged lock', () => {
  const GARBAGE: readonly (readonly [string, string | Buffer])[] = [
    ['empty', ''],
    ['a process number', '4711\n'],
    ['half a database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(40, 7)])],
    ['noise', Buffer.alloc(10_000, 'noise')],
    ['a lock of another program', '{"pid":4711,"host":"worker-9"}'],
  ];
  const FILES = ['run.lock', 'run.lock.holder', 'run.lock-journal'] as const;
  const each = GARBAGE.flatMap(([what, bytes]) => FILES.map((file) => [file, what, bytes] as const));

  it.each(oneIn(1 / 2, each))('in %s: %s: is repaired and excludes the next holder as usual', (file, _, bytes) => {
    const folder = makeFolder();
    acquireRunLock(folder, 'first').close();
    writeFileSync(join(folder, file), bytes);
    const lock = acquireRunLock(folder, 'second');
    expect(refuse(folder).message).toContain('second');
    lock.close();
    acquireRunLock(folder, 'third').close();
  });

  it.each(oneIn(1, each))('in %s: %s: written during a hold, does not allow a second holder', (file, _, bytes) => {
    const folder = makeFolder();
    const lock = acquireRunLock(folder, 'first');
    writeInto(join(folder, file), bytes);
    expect(refuse(folder).code).toBe('SYNC_STATE_LOCKED');
    lock.close();
    acquireRunLock(folder, 'second').close();
  });

  it('is given to one process at a time when several find it', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'run.lock'), Buffer.alloc(10_000, 'noise'));
    const script = `import { acquireRunLock } from ${JSON.stringify(join(ROOT, 'dist/store/run-lock.js'))};
      import { appendFileSync } from 'node:fs';
      const until = Date.now() + 1500;
      while (Date.now() < until) {
        try {
          const lock = acquireRunLock(${JSON.stringify(folder)}, String(process.pid));
          appendFileSync(${JSON.stringify(join(folder, 'told'))}, 'in ' + process.pid + '\\n');
          const end = Date.now() + 5;
          while (Date.now() < end);
          appendFileSync(${JSON.stringify(join(folder, 'told'))}, 'out ' + process.pid + '\\n');
          lock.close();
        } catch (error) {
          if (error.code !== 'SYNC_STATE_LOCKED') throw error;
        }
      }`;
    const children = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'inherit'] }),
    );
    const ends = await Promise.all(children.map((child) => once(child, 'exit')));
    expect(ends.map(([code]) => code as number)).toEqual([0, 0, 0, 0]);
    const told = readFileSync(join(folder, 'told'), 'utf8').trim().split('\n');
    expect(told.length).toBeGreaterThan(10);
    for (let at = 0; at < told.length; at += 2) expect(told[at + 1]).toBe(told[at]?.replace('in', 'out'));
  });
});

it('creates files that only their owner can read, under any umask, and fixes those of earlier versions', () => {
  const folder = makeFolder();
  const modes = (): readonly number[] =>
    ['run.lock', 'run.lock.holder'].map((name) => statSync(join(folder, name)).mode & 0o777);
  acquireRunLock(folder, 'first').close();
  expect(modes()).toEqual([0o600, 0o600]);
  for (const name of ['run.lock', 'run.lock.holder']) chmodSync(join(folder, name), 0o644);
  acquireRunLock(folder, 'second').close();
  expect(modes()).toEqual([0o600, 0o600]);
});

/** Writes into the existing file, while another process holds it. */
function writeInto(file: string, bytes: string | Buffer): void {
  spawnSync(
    process.execPath,
    ['-e', 'require("node:fs").writeFileSync(process.argv[1], require("node:fs").readFileSync(0))', file],
    {
      input: bytes,
    },
  );
}
