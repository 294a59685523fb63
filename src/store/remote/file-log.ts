import Database from 'better-sqlite3';
import { type FilePages, splitPages } from './file-line.js';
import { createWalReader } from './wal-pages.js';

/** A log of this size is checkpointed into the file. */
const LOG_BYTES = 4 * 1024 * 1024;

/** The log of a local SQLite file, as written by commits. */
export interface FileLog {
  /** Returns the pages changed by commits since the last call; null for none. */
  take(): Changed | null;
  /**
   * Checkpoints the log into the file, as far as readers permit.
   *
   * @returns true if the file alone has everything that was committed
   */
  close(): boolean;
}

export interface Changed {
  readonly pages: FilePages;
  readonly pageCount: number;
}

/** Pages in the log, and how many of them are in the file. */
interface LogCheckpoint {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** @param isNew true if the file exists nowhere else yet: all of it counts as changed */
export function openFileLog(file: string, isNew: boolean): FileLog {
  const keeper = openKeeper(file);
  const reader = createWalReader(file);
  let isAllAsked = isNew;
  /** Set once it is closed: a state that was left may still be dropped. */
  let isComplete: boolean | null = null;

  const bringIn = (): void => void keeper.pragma('wal_checkpoint(TRUNCATE)');
  /** Reads every page, for a new file, or if another process ended the log. */
  function readAll(): Changed {
    bringIn();
    // A reader may keep part of the log out of the file.
    return splitPages(keeper.serialize());
  }
  return {
    // Synchronous, so that nothing is committed between reading and the checkpoint.
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

/** Opens a connection that prevents all others from ending the log. */
function openKeeper(file: string): Database.Database {
  const keeper = new Database(file);
  keeper.pragma('journal_mode = WAL');
  keeper.pragma('synchronous = FULL');
  keeper.pragma('wal_autocheckpoint = 0');
  // A connection opens the file only when it reads.
  keeper.prepare('SELECT count(*) FROM sqlite_schema').get();
  // A reader in this process cannot finish while its checkpoint waits for it.
  keeper.pragma('busy_timeout = 0');
  return keeper;
}
