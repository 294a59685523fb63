import { statSync } from 'node:fs';
import { join } from 'node:path';

/** The print of a folder without a state. */
export const NOTHING = '- -';

/** Another text as soon as something was written to a state, and the same when it was only read. */
export function printState(folder: string): string {
  return ['state.db', 'state.db-wal'].map((name) => printFile(join(folder, name))).join(' ');
}

function printFile(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  // Whoever reads makes an empty log, and takes it away again.
  return stats === undefined || stats.size === 0n ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}
