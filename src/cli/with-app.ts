import type { App } from '../app.js';
import { cleanLine } from '../model/clean-text.js';
import { parseSelector } from '../planning/only.js';
import { wireApp } from '../wire.js';
import { type CommandContext, type Console, describeHolder, nameOperator, type RunFlags } from './context.js';
import { openLogger } from './open-logger.js';
import { print, printProgress } from './print.js';
import { describeLocked } from './run-lock.js';

/** Opens the tenant's state for one command, and closes it whatever happens. */
export async function withApp<T>(
  command: string,
  { config, clock, signal, console }: CommandContext,
  flags: Pick<RunFlags, 'asOf' | 'ignoreQuietHours' | 'only' | 'wait'>,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const holder = describeHolder(command);
  if (flags.only !== undefined) parseSelector(flags.only, '--only');
  const progress = createProgress(console.stderr);
  const app = await wireApp(config, {
    clock,
    logger: openLogger(console),
    signal,
    holder,
    operator: nameOperator(),
    asOf: flags.asOf ?? null,
    onUnsettled: (message) => void print(console.stderr, `${cleanLine(message)}\n`),
    onChange: progress.count,
    ignoreQuietHours: flags.ignoreQuietHours === true,
    ...(flags.wait === true ? { onLocked: describeLocked(console) } : {}),
  });
  try {
    return await work(app);
  } finally {
    progress.clear();
    await app.close();
  }
}

/** One line that counts on a terminal; nothing in a pipe. */
function createProgress(stderr: Console['stderr']): { count(): void; clear(): void } {
  const live = stderr.isTTY === true;
  let shown = false;
  let ended = 0;
  return {
    count() {
      if (!live) return;
      shown = true;
      ended += 1;
      printProgress(stderr, `${ended} changes done …`);
    },
    clear: () => void (shown && printProgress(stderr, '')),
  };
}
