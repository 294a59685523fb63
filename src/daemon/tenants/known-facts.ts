import { type Clock, isoNow } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import { openStores, type Stores } from '../../store/open-stores.js';
import { printState } from './print-state.js';
import { readFacts, type TenantFacts } from './tenant-facts.js';

/** The last facts read about a tenant, with a fingerprint of its state at that time. */
export class KnownFacts {
  readonly #clock: Clock;
  #newest: TenantFacts | null = null;
  #print = '';
  #nearMisses: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The newest facts; null until the state is opened. */
  newest(): TenantFacts | null {
    return this.#newest;
  }

  /** @param nearMisses near misses of the run that has just ended */
  read(config: Config, stores: Stores, nearMisses = this.#nearMisses): void {
    this.#nearMisses = nearMisses;
    this.#newest = readFacts(config, stores, isoNow(this.#clock), nearMisses);
  }

  /** @throws SyncError when the state cannot be opened */
  reread(config: Config): void {
    try {
      const stores = openStores(config.state);
      try {
        this.read(config, stores);
      } finally {
        stores.close();
      }
    } finally {
      this.print(config.state);
    }
  }

  /** Takes over facts that another daemon has read. */
  follow(facts: TenantFacts | null): void {
    this.#newest = facts;
  }

  /** Remembers the fingerprint of the state, which changes only when someone writes to the state. */
  print(state: string): void {
    this.#print = printState(state);
  }

  /** True if someone has written to the state since the facts were read. */
  areOld(state: string): boolean {
    return this.#newest !== null && printState(state) !== this.#print;
  }
}
