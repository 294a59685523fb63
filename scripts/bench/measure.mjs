// Programs that are run to be measured, and the sandbox that they talk to.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

export const main = new URL('../../dist/main.js', import.meta.url).pathname;

export async function startSandbox(folder, fixture) {
  writeFileSync(join(folder, 'fixture.json'), JSON.stringify(fixture));
  return startServer([main, 'sandbox', '--fixture', join(folder, 'fixture.json')]);
}

/** A service of so many people that holds no more than what was written to it. */
export async function startLeanService(people) {
  const server = await startServer([new URL('lean-service.mjs', import.meta.url).pathname, String(people)]);
  const control = (body) => fetch(`${server.url}/__bench`, { method: 'POST', body: JSON.stringify(body) });
  return { ...server, control };
}

/** A program that serves something, and says where in its first line. */
async function startServer(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    return { ...JSON.parse(line), close: () => child.kill() };
  }
  throw new Error(`${args.join(' ')} did not start`);
}

/**
 * Runs a program to its end: what it printed, seconds by the clock and of the processor, peak memory in MiB, and the longest
 * that its event loop waited, in milliseconds.
 */
export async function measure(folder, args, { env = {}, codes = [0] } = {}) {
  const usage = join(folder, 'usage.json');
  // What a process has used is known to itself alone: it writes it down as it leaves.
  const noteUsage = `import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on('exit', () => writeFileSync(${JSON.stringify(usage)}, JSON.stringify({
  ...process.resourceUsage(), p999: delay.percentile(99.9) / 1e6, longest: delay.max / 1e6 })));`;
  const startedMs = performance.now();
  const load = `data:text/javascript,${encodeURIComponent(noteUsage)}`;
  const child = spawn(process.execPath, ['--import', load, ...args], {
    env: { ...process.env, API_KEY: 'bench-key', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (!codes.includes(code)) throw new Error(`${args.join(' ')} ended with ${code}: ${text}`);
  const { userCPUTime, systemCPUTime, maxRSS, p999, longest } = JSON.parse(readFileSync(usage, 'utf8'));
  return {
    text,
    seconds: (performance.now() - startedMs) / 1_000,
    cpu: (userCPUTime + systemCPUTime) / 1e6,
    mib: maxRSS / 1_024,
    p999,
    longest,
  };
}

/** Bytes of the tables of both databases and of their indexes; the log of what was done grows by itself, and is left out. */
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
