import Database from 'better-sqlite3';
import { type FilePages, splitPages } from './file-line.js';
import { createWalReader } from './wal-pages.js';

/** A log of this size or more is checkpointed into the file. */
const LOG_BYTES = 4 * 1024 * 1024;

/** The write-ahead log of a local SQLite file. */
export interface FileLog {
  /** Returns the pages that commits changed since the last call; null if there are none. */
  take(): Changed | null;
  /**
   * Checkpoints the log into the file, as far as readers permit.
   *
   * @returns true if the file alone contains all commits
   */
  close(): boolean;
}

export interface Changed {
  readonly pages: FilePages;
  readonly pageCount: number;
}

/** Number of pages in the log, and how many of them are in the file. */
interface LogCheckpoint {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** @param isNew true if the file exists nowhere else yet, so all of it counts as changed */
export function openFileLog(file: string, isNew: boolean): FileLog {
  const keeper = openKeeper(file);
  const reader = createWalReader(file);
  let isAllAsked = isNew;
  /** Set once the log is closed, because `close` may be called again. */
  let isComplete: boolean | null = null;

  const bringIn = (): void => void keeper.pragma('wal_checkpoint(TRUNCATE)');
  /** Reads every page of a new file, or of a file whose log another process ended. */
  function readAll(): Changed {
    bringIn();
    // Readers may prevent a part of the log from reaching the file.
    return splitPages(keeper.serialize());
  }
  return {
    // Synchronous, so that nothing can be committed between the read and the checkpoint.
    take() {
      const read = reader.read();
      const changed = isAllAsked || read === 'lost' ? readAll() : read;
      isAllAsked = false;
      if (reader.size() > LOG_BYTES) bringIn();
      return changed;
    },
    close() {
      if (isComplete !== null) return isComplete;
      const [result] = keeper.pragma('wal_checkpoint(PASSIVE)') as readonly LogCheckpoint[];
      keeper.close();
      isComplete = result?.busy === 0 && result.log === result.checkpointed;
      return isComplete;
    },
  };
}

/** Opens a connection that prevents other connections from ending the log. */
function openKeeper(file: string): Database.Database {
  const keeper = new Database(file);
  keeper.pragma('journal_mode = WAL');
  keeper.pragma('synchronous = FULL');
  keeper.pragma('wal_autocheckpoint = 0');
  // A connection opens the file only when it first reads.
  keeper.prepare('SELECT count(*) FROM sqlite_schema').get();
  // A reader in this process cannot finish while a checkpoint of this process waits for it.
  keeper.pragma('busy_timeout = 0');
  return keeper;
}
