import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/errors.js';
import { acquireRunLock } from '../../src/store/run-lock.js';
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

describe('the run lock', () => {
  it('is given once, tells who has it, and can be had again when it is free', () => {
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

  it('two folders are two locks', () => {
    const [one, two] = [acquireRunLock(makeFolder(), 'a'), acquireRunLock(makeFolder(), 'b')];
    one.close();
    two.close();
  });

  it('goes with its process, even one that is killed outright', async () => {
    const folder = makeFolder();
    const script = `import { acquireRunLock } from ${JSON.stringify(join(ROOT, 'dist/store/run-lock.js'))};
      acquireRunLock(${JSON.stringify(folder)}, 'the child');
      console.log('held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
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

it('a holder whose name cannot be written leaves no lock behind', () => {
  const folder = makeFolder();
  acquireRunLock(folder, 'first').close();
  const holders = new Database(join(folder, 'run.lock.holder'));
  holders.exec("CREATE TRIGGER full BEFORE UPDATE ON holder BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  expect(catchError(() => acquireRunLock(folder, 'second')).code).toBe('SYNC_STATE_UNUSABLE');
  holders.exec('DROP TRIGGER full');
  holders.close();
  acquireRunLock(folder, 'third').close();
});
