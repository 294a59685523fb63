import type { SourceWrite, WriteOutcome } from '../model/write-back.js';

/** Names a delivery for good: the same one has the same name when it is made again after a crash. */
export interface WriteDelivery {
  /** Id of the run. */
  readonly run: string;
  /** Milliseconds: when the run began. */
  readonly atMs: number;
}

/**
 * Tells one stream of an outside system what its records are to hold. Setting a value is idempotent everywhere: a record
 * whose outcome is lost is written again by a later run, unless the source shows it.
 */
export interface SourceWriter {
  /** Name in the configuration: `hr`, `idp`, `crm.deals`. */
  readonly name: string;
  /** What so many records cost: `PATCH /Users/{id}` → calls, `file` → files. */
  forecast(records: number): Readonly<Record<string, number>>;
  /**
   * Writes record by record, call by call, or all as one file; they are walked once, and never gathered beyond one call's
   * worth. Every record with cells gets exactly one outcome, in any order, once it is known; one bad record stops no other.
   *
   * @throws SyncError when the source cannot be written to at all (down, 401, no such folder); records without an outcome were not tried.
   */
  write(
    writes: Iterable<SourceWrite>,
    delivery: WriteDelivery,
    onOutcome: (outcome: WriteOutcome) => void,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Whether an earlier delivery, whose outcome was never noted, arrived; null where that is unknown. */
  wasDelivered?(delivery: WriteDelivery, signal?: AbortSignal): Promise<boolean | null>;
  /** What `check` shows: proves as much as can be proved without writing. */
  probe(signal?: AbortSignal): Promise<{ readonly at: string; readonly detail: string }>;
  close(): Promise<void>;
}
