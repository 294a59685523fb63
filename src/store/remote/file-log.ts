import Database from 'better-sqlite3';
import { type FilePages, splitPages } from './file-line.js';
import { createWalReader } from './wal-pages.js';

/** A log of this size is brought into the file. */
const LOG_BYTES = 4 * 1024 * 1024;

/** The log of a SQLite file of this machine, as commits write it. */
export interface FileLog {
  /** The pages that commits have changed since the last call; null for none. */
  take(): Changed | null;
  /**
   * Brings the log into the file, as far as nobody reads in it.
   *
   * @returns whether the file by itself has all that was committed
   */
  close(): boolean;
}

export interface Changed {
  readonly pages: FilePages;
  readonly pageCount: number;
}

/** Pages of the log, and how many of them are in the file. */
interface LogCheckpoint {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** @param isNew the file is nowhere else yet: all of it has changed */
export function openFileLog(file: string, isNew: boolean): FileLog {
  const keeper = openKeeper(file);
  const reader = createWalReader(file);
  let isAllAsked = isNew;

  const bringIn = (): void => void keeper.pragma('wal_checkpoint(TRUNCATE)');
  /** Every page: of a new file, and where somebody else has ended the log. */
  function readAll(): Changed {
    bringIn();
    // Somebody who reads may keep a part of the log out of the file.
    return splitPages(keeper.serialize());
  }
  return {
    // In one go, so that nothing is committed between the look and the checkpoint.
    take() {
      const read = reader.read();
      const changed = isAllAsked || read === 'lost' ? readAll() : read;
      isAllAsked = false;
      if (reader.size() > LOG_BYTES) bringIn();
      return changed;
    },
    close() {
      const [result] = keeper.pragma('wal_checkpoint(PASSIVE)') as readonly LogCheckpoint[];
      keeper.close();
      return result?.busy === 0 && result.log === result.checkpointed;
    },
  };
}

/** As long as one connection is open, no other one ends the log. */
function openKeeper(file: string): Database.Database {
  const keeper = new Database(file);
  keeper.pragma('journal_mode = WAL');
  keeper.pragma('synchronous = FULL');
  keeper.pragma('wal_autocheckpoint = 0');
  // A connection has the file open when it has read from it.
  keeper.prepare('SELECT count(*) FROM sqlite_schema').get();
  // A reader of this process does not end while its checkpoint waits for it.
  keeper.pragma('busy_timeout = 0');
  return keeper;
}
