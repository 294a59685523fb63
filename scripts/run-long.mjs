// Runs a program that may take minutes, without a time limit. Reports every ten seconds that the program is still running,
// prints its last lines if it fails, and ends all its processes when this process ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const EVERY_MS = 10_000;
const SHOWN_LINES = 20;
const LONGEST_WORD = 80;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @param doing a description for people, such as "Building"
 * @param isShown prints all output immediately
 * @returns true if the program succeeded
 */
export async function runLong(command, args, { doing, isShown = false, everyMs = EVERY_MS }) {
  const output = isShown ? 2 : 'pipe';
  // A separate process group, so that compilers started by the program can be ended too.
  const child = spawn(command, args, { stdio: ['ignore', output, output], detached: true });
  const lines = keepLast(child);
  const release = endWith(child);
  const startMs = performance.now();
  const sign = setInterval(() => {
    const seconds = Math.round((performance.now() - startMs) / 1000);
    const last = lines.at(-1);
    print(`${doing} (${seconds} s)${last === undefined ? ' …' : `: ${last.trim().slice(0, LONGEST_WORD)}`}`);
  }, everyMs);
  const closed = once(child, 'close').catch(() => null);
  try {
    const [code] = await once(child, 'exit');
    release();
    await closed;
    if (code !== 0) for (const line of lines) print(line);
    return code === 0;
  } catch (error) {
    print(`${command} cannot be started: ${error.message}`);
    return false;
  } finally {
    clearInterval(sign);
    release();
  }
}

function print(line) {
  process.stderr.write(`${line}\n`);
}

function keepLast({ stdout, stderr }) {
  const lines = [];
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      lines.push(...text.split('\n').filter((line) => line.trim() !== ''));
      lines.splice(0, lines.length - SHOWN_LINES);
    });
  }
  return lines;
}

/** Ends a child's process group together with this process, for any kind of exit. Returns a function that ends it now. */
function endWith(child) {
  const parent = process.ppid;
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The process group has already ended.
    }
  };
  const onSignal = (signal) => {
    release();
    // Without a listener, the signal ends this process, as its sender expects.
    process.kill(process.pid, signal);
  };
  // A killed shell does not forward the signal.
  const watch = setInterval(() => process.ppid !== parent && process.exit(1), 1000);
  const release = () => {
    clearInterval(watch);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.off('exit', kill);
    kill();
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  process.once('exit', kill);
  return release;
}
