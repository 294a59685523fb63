// Measures the disk: the duration of an fsync, and the number of commits of a database.
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const SYNCS = 200;
const PAGE = Buffer.alloc(4_096, 1);

/** Median seconds of an fsync after writing one page. */
export function measureFsync(folder) {
  const file = join(folder, 'fsync');
  const handle = openSync(file, 'w');
  const seconds = Array.from({ length: SYNCS }, () => {
    writeSync(handle, PAGE);
    const startedMs = performance.now();
    fdatasyncSync(handle);
    return (performance.now() - startedMs) / 1_000;
  });
  closeSync(handle);
  rmSync(file);
  return seconds.sort((a, b) => a - b)[SYNCS / 2];
}

/**
 * Counts the commits to a database by any process, from now until the returned function is called. An open read prevents
 * a restart of the log. Each log frame that ends a transaction is one commit, and one fsync with `synchronous = FULL`.
 */
export function countCommits(database) {
  const reader = new Database(database, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM sqlite_schema').get();
  const before = countInLog(`${database}-wal`);
  return () => {
    const commits = countInLog(`${database}-wal`) - before;
    reader.close();
    return commits;
  };
}

/** https://www.sqlite.org/fileformat2.html#walformat: a header of 32 bytes, then frames of a 24-byte header and a page each. */
function countInLog(file) {
  const log = readFileSync(file, { flag: 'a+' });
  if (log.length < 32) return 0;
  const size = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + size <= log.length; at += size) {
    const isOfThisLog = log.compare(log, 16, 24, at + 8, at + 16) === 0;
    if (isOfThisLog && log.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}
