import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, followStop } from '../../base/clock.js';
import { asSyncError } from '../../base/errors.js';
import type { Fence } from '../../base/fence.js';
import type { Config } from '../../config/config.js';
import { openStores } from '../../store/open-stores.js';
import type { ChannelQueue, ChannelState } from '../../store/state/notify-store.js';
import { pingDeadMan } from './dead-man.js';
import type { Hindrance } from './list-ongoing.js';

import { lookAndSend, type NotifyLook } from './look.js';

export interface NotifierOptions extends Pick<NotifyLook, 'tenant' | 'logger' | 'signal' | 'createSender'> {
  readonly config: () => Config;
  readonly clock: Clock;
  /** Address of the operator pages, for a tenant without `notify.link`. */
  readonly pagesLink?: (() => string | null) | undefined;
}

/** State of a channel, for metrics. */
export type ChannelFacts = ChannelState & Partial<Pick<ChannelQueue, 'waiting' | 'oldest'>>;

/**
 * One tenant's messages in a daemon. The notifier looks when there is work: after a run, or when a retry, a reminder or a
 * digest is due. The state is open only during a look, and nothing waits for a look.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #under = new Set<Promise<void>>();
  #hindrance: Hindrance = 'unknown';
  #nextMs = 0;
  #isLooking = false;
  #channels: readonly ChannelFacts[] = [];

  constructor(options: NotifierOptions) {
    this.#options = options;
  }

  /** Sets the current reason why the tenant cannot run. */
  note(hindrance: Hindrance): void {
    if (hindranceText(hindrance) === hindranceText(this.#hindrance)) return;
    this.#hindrance = hindrance;
    this.wake();
  }

  /** Makes the next look due, because something may have changed. */
  wake(): void {
    this.#nextMs = 0;
  }

  /**
   * Starts due work, if any, and returns immediately.
   *
   * @param fence set if the state is in PostgreSQL; each message must pass it
   */
  look(fence: Fence | null = null): void {
    const { config, clock, signal } = this.#options;
    if (this.#isLooking || signal.aborted || config().notify === null || clock.now() < this.#nextMs) return;
    this.#isLooking = true;
    this.#start(
      followStop(signal, (own) => this.#look(own, fence)).finally(() => {
        this.#isLooking = false;
      }),
    );
  }

  /** Pings the watchdog after a good run. */
  ping(): void {
    const { config, logger, signal } = this.#options;
    const { notify } = config();
    if (notify !== null) this.#start(followStop(signal, (own) => pingDeadMan(notify, logger, own)));
  }

  channels(): readonly ChannelFacts[] {
    return this.#channels;
  }

  /** Resolves when no work is in progress. */
  async idle(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  #start(work: Promise<void>): void {
    const tracked = work.finally(() => this.#under.delete(tracked));
    this.#under.add(tracked);
  }

  async #look(signal: AbortSignal, fence: Fence | null): Promise<void> {
    const { clock, logger } = this.#options;
    this.#nextMs = clock.now() + BROKEN_PAUSE_MS;
    try {
      await this.#lookOnce(signal, fence);
    } catch (thrown) {
      const { code, message } = asSyncError(thrown);
      logger.error({ code, message }, 'messages cannot be kept or sent: the state cannot be used');
    }
  }

  async #lookOnce(signal: AbortSignal, fence: Fence | null): Promise<void> {
    const { tenant, config, clock, logger, createSender, pagesLink } = this.#options;
    const inForce = config();
    // Only the holder of the lock creates the state.
    if (!existsSync(join(inForce.state, 'state.db'))) return;
    const stores = openStores(inForce.state);
    try {
      const hindrance = this.#hindrance;
      const look = {
        tenant,
        config: inForce,
        stores,
        hindrance,
        now: () => clock.now(),
        logger,
        signal,
        fence,
        pagesLink: pagesLink?.() ?? null,
      };
      const before = this.#nextMs;
      const next = await lookAndSend(createSender === undefined ? look : { ...look, createSender });
      // If the notifier was woken meanwhile, the next look stays due.
      if (this.#nextMs === before) this.#nextMs = next;
      const queues = new Map(stores.notify.queues().map((queue) => [queue.channel, queue]));
      this.#channels = stores.notify.channels().map((state) => ({ ...queues.get(state.channel), ...state }));
    } finally {
      stores.close();
    }
  }
}

/** Pause after a look that failed. */
const BROKEN_PAUSE_MS = 60_000;

function hindranceText(hindrance: Hindrance): string | null {
  return hindrance === null || hindrance === 'unknown' ? hindrance : `${hindrance.code} ${hindrance.message}`;
}
