import type { Clock } from '../clock.js';
import type { ReadEvidence, RecordBatch } from '../model/source.js';

/** Receives batches as they are read; a batch holds at most about 1,000 rows so that memory stays flat. */
export type TakeBatch = (batch: RecordBatch) => void;

/**
 * One readable stream of one outside system: the HR drop, the identity provider's users, the CRM's deals.
 * A connector never decides what a row means; it reads, types cells by the declared columns, and says how sure it is.
 */
export interface Connector {
  /** Name in the configuration: `hr`, `idp`, `crm.companies`. */
  readonly name: string;
  /**
   * Reads everything once. Records that cannot be used come as `rejected` rows. Duplicate keys are delivered as they are:
   * choosing among them is mapping's work.
   *
   * @throws SyncError of kind `unsafe` or `transient` when the source as a whole cannot be used (no file, wrong header, 401, down).
   */
  read(take: TakeBatch, signal?: AbortSignal): Promise<ReadEvidence>;
  /** What `check` shows: proves as much as reading can prove without taking anything. Throws as `read` does. */
  probe(signal?: AbortSignal): Promise<{ readonly at: string; readonly detail: string }>;
  close(): Promise<void>;
}

export interface ConnectorContext {
  readonly clock: Clock;
  /** IANA zone of dates without one. */
  readonly timezone: string;
  /** Late-bound `globalThis.fetch` by default, so that tests can put their own in its place. */
  readonly fetch: typeof globalThis.fetch;
}
