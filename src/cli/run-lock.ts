import { waitForRunLock } from '../app/open-state.js';
import type { SyncError } from '../base/errors.js';
import { cleanLine } from '../model/clean-text.js';
import { type CommandContext, type Console, describeHolder, type LockFlags, printFitted } from './context.js';

/** Runs work that needs the run lock, and releases the lock in any case. */
export async function holdRunLock<T>(
  context: CommandContext,
  command: string,
  flags: Pick<LockFlags, 'wait'> & { readonly isCopy?: boolean },
  work: () => T | Promise<T>,
): Promise<T> {
  const lock = await waitForRunLock(context.config.state, {
    ...context,
    ...context.held,
    holder: describeHolder(command),
    isCopy: flags.isCopy === true,
    ...(flags.wait === true ? { onLocked: describeLocked(context.console) } : {}),
  });
  try {
    return await work();
  } finally {
    lock.close();
  }
}

/** Prints on a terminal or in a log why the command is waiting. */
export function describeLocked({ stderr }: Console): (error: SyncError) => void {
  return (error) => void printFitted(stderr, `${cleanLine(error.message)} Waiting for it …`);
}
