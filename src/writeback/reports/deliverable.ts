import type { Clock } from '../../base/clock.js';
import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import type { Delivered } from '../../model/delivery.js';
import type { ServiceFile } from '../../service/service-file.js';
import type { ServiceReader } from '../../service/talent-service.js';
import type { MirrorStore } from '../../store/mirror/mirror-store.js';

/** What making files needs: reads of the service, and the mirror's names of offices and tags. */
export interface DeliveryTools {
  readonly reader: ServiceReader;
  readonly mirror: MirrorStore;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** The service's own time at its newest answer, if that had one; milliseconds since the epoch. */
  readonly serviceTime: () => number | null;
  /** Whether the run's budget has a call left. */
  mayCall(): boolean;
  /** Told of every asking whether something is finished. */
  onPoll(): void;
}

/** The run may send no more calls. What was begun is noted, and the next run goes on from there. */
export class BudgetSpent extends Error {}

/** Before each call that can be put off. @throws BudgetSpent */
export function claimCall({ mayCall }: Pick<DeliveryTools, 'mayCall'>): void {
  if (!mayCall()) throw new BudgetSpent('the call budget is spent');
}

/** One file of the service, which is begun, becomes ready, and is then fetched. */
export interface DeliverablePart {
  /** Hash of what is asked: what was begun for the same question is taken up again. */
  readonly question: string;
  /** Answers what the service calls it: that outlives this process. */
  begin(): Promise<string>;
  /** Waits until it is ready. May be called again when its file broke off. @throws ServiceError with 404 when it is gone */
  fetch(ticket: string): Promise<ServiceFile>;
}

/**
 * Something that is delivered by a schedule, whatever it is made of. How it is spooled, laid, shown and remembered is the same
 * for all kinds (`deliver-one.ts`); what it asks of the service is a row of `kinds.ts`.
 */
export interface Deliverable {
  /** For people and the audit: `cv technologies`. */
  readonly of: string;
  /** `one table`: the parts have one header in common and become one file. `a file each`: nothing can be joined. */
  readonly joined: 'one table' | 'a file each';
  /** In the order of the file. @throws SyncError when what the configuration names is not in the service */
  listParts(tools: DeliveryTools): Promise<readonly DeliverablePart[]>;
  /** Endpoint template → calls; it comes out as the last delivery did. */
  forecast(last: Pick<Delivered, 'parts' | 'polls'> | null): Readonly<Record<string, number>>;
}

export type DescribeDeliverable<T extends DeliveredReport = DeliveredReport> = (report: T) => Deliverable;
