import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../app/app.js';
import { countChanges, countToApply } from '../app/watch-progress.js';
import { wireApp } from '../app/wire.js';
import { systemClock } from '../base/clock.js';
import { cleanLine } from '../model/clean-text.js';
import { parseSelector } from '../planning/only.js';
import { type CommandContext, describeHolder, nameOperator, printFitted, type RunFlags } from './context.js';
import { openLogger } from './open-logger.js';
import { createProgress } from './progress.js';
import { describeLocked } from './run-lock.js';

/** Opens the tenant's state for one command, and closes it in any case. */
export async function withApp<T>(
  command: string,
  { config, clock, signal, console, held }: Pick<CommandContext, 'config' | 'clock' | 'signal' | 'console' | 'held'>,
  flags: Pick<RunFlags, 'asOf' | 'ignoreQuietHours' | 'duringPause' | 'only' | 'wait'>,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const holder = describeHolder(command);
  if (flags.only !== undefined) parseSelector(flags.only, '--only');
  const progress = createProgress(console);
  const app: App = await wireApp(config, {
    clock,
    logger: openLogger(console),
    signal,
    holder,
    operator: nameOperator(),
    asOf: flags.asOf ?? null,
    onUnsettled: (message) => void printFitted(console.stderr, cleanLine(message)),
    onChange: countChanges(() => countToApply(app.stores), progress.on),
    onProgress: progress.on,
    ignoreQuietHours: flags.ignoreQuietHours === true,
    duringPause: flags.duringPause === true,
    ...(flags.wait === true ? { onLocked: describeLocked(console) } : {}),
    ...held,
  });
  try {
    return await work(app);
  } finally {
    progress.clear();
    await app.close();
  }
}

/** Opens a temporary state for one command, and deletes it at the end. */
export async function withScratchApp<T>(
  command: string,
  { config, console, signal }: Pick<CommandContext, 'config' | 'console' | 'signal'>,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const state = mkdtempSync(join(tmpdir(), 'talent-sync-'));
  try {
    const { clock = systemClock } = console;
    return await withApp(command, { config: { ...config, state }, clock, console, signal }, {}, work);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
