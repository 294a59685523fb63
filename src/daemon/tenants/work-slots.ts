import PQueue from 'p-queue';
import { breathe, type Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';

/** So long a run counts as one of those at work: most take a minute, the first one of a big account can take hours. */
const SLOT_MS = 15 * 60_000;

export interface WorkSlotsOptions {
  /** Of the work, for the log. */
  readonly what: 'a run' | 'opening a state';
  /** Tenants at work at the same time. */
  readonly parallel: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Lets so many tenants work at a time; the others queue. A run that is slow, or will never end because a mount under it
 * is dead, goes on without its slot after a while: else as many of those as there are slots would stop everybody.
 * Tenants that give way, because what they need has been away, come after all others and never have more than half of the slots.
 */
export interface WorkSlots {
  take(tenant: string, work: () => Promise<void>, givesWay: boolean): Promise<void>;
  /** Tenants that have a slot or wait for one. */
  count(): number;
  /** Frees the slots that were kept too long. To be called now and then. */
  look(): void;
}

interface Taken {
  readonly tenant: string;
  readonly sinceMs: number;
  leave(): void;
}

export function createWorkSlots({ what, parallel, clock, logger }: WorkSlotsOptions): WorkSlots {
  const queue = new PQueue({ concurrency: parallel });
  const giveWay = new PQueue({ concurrency: Math.max(1, Math.floor(parallel / 2)) });
  const taken = new Set<Taken>();

  function sit(tenant: string, work: () => Promise<void>, end: (done: Promise<void>) => void): Promise<void> {
    return new Promise((leave) => {
      const slot = { tenant, sinceMs: clock.now(), leave };
      taken.add(slot);
      // One run's last commit and the next one's opening each wait for the disk: others are answered in between.
      const done = breathe(undefined)
        .then(work)
        .finally(() => {
          taken.delete(slot);
          leave();
        });
      end(done);
    });
  }

  return {
    take: (tenant, work, givesWay) =>
      new Promise((resolve) => {
        const queued = () => queue.add(() => sit(tenant, work, resolve), { priority: givesWay ? -1 : 0 });
        void (givesWay ? giveWay.add(queued) : queued());
      }),
    count: () => queue.pending + queue.size + giveWay.size,
    look() {
      for (const slot of taken) {
        const minutes = Math.floor((clock.now() - slot.sinceMs) / 60_000);
        if (minutes * 60_000 < SLOT_MS) continue;
        taken.delete(slot);
        slot.leave();
        logger.warn({ tenant: slot.tenant, minutes }, `${what} takes long: it goes on, and the others no longer wait`);
      }
    },
  };
}
