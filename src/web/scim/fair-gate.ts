import { ScimError } from '../../scim/scim-error.js';

export interface FairGateOptions {
  /** Weight that is let in at the same time, of all and of one. */
  readonly capacity: number;
  readonly share: number;
  /** Who finds so many of the same kind waiting is sent away. */
  readonly longestQueue: number;
  readonly patienceMs: number;
}

export interface FairGate {
  /**
   * @returns what gives the place back
   * @throws ScimError 503 when there is none in time
   */
  enter(who: string, weight: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  readonly weight: number;
  admit(): void;
}

interface TenantQueue {
  inside: number;
  readonly queue: Waiter[];
}

/** Lets in as much as there is room for, in turns by who it is: however many of one wait, the first of another is next. */
export function createFairGate({ capacity, share, longestQueue, patienceMs }: FairGateOptions): FairGate {
  /** In the order of their turns. */
  const tenants = new Map<string, TenantQueue>();
  let inside = 0;

  function admitNext(): void {
    // Who has the least inside comes first, then who has waited for a turn the longest.
    for (const [who, tenant] of [...tenants].toSorted(([, a], [, b]) => a.inside - b.inside)) {
      const [first] = tenant.queue;
      if (first === undefined || tenant.inside + first.weight > share || inside + first.weight > capacity) continue;
      tenant.queue.shift();
      tenant.inside += first.weight;
      inside += first.weight;
      tenants.delete(who);
      tenants.set(who, tenant);
      first.admit();
      admitNext();
      return;
    }
  }

  function leave(who: string, tenant: TenantQueue, weight: number): void {
    tenant.inside -= weight;
    inside -= weight;
    if (tenant.inside === 0 && tenant.queue.length === 0) tenants.delete(who);
    admitNext();
  }

  return {
    enter(who, weight, signal) {
      const tenant = tenants.get(who) ?? { inside: 0, queue: [] };
      tenants.set(who, tenant);
      return new Promise((resolve, reject) => {
        let isLeft = false;
        const giveUp = (): void => {
          const at = tenant.queue.indexOf(waiter);
          if (at < 0) return;
          tenant.queue.splice(at, 1);
          stopWaiting();
          if (tenant.inside === 0 && tenant.queue.length === 0) tenants.delete(who);
          reject(describeFull());
        };
        const timer = setTimeout(giveUp, patienceMs);
        const stopWaiting = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
        };
        const waiter: Waiter = {
          weight,
          admit() {
            stopWaiting();
            resolve(() => {
              if (isLeft) return;
              isLeft = true;
              leave(who, tenant, weight);
            });
          },
        };
        tenant.queue.push(waiter);
        if (tenant.queue.length > longestQueue || signal.aborted) return giveUp();
        signal.addEventListener('abort', giveUp, { once: true });
        admitNext();
      });
    },
  };
}

function describeFull(): ScimError {
  return new ScimError(503, 'Too many requests of this tenant are under way. Try again.');
}
