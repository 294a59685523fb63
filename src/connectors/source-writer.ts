import type { SourceWrite, WriteOutcome } from '../model/write-back.js';

/** Names a delivery permanently: it has the same name when it is repeated after a crash. */
export interface WriteDelivery {
  readonly run: string;
  /** When the run began, in milliseconds. */
  readonly atMs: number;
}

/**
 * Writes values to the records of one stream of an outside system. Setting a value is idempotent everywhere: if an outcome is lost, a
 * later run writes the record again, unless the source shows the value.
 */
export interface SourceWriter {
  /** Name in the configuration: `hr`, `idp`, `crm.deals`. */
  readonly name: string;
  /** The cost of this many records: `PATCH /Users/{id}` → calls, `file` → files. */
  forecast(records: number): Readonly<Record<string, number>>;
  /**
   * Writes one record or several per call, or all as one file. It iterates over the records once, and holds no more of them than one
   * call needs. Every record with cells gets exactly one outcome, in any order, once it is known. One bad record does not stop others.
   *
   * @throws SyncError if the source cannot be written to at all (down, 401, no such folder); records without an outcome were not
   * attempted
   */
  write(
    writes: Iterable<SourceWrite>,
    delivery: WriteDelivery,
    onOutcome: (outcome: WriteOutcome) => void,
    signal?: AbortSignal,
  ): Promise<void>;
  /** True if an earlier delivery without a recorded outcome arrived; null if that is unknown. */
  wasDelivered?(delivery: WriteDelivery, signal?: AbortSignal): Promise<boolean | null>;
  /** For `check`: verifies as much as possible without writing. */
  probe(signal?: AbortSignal): Promise<{ readonly at: string; readonly detail: string }>;
  close(): Promise<void>;
}
