import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { createSftpStore } from '../../src/connectors/drop/sftp-store.js';
import type { DropStore } from '../../src/connectors/drop/store.js';
import { closeAfterTest } from '../closing.js';
import { collectGarbage } from '../collect-garbage.js';
import { buildContext } from '../connectors/fixtures.js';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { makeFolder } from '../samples.js';
import { MUCH_PATIENCE_MS, PATIENCE_MS } from './call-faults.js';
import {
  CONNECTION_FAULTS,
  type ConnectionFault,
  openFaultySftp,
  REQUEST_FAULTS,
  type RequestFault,
} from './fault-sftp.js';
import { expectKept } from './kept-table.js';

/** Logging in takes time too. */
const SOME_PATIENCE_MS = PATIENCE_MS * 16;
const OLD = 'id\n0\n';
const NEW = 'id\n1\n';
const LONG = `id;${'x'.repeat(300_000)}\n`;
/** A time old enough for the protocol to state it in seconds. */
const TIME = new Date('2026-01-01T00:00:00Z');

interface Files {
  readonly folder: string;
  read(name: string): string | null;
}

/** A call of a folder, and the state that must follow. `isDone`: as far as the caller knows. */
interface StoreCall {
  readonly name: string;
  make(store: DropStore): Promise<unknown>;
  /** An answer that says, validly and wrongly, that nothing exists there. */
  readonly believes?: RequestFault['name'];
  check(files: Files, isDone: boolean, answer: unknown): void;
}

/** One complete file, in at least one of two places; never in between. */
function expectMoved({ read }: Files, from: string, to: string, isDone: boolean): void {
  const [old, now] = [read(from), read(to)];
  if (isDone) expect([old, now]).toEqual([null, LONG]);
  else expect([old, now]).toContain(LONG);
}

const CALLS: readonly StoreCall[] = [
  {
    name: 'list',
    make: (store) => store.list(),
    believes: 'end of file',
    check: (_files, isDone, answer) => {
      if (isDone) expect([...(answer as readonly string[])].sort()).toEqual(['a.csv', 'b.csv', 'long.csv']);
    },
  },
  {
    name: 'stat',
    make: (store) => store.stat('a.csv'),
    believes: 'no such file',
    check: (_files, isDone, answer) => {
      if (isDone) expect(answer).toEqual({ size: OLD.length, mtimeMs: TIME.getTime(), inode: '' });
    },
  },
  {
    name: 'read',
    async make(store) {
      const file = await store.open('long.csv');
      const chunks: Buffer[] = [];
      for await (const chunk of file.bytes()) chunks.push(chunk);
      await file.close();
      return Buffer.concat(chunks).toString();
    },
    // The file is complete or missing.
    check: (_files, isDone, answer) => {
      if (isDone) expect(answer === LONG).toBe(true);
    },
  },
  {
    name: 'put',
    make: (store) => store.put('b.csv', NEW),
    check: ({ read }, isDone) => {
      const there = read('b.csv');
      if (isDone) expect(there).toBe(NEW);
      else expect([OLD, NEW, null]).toContain(there);
      // A server that cannot replace in one step first removes the old file; the new one is then next to it.
      if (there === null) expect(read('b.csv.part')).toBe(NEW);
    },
  },
  {
    name: 'rename',
    make: (store) => store.rename('long.csv', 'archive/long.csv'),
    check: (files, isDone) => expectMoved(files, 'long.csv', 'archive/long.csv', isDone),
  },
  {
    name: 'rename to a free name',
    make: (store) => store.renameNew('long.csv', 'new.csv'),
    check: (files, isDone) => expectMoved(files, 'long.csv', 'new.csv', isDone),
  },
  {
    name: 'delete',
    make: (store) => store.delete('a.csv'),
    believes: 'no such file',
    check: ({ read }, isDone) => {
      if (isDone) expect(read('a.csv')).toBeNull();
      else expect([OLD, null]).toContain(read('a.csv'));
    },
  },
  {
    name: 'make a folder',
    make: (store) => store.mkdir('rejects'),
    check: ({ folder }, isDone) => {
      if (isDone) expect(existsSync(join(folder, 'rejects'))).toBe(true);
    },
  },
];

function layFiles(): Files {
  const folder = makeFolder();
  mkdirSync(join(folder, 'archive'));
  for (const [name, text] of [
    ['a.csv', OLD],
    ['b.csv', OLD],
    ['long.csv', LONG],
  ] as const) {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), TIME, TIME);
  }
  const read = (name: string): string | null =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null;
  return { folder, read };
}

const VERDICTS = ['done', 'believed', 'next run', 'rejected'] as const;
type Verdict = (typeof VERDICTS)[number];

interface Cell {
  readonly verdict: Verdict;
  readonly asked: readonly string[];
  readonly told: string;
}

async function runCell(call: StoreCall, fault: RequestFault | ConnectionFault | null, at = 0): Promise<Cell> {
  const files = layFiles();
  const server = await openFaultySftp(files.folder, fault, at);
  const isSlow = fault === 'silence' || (typeof fault === 'object' && fault?.isSlow === true);
  const timeoutMs = isSlow ? SOME_PATIENCE_MS : MUCH_PATIENCE_MS;
  const store = createSftpStore({ ...server.access, path: files.folder, timeoutMs }, buildContext());
  const told = `${typeof fault === 'object' ? fault?.name : fault}, ${call.name}, request ${at + 1}: ${server.asked[at]}`;
  try {
    const answer = await call.make(store);
    const isBelieved =
      typeof fault === 'object' && fault !== null && [call.believes, 'wrong type'].includes(fault.name);
    if (isBelieved) return { verdict: 'believed', asked: server.asked, told };
    call.check(files, true, answer);
    return { verdict: 'done', asked: server.asked, told };
  } catch (error) {
    if (!(error instanceof SyncError)) throw new Error(told, { cause: error });
    call.check(files, false, null);
    expect(`${error.message} ${error.place} ${error.remedy}`, told).not.toContain('a-password');
    return { verdict: error.kind === 'transient' ? 'next run' : 'rejected', asked: server.asked, told };
  } finally {
    await store.close();
    server.close();
  }
}

const countThem = (found: readonly Verdict[]): readonly number[] =>
  VERDICTS.map((verdict) => found.filter((one) => one === verdict).length);

/** Collects earlier garbage first: other test files share this process. */
async function watchWarnings(): Promise<readonly string[]> {
  collectGarbage();
  await new Promise((resolve) => setImmediate(resolve));
  const seen: string[] = [];
  const note = ({ message }: Error): void => void seen.push(message);
  process.on('warning', note);
  closeAfterTest({ close: () => process.off('warning', note) });
  return seen;
}

/** The requests at which a call may meet a fault; in a quick run, one of them, and another one for each fault. */
function listPlaces(asked: readonly string[], { of = /./ }: RequestFault, number: number): readonly number[] {
  const places = [...asked.keys()].filter((at) => of.test(asked[at] ?? ''));
  if (IS_THOROUGH) return places;
  const unlike = places.filter((at) => asked.indexOf(asked[at] ?? '') === at);
  return unlike.filter((_, index) => index === number % unlike.length);
}

test('handles every fault in every call of a folder over SFTP, at each of its requests', {
  timeout: 300_000,
}, async () => {
  const rows: (string | number)[][] = [];
  const warnings = await watchWarnings();
  for (const fault of CONNECTION_FAULTS) {
    const found = await Promise.all(oneIn(2, CALLS).map((call) => runCell(call, fault)));
    for (const { verdict, told } of found) expect(verdict, told).not.toBe('done');
    rows.push([fault, ...countThem(found.map(({ verdict }) => verdict))]);
  }
  const sizes = new Map<StoreCall, readonly string[]>();
  for (const call of oneIn(12, CALLS, 2)) {
    const { verdict, asked } = await runCell(call, null);
    expect([call.name, verdict]).toEqual([call.name, 'done']);
    sizes.set(call, [...asked]);
  }
  for (const [number, fault] of REQUEST_FAULTS.entries()) {
    const cells = [...sizes].flatMap(([call, asked]) =>
      listPlaces(asked, fault, number).map((at) => runCell(call, fault, at)),
    );
    const found = (await Promise.all(cells)).map(({ verdict }) => verdict);
    rows.push([fault.name, ...countThem(found)]);
  }
  collectGarbage();
  await new Promise((resolve) => setImmediate(resolve));
  // No copy of a file may stay open after nobody can read it any more.
  expect(warnings.filter((text) => text.includes('garbage collection'))).toEqual([]);
  // An answer may come before or after its connection breaks, so the rules hold in each run, but the counts only in
  // one.
  expect(rows).toHaveLength(CONNECTION_FAULTS.length + REQUEST_FAULTS.length);
  if (process.env.WRITE_RELIABILITY === '1') expectKept('SFTP', ['fault', ...VERDICTS], rows);
});
