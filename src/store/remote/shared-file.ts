import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addCommit, checkKnown, fetchLine, findHead, type Head, type LineId, newestSchema } from './file-line.js';
import { type FileLog, openFileLog } from './file-log.js';
import { keepBefore } from './kept-states.js';
import { keepHere } from './leases.js';
import type { Postgres } from './postgres.js';
import { beginCopy } from './working-copy.js';

/**
 * A SQLite file that all daemons can change, one at a time:
 *
 *     lock its line ──► fetch others' changes ──► work on the local copy ──► send the changed pages ──► unlock
 *
 * Each process makes its own copy and does not trust an earlier process's copy.
 */
export interface SharedFile {
  /** Updates the local copy with other daemons' changes. @throws SyncError SYNC_STATE_NEWER, SYNC_BACKEND_* */
  refresh(): Promise<void>;
  /**
   * Makes a change for all daemons, or for none.
   *
   * @param takes `minutes` for work that may take longer than the server's normal limit for a lock holder
   * @throws SyncError SYNC_STATE_NEWER, SYNC_STATE_ELSEWHERE, SYNC_BACKEND_*, and the errors of `work`
   */
  write<T>(work: () => T | Promise<T>, takes?: 'moments' | 'minutes'): Promise<T>;
  close(): void;
}

export interface SharedFileOptions {
  readonly folder: string;
  /** Name of the file in the folder. */
  readonly file: string;
  /** Creates or migrates its tables. */
  readonly prepare: () => void;
  /** Called before the file is replaced, because open connections to it become unusable. */
  readonly onReplaced: () => void;
}

export function openSharedFile(postgres: Postgres, line: LineId, options: SharedFileOptions): SharedFile {
  const file = join(options.folder, options.file);
  let log: FileLog | null = null;
  let at: Head | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  function drop(): void {
    options.onReplaced();
    log?.close();
    log = null;
    at = null;
    for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
  }

  /** Runs one piece of work after another, because there is only one copy. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  }

  async function bringUp(ask: Postgres['ask']): Promise<void> {
    if (at === null) drop();
    beginCopy(options.folder);
    at = await fetchLine({ ask, seal: postgres.seal }, line, { file, at }, () => {
      options.onReplaced();
      const isComplete = log?.close() ?? true;
      log = null;
      return isComplete;
    });
  }

  async function change<T>(work: () => T | Promise<T>, isLong: boolean, ask: Postgres['ask']): Promise<T> {
    if (isLong) await ask('SET LOCAL idle_in_transaction_session_timeout = 0');
    await keepHere(ask, line.tenant);
    await ask('INSERT INTO file (tenant, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', [line.tenant, line.name]);
    const head = await findHead(ask, line, true);
    checkKnown(line, head);
    await keepBefore(ask, line, head);
    await bringUp(ask);
    if (log === null) {
      const isNew = head.number === 0;
      if (isNew) options.prepare();
      log = openFileLog(file, isNew);
      if (!isNew) options.prepare();
    }
    const result = await doing(work, log);
    const changed = log.take();
    if (changed === null) return result;
    const inside = { ask, seal: postgres.seal, together: <R>(all: (one: Postgres['ask']) => Promise<R>) => all(ask) };
    const next = await addCommit(inside, line, { ...changed, after: head });
    if (next === null) throw new Error('the line was changed while it was locked');
    at = next;
    return result;
  }

  const write: SharedFile['write'] = (work, takes = 'moments') =>
    inTurn(() =>
      postgres
        .together((ask) => change(work, takes === 'minutes', ask))
        .catch((error: unknown) => {
          if (error instanceof WorkFailed) throw error.cause;
          // The change may exist in this copy but not in PostgreSQL.
          drop();
          throw error;
        }),
    );

  return {
    async refresh() {
      const head = await inTurn(async () => {
        const newest = await findHead(postgres.ask, line);
        checkKnown(line, newest);
        if (newest.id !== at?.id) await postgres.together(bringUp, 'snapshot');
        return newest;
      });
      // Creates or migrates the file for all daemons.
      if (head.schema < newestSchema(line)) await write(() => undefined);
    },
    write,
    close: drop,
  };
}

/** Wraps the error of work that failed without leaving changes. */
class WorkFailed extends Error {}

async function doing<T>(work: () => T | Promise<T>, log: FileLog): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw log.take() === null ? new WorkFailed('', { cause }) : cause;
  }
}
