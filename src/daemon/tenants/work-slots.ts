import PQueue from 'p-queue';
import { breathe, type Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';

/** How long a run keeps its work slot. Most runs take a minute; the first one of a large account can take hours. */
const SLOT_MS = 15 * 60_000;

export interface WorkSlotsOptions {
  /** The kind of work, for the log. */
  readonly what: 'a run' | 'opening a state';
  /** How many tenants may work at the same time. */
  readonly parallel: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Limits how many tenants work at the same time. The other tenants queue. A slow run continues without its slot after a
 * while. Otherwise a few endless runs on a dead mount would block everyone. A tenant gives way if a system that it needs
 * was down. Tenants that give way come after all others and get at most half of the slots.
 */
export interface WorkSlots {
  take(tenant: string, work: () => Promise<void>, givesWay: boolean): Promise<void>;
  /** Number of tenants that have a slot or wait for one. */
  count(): number;
  /** Frees slots that were held too long. Must be called regularly. */
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
      // Yield here, because the last commit of one run and the start of the next both wait for the disk.
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
        logger.warn(
          { tenant: slot.tenant, minutes },
          `${what} takes long. It continues, and the other tenants no longer wait`,
        );
      }
    },
  };
}
