import { openStores, type Stores } from '../store/open-stores.js';
import type { CommandContext } from './context.js';

/** Opens the tenant's state for looking only, also during a run. */
export function withStores<T>({ config }: CommandContext, look: (stores: Stores) => T | Promise<T>): Promise<T> {
  return using(openStores(config.state), look);
}

/** Writes down what an operator decides, in state and audit together, where the next run finds it. */
export function decide({ config }: CommandContext, write: (stores: Stores) => void): Promise<void> {
  const stores = openStores(config.state, { lockedAt: null }, config.audit);
  return using(stores, () => stores.state.transaction(() => write(stores)));
}

async function using<T>(stores: Stores, work: (stores: Stores) => T | Promise<T>): Promise<T> {
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}
