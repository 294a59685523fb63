import { openAccount } from '../../app/wire.js';
import type { Clock } from '../../base/clock.js';
import { asSyncError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { hashToShare } from '../../config/schedule/spread.js';
import { type FeedLooker, type FeedPlace, lookAtFeed } from '../../mirror/look-at-feed.js';
import { withStores } from '../../operations/with-stores.js';
import type { SignalPort } from './signals.js';

export interface ServiceWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signals: SignalPort;
  readonly tenants: () => readonly { readonly name: string; readonly config: Config }[];
}

/** How often to check which tenants are due. */
const LOOK_MS = 1_000;

/** Reads the users feed between runs, for tenants with `schedule.watch_service`. */
export class ServiceWatch {
  readonly #options: ServiceWatchOptions;
  readonly #nextMs = new Map<string, number>();
  readonly #looking = new Set<string>();
  readonly #places = new Map<string, FeedPlace | null>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ServiceWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Reads the feed of each tenant that is due. Resolves when done. */
  async look(): Promise<void> {
    const { clock, tenants } = this.#options;
    const now = clock.now();
    const due = tenants().filter(({ name, config }) => {
      const everyMs = config.schedule.watchServiceMs ?? 0;
      // Spread the first reads after a start, so that they do not all fall into the same second.
      const nextMs = this.#nextMs.get(name) ?? now + Math.floor(everyMs * hashToShare(name));
      const isDue = nextMs <= now && !this.#looking.has(name);
      this.#nextMs.set(name, isDue ? now + everyMs : nextMs);
      return isDue;
    });
    await Promise.all(due.map(({ name, config }) => this.#lookAt(name, config)));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #lookAt(tenant: string, config: Config): Promise<void> {
    const { clock, logger, signals } = this.#options;
    this.#looking.add(tenant);
    try {
      const before = this.#places.get(tenant) ?? null;
      const account = openAccount(config, config.service.baseUrl, { clock, logger });
      const withMirror: FeedLooker['withMirror'] = (look) =>
        withStores({ config, clock }, ({ mirror }) => look(mirror));
      const looked = lookAtFeed({ reader: account.reader, withMirror }, before);
      const { isNews, place } = await looked.finally(() => account.close());
      this.#places.set(tenant, place);
      if (isNews) signals.signal({ tenant, source: null, kind: 'service' });
    } catch (error) {
      const { code, message } = asSyncError(error);
      logger.debug({ tenant, code, message }, 'the users feed cannot be read between runs');
    } finally {
      this.#looking.delete(tenant);
    }
  }
}
