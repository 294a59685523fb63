// Runs programs to measure them, and the services that they call.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

export const main = new URL('../../dist/main.js', import.meta.url).pathname;
const usage = new URL('usage.mjs', import.meta.url).href;

export async function startSandbox(folder, fixture) {
  writeFileSync(join(folder, 'fixture.json'), JSON.stringify(fixture));
  return startServer([main, 'sandbox', '--fixture', join(folder, 'fixture.json')]);
}

/** A service with this number of people that stores only written values. */
export async function startLeanService(people) {
  const server = await startServer([new URL('lean-service.mjs', import.meta.url).pathname, String(people)]);
  const control = (body) => fetch(`${server.url}/__bench`, { method: 'POST', body: JSON.stringify(body) });
  return { ...server, control };
}

/** A server that prints its address in its first line. */
async function startServer(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  for await (const line of createInterface({ input: child.stdout })) {
    return { ...JSON.parse(line), close: () => child.kill() };
  }
  throw new Error(`${args.join(' ')} did not start\n${said}`);
}

/**
 * Runs a program to its end. Returns its output and log, its clock and processor seconds, its peak memory in MiB, and the
 * delays of its event loop in milliseconds.
 */
export async function measure(folder, args, { env = {}, codes = [0] } = {}) {
  const file = join(folder, 'usage.json');
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--import', usage, ...args], {
    env: { ...process.env, API_KEY: 'bench-key', BENCH_USAGE: file, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [text, log] = [gather(child.stdout), gather(child.stderr)];
  const [code] = await once(child, 'close');
  if (!codes.includes(code)) throw new Error(`${args.join(' ')} ended with ${code}: ${text()}${log()}`);
  const seconds = (performance.now() - startedMs) / 1_000;
  return { ...JSON.parse(readFileSync(file, 'utf8')), text: text(), log: log(), seconds };
}

function gather(stream) {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}

/** Clock seconds between two messages, or between the starts of two stages, in a program's log. */
export function secondsBetween({ log }, first, last) {
  const lines = log.split('\n').filter((line) => line.startsWith('{'));
  const [from, to] = [first, last].map((wanted) => {
    const found = lines.map((line) => JSON.parse(line)).find(({ msg, stage }) => msg === wanted || stage === wanted);
    if (found === undefined) throw new Error(`nothing says "${wanted}": ${log}`);
    return Date.parse(found.time);
  });
  return (to - from) / 1_000;
}

/** Starts a program that logs JSON lines to stderr, until it is closed. `until` returns the first line that matches. */
export function startMeasured(args, env = {}) {
  const child = spawn(process.execPath, ['--import', usage, ...args], {
    env: { ...process.env, API_KEY: 'bench-key', ...env },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  return {
    pid: child.pid,
    async until(isWanted) {
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        const line = JSON.parse(next.value);
        if (isWanted(line)) return line;
      }
      throw new Error(`${args.join(' ')} ended before its time`);
    },
    /** The usage of the program so far, with the delays of its event loop since the previous call. */
    async readUsage() {
      child.send('usage');
      const [told] = await once(child, 'message');
      return told;
    },
    async close() {
      child.kill();
      if (child.exitCode === null) await once(child, 'close');
    },
  };
}

/** Bytes of the tables and indexes of both databases. The log of past changes grows separately, and is left out. */
export function readSizeOfTables(state) {
  const sizeOf = (name) => {
    const database = new Database(join(state, name), { readonly: true });
    const { bytes } = database
      .prepare(
        `SELECT sum(pgsize) AS bytes FROM dbstat JOIN sqlite_schema USING (name)
         WHERE tbl_name NOT LIKE 'audit%' AND tbl_name NOT LIKE 'journal%'`,
      )
      .get();
    database.close();
    return bytes;
  };
  return sizeOf('state.db') + sizeOf('mirror.db');
}
