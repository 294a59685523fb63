import { usingStores } from '../operations/with-stores.js';
import type { Stores } from '../store/open-stores.js';
import { openLocked } from '../wire.js';
import { type CommandContext, describeHolder, type LockFlags, nameOperator } from './context.js';
import { openLogger } from './open-logger.js';
import { holdRunLock } from './run-lock.js';

/** Takes the state for itself, as a run does, for what asks neither the sources nor the service. */
export function withLockedStores<T>(
  command: string,
  context: CommandContext,
  flags: Pick<LockFlags, 'wait'>,
  work: (stores: Stores, startedBy: string) => T | Promise<T>,
): Promise<T> {
  const { config, clock, console } = context;
  return holdRunLock(context, command, flags, async () => {
    const stores = await openLocked(config, { clock, logger: openLogger(console) });
    return usingStores(stores, (open) => work(open, `${nameOperator()}: ${describeHolder(command)}`));
  });
}
