import { type Clock, isoNow } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import { openStores, type Stores } from '../../store/open-stores.js';
import { printState } from './print-state.js';
import { readFacts, type TenantFacts } from './tenant-facts.js';

/** The facts of a tenant as they were read last, and what its state looked like then. */
export class KnownFacts {
  readonly #clock: Clock;
  #newest: TenantFacts | null = null;
  #print = '';
  #nearMisses: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** null as long as the state has not been opened. */
  newest(): TenantFacts | null {
    return this.#newest;
  }

  /** @param nearMisses of the run that has ended */
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

  /** Another daemon has read them. */
  follow(facts: TenantFacts | null): void {
    this.#newest = facts;
  }

  /** The state is as it will be until somebody writes to it. */
  print(state: string): void {
    this.#print = printState(state);
  }

  /** True if somebody has written to the state since. */
  areOld(state: string): boolean {
    return this.#newest !== null && printState(state) !== this.#print;
  }
}
