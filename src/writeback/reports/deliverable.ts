import type { Clock } from '../../base/clock.js';
import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import type { Delivered } from '../../model/delivery.js';
import type { ServiceFile } from '../../service/service-file.js';
import type { ServiceReader } from '../../service/talent-service.js';
import type { MirrorStore } from '../../store/mirror/mirror-store.js';

/** The dependencies for producing files: reads of the service, and names of offices and tags from the mirror. */
export interface DeliveryTools {
  readonly reader: ServiceReader;
  readonly mirror: MirrorStore;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** The service's own time in its newest answer, in milliseconds since the epoch; null if that answer had none. */
  readonly serviceTime: () => number | null;
  /** True if the call budget of the run is not spent. */
  mayCall(): boolean;
  /** Called for each request that asks if a file is finished. */
  onPoll(): void;
}

/** Thrown when the run may send no more calls. Its progress is stored, and the next run continues from there. */
export class BudgetSpent extends Error {}

/**
 * Call this function before each call that can be postponed.
 * @throws BudgetSpent
 */
export function claimCall({ mayCall }: Pick<DeliveryTools, 'mayCall'>): void {
  if (!mayCall()) throw new BudgetSpent('the call budget is spent');
}

/** One file that the service begins, completes, and then offers for download. */
export interface DeliverablePart {
  /** The hash of the request. A report that was already begun for the same request is reused. */
  readonly question: string;
  /** Begins the file and returns the service's id for it. The id stays valid after this process ends. */
  begin(): Promise<string>;
  /**
   * Waits until the file is ready, then fetches it. May be called again if the download broke off.
   * @throws ServiceError with 404 if the file no longer exists
   */
  fetch(ticket: string): Promise<ServiceFile>;
}

/**
 * A report delivered on a schedule. Writing, showing and remembering files are the same for all kinds
 * (`deliver-one.ts`). Each kind has a row in `kinds.ts` with its requests to the service.
 */
export interface Deliverable {
  /** The label for messages and the audit log, such as `cv technologies`. */
  readonly of: string;
  /** `one table`: the parts share a header and become one file. `a file each`: parts cannot be joined. */
  readonly joined: 'one table' | 'a file each';
  /**
   * Returns the parts in the order of the file.
   * @throws SyncError if the service lacks something that the configuration names
   */
  listParts(tools: DeliveryTools): Promise<readonly DeliverablePart[]>;
  /** Returns endpoint template → number of calls, estimated from the last delivery. */
  forecast(last: Pick<Delivered, 'parts' | 'polls'> | null): Readonly<Record<string, number>>;
}

export type DescribeDeliverable<T extends DeliveredReport = DeliveredReport> = (report: T) => Deliverable;
