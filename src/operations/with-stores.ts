import type { Clock } from '../base/clock.js';
import type { ProofOfPerson } from '../config/access/identity.js';
import type { Config } from '../config/config.js';
import { openStores, type Stores } from '../store/open-stores.js';

/** Everything that an operation on one tenant uses. */
export interface OperationContext {
  readonly config: Config;
  readonly clock: Clock;
}

/** Everything that a decision uses. */
export interface DecisionContext extends OperationContext {
  /** The person who decides, as recorded in the audit. */
  readonly by: string;
  /** How the person is identified: by an account on this machine, by a log-in or personal token, or not at all. */
  readonly via: ProofOfPerson;
  /** True if the person sees pseudonyms. People with pseudonyms find others only by key, id or complete address. */
  readonly isVeiled?: boolean;
  /** True to only check the decision with a copy of the state. The holder of the state then writes the decision. */
  readonly isTrial?: boolean;
}

/** Opens the tenant's state for reading, even during a run. */
export function withStores<T>({ config }: OperationContext, look: (stores: Stores) => T | Promise<T>): Promise<T> {
  return usingStores(openStores(config.state), look);
}

/** Opens the state with the first item of a stream. Closes it after the last item, or when the reader stops. */
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

/** Writes an operator's decision to state and audit together. The next run finds it. */
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

/** Thrown to roll back the writes of a trial. */
const TRIED = new Error('tried');

/** Closes the stores even if the work throws. */
export async function usingStores<T>(stores: Stores, work: (stores: Stores) => T | Promise<T>): Promise<T> {
  try {
    return await work(stores);
  } finally {
    stores.close();
  }
}
