import type { SourceWrite, WriteOutcome } from '../model/write-back.js';

/** The data that names a delivery. A repetition after a crash gets the same name. */
export interface WriteDelivery {
  readonly run: string;
  /** The time when the run began, in milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * Writes values to the records of one stream of an outside system. Setting a value is always idempotent. If an outcome
 * is lost, a later run writes the record again, unless the source shows the value.
 */
export interface SourceWriter {
  /** The name in the configuration, such as `hr`, `idp` or `crm.deals`. */
  readonly name: string;
  /** Returns the cost of writing a number of records: `PATCH /Users/{id}` → calls, `file` → files. */
  forecast(records: number): Readonly<Record<string, number>>;
  /**
   * Writes one or several records per call, or all records as one file. It iterates over the records once and holds no
   * more of them in memory than one call needs. Every record with cells gets exactly one outcome, in any order, as soon
   * as the outcome is known. One bad record does not stop the others.
   *
   * @throws SyncError if the source cannot be written to at all (down, 401, no such folder); records without an outcome
   * were not attempted
   */
  write(
    writes: Iterable<SourceWrite>,
    delivery: WriteDelivery,
    onOutcome: (outcome: WriteOutcome) => void,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Returns true if an earlier delivery without a recorded outcome has arrived; null if this is unknown. */
  wasDelivered?(delivery: WriteDelivery, signal?: AbortSignal): Promise<boolean | null>;
  /** Verifies as much as possible without writing, for `check`. */
  probe(signal?: AbortSignal): Promise<{ readonly at: string; readonly detail: string }>;
  close(): Promise<void>;
}
