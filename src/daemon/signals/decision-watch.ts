import { breathe, type Clock } from '../../base/clock.js';
import { asSyncError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { findDecisions } from '../../operations/find-decisions.js';
import { NOTHING, printState } from '../tenants/print-state.js';
import type { Signals } from './signals.js';

export interface DecisionWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signals: Pick<Signals, 'signal' | 'takeBack'>;
  /** Tenants with a local state folder, where commands may decide without notifying the daemon. */
  readonly tenants: () => readonly { readonly name: string; readonly config: Config }[];
}

const LOOK_MS = 1_000;

interface SeenState {
  print: string;
  /** Sequence number of the newest audit entry. */
  seq: number;
}

/** Signals approvals and answers that commands on this machine wrote to the state of a tenant. */
export class DecisionWatch {
  readonly #options: DecisionWatchOptions;
  readonly #seen = new Map<string, SeenState>();
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;

  constructor(options: DecisionWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Looks at every changed state. Resolves when done. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const { name, config } of this.#options.tenants()) await this.#lookAt(name, config);
    this.#isLooking = false;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #lookAt(tenant: string, config: Config): Promise<void> {
    const { clock, logger, signals } = this.#options;
    const known = this.#seen.get(config.state);
    try {
      const print = printState(config.state);
      if (known?.print === print || print === NOTHING) return;
      const { seq, decided, revoked } = await findDecisions({ config, clock }, known?.seq ?? null);
      this.#seen.set(config.state, { print, seq });
      for (let at = 0; at < decided; at += 1) signals.signal({ tenant, source: null, kind: 'approval' });
      for (let at = 0; at < revoked; at += 1) signals.takeBack(tenant);
      // Opening a state takes tens of milliseconds.
      await breathe(undefined);
    } catch (error) {
      // Another process may be updating the state right now.
      const { code, message } = asSyncError(error);
      logger.debug({ tenant, code, message }, 'the state cannot be checked for decisions');
    }
  }
}
