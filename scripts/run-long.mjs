// Runs a program that may take minutes, without a limit: it reports every ten seconds that it is still at work, prints the last lines
// of the program if that fails, and ends all that the program has started when it ends itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const EVERY_MS = 10_000;
const SHOWN_LINES = 20;
const LONGEST_WORD = 80;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * @param doing what people wait for, as in "Building"
 * @param isShown all of its output is printed as it comes
 * @returns whether it went well
 */
export async function runLong(command, args, { doing, isShown = false, everyMs = EVERY_MS }) {
  const output = isShown ? 2 : 'pipe';
  // A group of its own, by which its compilers are ended as well.
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

/** Ends the group of a process with this one, however it ends. Answers what ends the group now, and forgets it. */
function endWith(child) {
  const parent = process.ppid;
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Nothing of it is left.
    }
  };
  const onSignal = (signal) => {
    release();
    // Without its listener the signal ends this process, as its sender expects.
    process.kill(process.pid, signal);
  };
  // A shell that is killed does not pass it on.
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
