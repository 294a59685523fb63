import { statSync } from 'node:fs';
import { join } from 'node:path';

/** The fingerprint of a folder without a state. */
export const NOTHING = '- -';

/** A fingerprint that changes with every write to a state, but not when the state is only read. */
export function printState(folder: string): string {
  return ['state.db', 'state.db-wal'].map((name) => printFile(join(folder, name))).join(' ');
}

function printFile(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  // A reader creates an empty write-ahead log and removes it again, so an empty log does not count.
  return stats === undefined || stats.size === 0n ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}
