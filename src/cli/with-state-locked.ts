import { type LockContext, withLockedStores } from '../operations/with-locked-stores.js';
import type { Stores } from '../store/open-stores.js';
import { type CommandContext, describeHolder, type LockFlags, nameOperator } from './context.js';
import { openLogger } from './open-logger.js';
import { describeLocked } from './run-lock.js';

/** The context for taking the lock. With `--wait`, the command waits for the lock. */
export function lockContext(
  command: string,
  context: CommandContext,
  { wait }: Pick<LockFlags, 'wait'>,
): CommandContext & LockContext {
  const { console } = context;
  return {
    ...context,
    logger: openLogger(console),
    holder: describeHolder(command),
    ...context.held,
    ...(wait === true ? { onLocked: describeLocked(console) } : {}),
  };
}

/** Locks the state as a run does, for work that reads neither the sources nor the service. */
export function withStateLocked<T>(
  command: string,
  context: CommandContext,
  flags: Pick<LockFlags, 'wait'>,
  work: (stores: Stores, startedBy: string) => T | Promise<T>,
): Promise<T> {
  const locking = lockContext(command, context, flags);
  return withLockedStores(locking, (stores) => work(stores, `${nameOperator()}: ${locking.holder}`));
}
