import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { createWalReader, type WalReader } from '../../../src/store/remote/wal-pages.js';
import { closeAfterTest } from '../../closing.js';

const PAGE = 4096;

let file: string;
let db: Database.Database;
let reader: WalReader;
/** Page → content, for all pages read so far. */
let copy: Map<number, Buffer>;

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'wal-')), 'a.db');
  db = openFile();
  reader = createWalReader(file);
  copy = new Map();
});

function openFile(): Database.Database {
  const opened = new Database(file);
  closeAfterTest(opened);
  opened.pragma('journal_mode = WAL');
  opened.pragma('wal_autocheckpoint = 0');
  return opened;
}

function take(): number {
  const read = reader.read();
  if (read === 'lost') throw new Error('lost');
  if (read === null) return 0;
  for (const [number, page] of read.pages) copy.set(number, page);
  for (const number of copy.keys()) if (number > read.pageCount) copy.delete(number);
  return read.pages.size;
}

/** Uses another connection than the writer: neither knows how many logs the other has started. */
function checkpoint(): void {
  openFile().pragma('wal_checkpoint(TRUNCATE)');
}

/** Compares the copy with SQLite's own result of file and log. */
function expectSame(): void {
  db.pragma('wal_checkpoint(PASSIVE)');
  const content = readFileSync(file);
  expect(copy.size).toBe(content.length / PAGE);
  const bytes = [...copy].sort(([a], [b]) => a - b).map(([, page]) => page);
  expect(Buffer.concat(bytes).equals(content)).toBe(true);
}

const fill = (rows: number): void => {
  const insert = db.prepare('INSERT INTO t (text) VALUES (?)');
  db.transaction(() => {
    for (let row = 0; row < rows; row++) insert.run(`${row} `.repeat(100));
  })();
};

test('reads the pages that each commit changed, and none of a rollback', () => {
  expect(reader.read()).toBeNull();
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  fill(500);
  expect(take()).toBeGreaterThan(10);
  expect(take()).toBe(0);
  db.prepare('UPDATE t SET text = ? WHERE id = 7').run('short');
  expect(take()).toBeLessThan(4);
  // Enough pages for SQLite to write them to the log before the rollback.
  db.pragma('cache_size = 5');
  db.exec('BEGIN');
  db.exec("UPDATE t SET text = upper(text) || 'x'");
  expect(take()).toBe(0);
  db.exec('ROLLBACK');
  expect(take()).toBe(0);
  fill(3);
  expect(take()).toBeGreaterThan(0);
  expectSame();
});

test('continues in a new log, and after one that shrinks the file', () => {
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  fill(2_000);
  take();
  checkpoint();
  expect(take()).toBe(0);
  db.exec('DELETE FROM t WHERE id > 10');
  take();
  checkpoint();
  db.exec('VACUUM');
  take();
  for (let log = 0; log < 3; log++) {
    checkpoint();
    db.prepare('UPDATE t SET text = ? WHERE id = 7').run(`short ${log}`);
    expect(take()).toBeLessThan(4);
  }
  expectSame();
  expect(copy.size).toBeLessThan(10);
});

test('reports lost changes after another connection wrote them into the file', () => {
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  take();
  fill(1);
  checkpoint();
  expect(reader.read()).toBe('lost');
  fill(1);
  expect(take()).toBeGreaterThan(0);
});

test('reports lost changes after two new logs since the last read', () => {
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  take();
  checkpoint();
  fill(1);
  checkpoint();
  fill(1);
  expect(reader.read()).toBe('lost');
});
