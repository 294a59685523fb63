import { ScimError } from '../../../connectors/scim-protocol/scim-error.js';

interface FairGateLimits {
  /** Maximum weight admitted at the same time, in total and per client. */
  readonly capacity: number;
  readonly share: number;
  /** A client with this many waiting requests is rejected. */
  readonly longestQueue: number;
  readonly patienceMs: number;
}

interface Waiter {
  readonly weight: number;
  admit(): void;
}

interface TenantQueue {
  inside: number;
  readonly queue: Waiter[];
}

/**
 * Admits as much as there is room for, in turns by client. No matter how many requests of one client wait, the first
 * request of another client is next.
 */
export class FairGate {
  /** Clients in the order of their turns. */
  private readonly tenants = new Map<string, TenantQueue>();
  private inside = 0;

  constructor(private readonly limits: FairGateLimits) {}

  /**
   * Waits for a place.
   *
   * @returns a function that releases the place
   * @throws ScimError 503 if no place becomes free in time
   */
  async enter(who: string, weight: number, signal: AbortSignal): Promise<() => void> {
    const tenant = this.tenants.get(who) ?? { inside: 0, queue: [] };
    this.tenants.set(who, tenant);
    await this.waitInLine(who, tenant, weight, signal);
    let isLeft = false;
    return () => {
      if (!isLeft) this.leave(who, tenant, weight);
      isLeft = true;
    };
  }

  private waitInLine(who: string, tenant: TenantQueue, weight: number, signal: AbortSignal): Promise<void> {
    const { queue } = tenant;
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      };
      const admit = (): void => {
        stopWaiting();
        resolve();
      };
      const waiter: Waiter = { weight, admit };
      const giveUp = (): void => {
        stopWaiting();
        queue.splice(queue.indexOf(waiter), 1);
        this.forgetIdle(who, tenant);
        reject(new ScimError(503, 'Too many requests of this tenant are in progress. Try again.'));
      };
      const timer = setTimeout(giveUp, this.limits.patienceMs);
      queue.push(waiter);
      if (queue.length > this.limits.longestQueue || signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      this.admitNext();
    });
  }

  private admitNext(): void {
    const { share, capacity } = this.limits;
    // The client with the least admitted weight comes first, then the client that has waited longest for a turn.
    for (const [who, tenant] of [...this.tenants].toSorted(([, a], [, b]) => a.inside - b.inside)) {
      const [first] = tenant.queue;
      if (first === undefined || tenant.inside + first.weight > share || this.inside + first.weight > capacity)
        continue;
      tenant.queue.shift();
      tenant.inside += first.weight;
      this.inside += first.weight;
      this.tenants.delete(who);
      this.tenants.set(who, tenant);
      first.admit();
      this.admitNext();
      return;
    }
  }

  private leave(who: string, tenant: TenantQueue, weight: number): void {
    tenant.inside -= weight;
    this.inside -= weight;
    this.forgetIdle(who, tenant);
    this.admitNext();
  }

  private forgetIdle(who: string, { inside, queue }: TenantQueue): void {
    if (inside === 0 && queue.length === 0) this.tenants.delete(who);
  }
}
