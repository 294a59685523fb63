import type { Clock } from '../base/clock.js';
import type { ProofOfPerson } from '../config/access/identity.js';
import type { Config } from '../config/config.js';
import { openStores, type Stores } from '../store/open-stores.js';

/** What an operation on one tenant works with. */
export interface OperationContext {
  readonly config: Config;
  readonly clock: Clock;
}

/** What somebody decides with. */
export interface DecisionContext extends OperationContext {
  /** Who decides, as the audit tells it. */
  readonly by: string;
  /** How they are known: an account on this machine, a log-in or personal token, or nothing that proves a person. */
  readonly via: ProofOfPerson;
  /** Who asks sees pseudonyms: people are found by key, id or whole address alone. */
  readonly isVeiled?: boolean;
  /** It is only checked with a copy of the state, and written by the holder of it. */
  readonly isTrial?: boolean;
}

/** Opens the tenant's state for looking only, also during a run. */
export function withStores<T>({ config }: OperationContext, look: (stores: Stores) => T | Promise<T>): Promise<T> {
  return usingStores(openStores(config.state), look);
}

/** The same for what is sent while it is read: opened with the first piece, closed with the last, or when nobody reads on. */
export async function* streamStores<T>(
  { config }: OperationContext,
  read: (stores: Stores) => AsyncIterable<T>,
): AsyncIterable<T> {
  const stores = openStores(config.state);
  try {
    yield* read(stores);
  } finally {
    stores.close();
  }
}

/** Writes down what an operator decides, in state and audit together, where the next run finds it. */
export function decide({ config, isTrial = false }: DecisionContext, write: (stores: Stores) => void): Promise<void> {
  const stores = openStores(config.state, { lockedAt: null, isTrial }, config.audit);
  return usingStores(stores, () => {
    try {
      stores.state.transaction(() => {
        write(stores);
        if (isTrial) throw TRIED;
      });
    } catch (thrown) {
      if (thrown !== TRIED) throw thrown;
    }
  });
}

/** Thrown so that the writes of a trial are rolled back. */
const TRIED = new Error('tried');

/** Closes them whatever comes of the work. */
export async function usingStores<T>(stores: Stores, work: (stores: Stores) => T | Promise<T>): Promise<T> {
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}
