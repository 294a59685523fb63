import type { Clock } from '../base/clock.js';
import type { Fence } from '../base/fence.js';
import type { Sockets } from '../base/http/sockets.js';
import type { Way } from '../base/http/way.js';
import type { Json } from '../model/json.js';
import type { ReadEvidence, RecordBatch, ReplacedContent, StandingRows } from '../model/source.js';
import type { HostPace } from './http/pace.js';

/** Receives each batch once it is read. A batch contains a few hundred rows, so that memory use stays constant. */
export type TakeBatch = (batch: RecordBatch) => void;

/**
 * One readable stream of an outside system: the HR drop, the identity provider's users, the CRM's deals. A connector
 * reads rows, converts cells to the types of the declared columns, and reports how reliable the read is. It does not
 * interpret the rows.
 */
export interface Connector {
  /** The name in the configuration, such as `hr`, `idp` or `crm.companies`. */
  readonly name: string;
  /** True if a complete read may have no rows. */
  readonly mayBeEmpty?: boolean;
  /**
   * Reads everything once. Unusable records are delivered as `rejected` rows. Duplicate keys are delivered unchanged,
   * and the mapping chooses among them.
   *
   * @param standing rows that need not be read again, for connectors that recognise a row by its content; null reads
   * everything
   * @throws SyncError of kind `unsafe` or `transient` if the source cannot be used (no file, wrong header, 401, down)
   */
  read(take: TakeBatch, signal?: AbortSignal, standing?: StandingRows | null): Promise<ReadEvidence>;
  /**
   * Archives or deletes used deliveries once a run has used the result of `read`. Never called for a dry run.
   *
   * @throws SyncError SYNC_SOURCE_UNWRITABLE
   */
  settle?(evidence: ReadEvidence, signal?: AbortSignal): Promise<void>;
  /** Verifies as much as a read can without using the records, for `check`. Throws like `read`. */
  probe(signal?: AbortSignal): Promise<SourceProbe>;
  close(): Promise<void>;
}

export interface SourceProbe {
  readonly at: string;
  readonly detail: string;
  /** The reason why a missing record does not prove an absence, or the truncation that would go unnoticed. */
  readonly unproven?: string;
}

/**
 * Rows from earlier reads of a stream, for connectors that ask only for changes. The rows are a copy; if the mirror is
 * lost, everything is read again.
 */
export interface KnownRows {
  /** Stores rows. A row replaces an earlier row with the same id, even a deleted one. */
  keep(rows: readonly KnownRow[], seen: number): void;
  /** Marks these ids as deleted in the source. */
  bury(ids: readonly string[]): void;
  /** Returns the last row with an id; null if there is none, or if only its id is kept. */
  find(id: string): Json;
  /** Iterates over the rows that exist, in the order of their ids. */
  each(): Iterable<KnownRow>;
  /** Iterates over the records that were deleted since they were last seen. */
  gone(): Iterable<{ readonly id: string; readonly key: string }>;
  /** Returns rows that the complete read number `seen` did not contain, at most `limit`. */
  unseen(seen: number, limit: number): readonly KnownRow[];
  /** Forgets rows that the complete read number `seen` did not contain, except rows that are set aside or known to be deleted. */
  forgetUnseen(seen: number): void;
  /** Keeps the ids of rows that read number `seen` did not contain, for `unseen` in the next read. */
  setAside(seen: number): void;
  forget(ids: readonly string[]): void;
  /** Returns the id of a row that the complete read number `seen` contained; null if it contained none. */
  shown(seen: number): string | null;
  count(): number;
  mark(name: string): string | null;
  setMark(name: string, value: string): void;
}

/** Remembers the columns that were not empty in the records of a stream when a run last used them. */
export interface FilledMemory {
  /** Returns the columns, in the order of the signs; null before the first run. */
  columns(): readonly string[] | null;
  /** Iterates over the keys, each with one sign per column. */
  each(): Iterable<readonly [string, string]>;
  /**
   * @param signs keys and signs of records with changed signs
   * @param dropped keys to forget
   */
  note(columns: readonly string[], signs: Iterable<readonly [string, string]>, dropped: Iterable<string>): void;
}

export interface KnownRow {
  readonly id: string;
  readonly key: string | null;
  /** The row as the source sent it; null if only its id is kept. */
  readonly body: Json;
}

/** Facts that earlier runs and operators recorded about deliveries. */
export interface DeliveryMemory {
  /** Returns the number of rows in the last delivery used by a completed run; null before the first run. */
  rowsBefore(source: string): number | null;
  /**
   * Returns the number of rows in the smaller delivery that someone approved, until a run completes. A real reduction is
   * thus asked about only once. Returns 0 if planning compares the people themselves, and null if no reduction was
   * approved.
   */
  rowsAfterCut(source: string): number | null;
  /** True if the last deliveries of lines ended with a line end; false if that is unknown, or no longer so. */
  endsLines(source: string): boolean;
  /** @param hold the name of the hold, such as `sources.hr.shrink:3f2a9c…` */
  isApproved(hold: string): boolean;
  /**
   * True if an earlier run used this delivery.
   *
   * @param delivery `name|size|mtimeMs`
   * @param digest the digest of the content, if the content must match too
   */
  isTaken(source: string, delivery: string, digest?: string): boolean;
  /** Describes content that was used and has since been replaced; null if the content is new or the latest. */
  replacedContent(source: string, digest: string): ReplacedContent | null;
  /**
   * Remembers a file's state across runs. Returns the time when the file was first seen in this state, in milliseconds
   * of the local clock.
   */
  unchangedSince(source: string, name: string, print: string, nowMs: number): number;
  /** Returns the time since which every run has found this content, as ISO 8601; null if the content is new. */
  sameSince(source: string, digest: string): string | null;
}

export interface ConnectorContext {
  /**
   * Receives a sentence that names the file that the run waits for. null if runs do not wait, because the next run
   * starts automatically.
   */
  readonly onUnsettled: ((message: string) => void) | null;
  readonly clock: Clock;
  /** @param stream name of the stream and the question; a different question starts with an empty memory */
  readonly knownRows: (stream: string) => KnownRows;
  readonly filledColumns: (stream: string) => FilledMemory;
  /** The absolute path of a folder in the state folder, for files while they are being read. */
  readonly downloads: string;
  /** Limits the number of parallel transfers, because file servers accept only a few. */
  readonly limitTransfers: <T>(work: () => Promise<T>) => Promise<T>;
  /** Keeps calls to a host apart in time, across all streams and writers. */
  readonly pace: HostPace;
  readonly deliveries: DeliveryMemory;
  /** The IANA zone for dates without a zone. */
  readonly timezone: string;
  /** True for streams that need not be read, because only signals from other sources started the run. */
  readonly rests?: (stream: string) => boolean;
  /** Opens connections to one outside system. The function is passed in so that tests can replace it. */
  readonly openSockets: (way: Pick<Way, 'tls' | 'proxy'>) => Sockets;
  /** The fence to check before a file is changed, if the state is in PostgreSQL. */
  readonly fence?: Fence | null;
  /** If true, no other system is called. Streams deliver the rows kept from earlier reads, and only local files are read. */
  readonly isOffline?: boolean;
}
