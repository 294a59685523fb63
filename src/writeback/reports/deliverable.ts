import type { Clock } from '../../base/clock.js';
import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import type { Delivered } from '../../model/delivery.js';
import type { ServiceFile } from '../../service/service-file.js';
import type { ServiceReader } from '../../service/talent-service.js';
import type { MirrorStore } from '../../store/mirror/mirror-store.js';

/** Dependencies for producing files: reads of the service, and the mirror's names of offices and tags. */
export interface DeliveryTools {
  readonly reader: ServiceReader;
  readonly mirror: MirrorStore;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** The service's own time in its newest answer, in milliseconds since the epoch; null if that answer had none. */
  readonly serviceTime: () => number | null;
  /** True if the run's budget has a call left. */
  mayCall(): boolean;
  /** Called for each request that asks if something is finished. */
  onPoll(): void;
}

/** The run may send no more calls. Its progress is stored, and the next run continues from there. */
export class BudgetSpent extends Error {}

/** Call it before each call that can be postponed. @throws BudgetSpent */
export function claimCall({ mayCall }: Pick<DeliveryTools, 'mayCall'>): void {
  if (!mayCall()) throw new BudgetSpent('the call budget is spent');
}

/** One file of the service that is begun, becomes ready, and is then fetched. */
export interface DeliverablePart {
  /** Hash of the request: a report already begun for the same request is reused. */
  readonly question: string;
  /** Returns the service's id for it, which stays valid after this process ends. */
  begin(): Promise<string>;
  /**
   * Waits until it is ready. May be called again if the download broke off. @throws ServiceError with 404 if it no
   * longer exists
   */
  fetch(ticket: string): Promise<ServiceFile>;
}

/**
 * Something delivered on a schedule. Spooling, writing, showing and remembering work the same for all kinds
 * (`deliver-one.ts`). The requests to the service are a row of `kinds.ts`.
 */
export interface Deliverable {
  /** Label for messages and the audit log: `cv technologies`. */
  readonly of: string;
  /** `one table`: the parts share a header and become one file. `a file each`: parts cannot be joined. */
  readonly joined: 'one table' | 'a file each';
  /** Returns the parts in the order of the file. @throws SyncError if the service lacks something that the configuration names */
  listParts(tools: DeliveryTools): Promise<readonly DeliverablePart[]>;
  /** Endpoint template → calls, estimated from the last delivery. */
  forecast(last: Pick<Delivered, 'parts' | 'polls'> | null): Readonly<Record<string, number>>;
}

export type DescribeDeliverable<T extends DeliveredReport = DeliveredReport> = (report: T) => Deliverable;
