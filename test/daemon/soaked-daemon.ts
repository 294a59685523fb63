import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { closeAfterTest } from '../closing.js';
import type { Fleet, LogLine } from './fleet.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const PRELOAD = new URL('soak-preload.mjs', import.meta.url).href;
/**
 * A small heap, and no optimising compiler: V8 keeps optimised code of every hot function. That growth lasts many
 * thousand runs and would hide the daemon's own.
 */
const V8_FLAGS = ['--max-old-space-size=160', '--no-opt'];

/** The resources a process holds after a garbage collection. */
export interface Holding {
  readonly heapMiB: number;
  readonly rssMiB: number;
  readonly handles: number;
  readonly descriptors: number;
}

/** The program with a small heap, in a process of its own, so that everything it holds is the daemon's. */
export interface SoakedDaemon {
  /** Sets the process's clock to the fleet's, waits until this many runs have succeeded, and scrapes the metrics. */
  run(runs: number): Promise<void>;
  hold(): Promise<Holding>;
}

export async function startSoaked({ folder, env, clock }: Fleet, tenants: number): Promise<SoakedDaemon> {
  const args = ['daemon', '--config', join(folder, 'tenants'), '--port', '0'];
  const offset = { CLOCK_OFFSET_MS: String(clock.now() - Date.now()) };
  const child = spawn(process.execPath, [...V8_FLAGS, '--import', PRELOAD, MAIN, ...args], {
    env: { ...process.env, LOG_LEVEL: 'info', ...offset, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const closed = once(child, 'close');
  closeAfterTest({
    close() {
      child.kill();
      return closed;
    },
  });
  const { stderr } = child;
  if (stderr === null) throw new Error('The daemon has no log.');
  const lines = createInterface({ input: stderr })[Symbol.asyncIterator]();

  /** @throws on an error or a failed run, and if the daemon ends early */
  async function untilLogged(msg: string, times = 1): Promise<LogLine> {
    for (let found = 0; ; ) {
      const { done, value: text } = await lines.next();
      if (done === true) throw new Error(`The daemon ended before "${msg}".`);
      const line = text.startsWith('{') ? (JSON.parse(text) as LogLine) : null;
      if (line === null || line.level === 'error' || (line.exit_code ?? 0) !== 0) throw new Error(text);
      if (line.msg === msg) found += 1;
      if (found === times) return line;
    }
  }

  const { url } = await untilLogged('listening');
  await untilLogged('tenant ready', tenants);
  return {
    async run(runs) {
      child.send({ setClockMs: clock.now() });
      await untilLogged('run ended', runs);
      await (await fetch(`${url}/metrics`)).text();
    },
    async hold() {
      const answered = once(child, 'message');
      child.send({});
      const died = closed.then((): never => {
        throw new Error('The daemon ended before it was asked to.');
      });
      return ((await Promise.race([answered, died])) as [Holding])[0];
    },
  };
}
