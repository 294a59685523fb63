import { openStores, type Stores } from '../store/open-stores.js';
import { openLocked } from '../wire.js';
import { type CommandContext, describeHolder, type LockFlags, nameOperator } from './context.js';
import { openLogger } from './open-logger.js';
import { holdRunLock } from './run-lock.js';

/** Opens the tenant's state for looking only, also during a run. */
export function withStores<T>({ config }: CommandContext, look: (stores: Stores) => T | Promise<T>): Promise<T> {
  return using(openStores(config.state), look);
}

/** Writes down what an operator decides, in state and audit together, where the next run finds it. */
export function decide({ config }: CommandContext, write: (stores: Stores) => void): Promise<void> {
  const stores = openStores(config.state, { lockedAt: null }, config.audit);
  return using(stores, () => stores.state.transaction(() => write(stores)));
}

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
    return using(stores, (open) => work(open, `${nameOperator()}: ${describeHolder(command)}`));
  });
}

async function using<T>(stores: Stores, work: (stores: Stores) => T | Promise<T>): Promise<T> {
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}
