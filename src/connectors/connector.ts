import type { Clock } from '../base/clock.js';
import type { Fence } from '../base/fence.js';
import type { Sockets } from '../base/http/sockets.js';
import type { Way } from '../base/http/way.js';
import type { Json } from '../model/json.js';
import type { ReadEvidence, RecordBatch, ReplacedContent, StandingRows } from '../model/source.js';
import type { HostPace } from './http/pace.js';

/** Receives each batch once it is read. A batch holds a few hundred rows, so that memory stays flat. */
export type TakeBatch = (batch: RecordBatch) => void;

/**
 * One readable stream of an outside system: the HR drop, the identity provider's users, the CRM's deals. A connector reads rows, types
 * cells by the declared columns, and reports how reliable the read is. It never decides what a row means.
 */
export interface Connector {
  /** Name in the configuration: `hr`, `idp`, `crm.companies`. */
  readonly name: string;
  /** True if a complete read may have no rows. */
  readonly mayBeEmpty?: boolean;
  /**
   * Reads everything once. Records that cannot be used come as `rejected` rows. Duplicate keys are delivered unchanged: the mapping
   * chooses among them.
   *
   * @param standing rows that need not be read again, for connectors that recognise a row by its content; null reads everything
   * @throws SyncError of kind `unsafe` or `transient` if the source cannot be used (no file, wrong header, 401, down)
   */
  read(take: TakeBatch, signal?: AbortSignal, standing?: StandingRows | null): Promise<ReadEvidence>;
  /**
   * Puts away what is no longer needed, once a run has used the result of `read`. Never called for a dry run.
   *
   * @throws SyncError SYNC_SOURCE_UNWRITABLE
   */
  settle?(evidence: ReadEvidence, signal?: AbortSignal): Promise<void>;
  /** For `check`: verifies as much as a read can without taking anything. Throws like `read`. */
  probe(signal?: AbortSignal): Promise<SourceProbe>;
  close(): Promise<void>;
}

export interface SourceProbe {
  readonly at: string;
  readonly detail: string;
  /** Why a missing record does not prove an absence, or which truncation would go unnoticed. */
  readonly unproven?: string;
}

/**
 * Rows that earlier reads of a stream brought, for connectors that ask only for changes. They are only a copy: if the mirror is lost,
 * everything is read again.
 */
export interface KnownRows {
  /** A row replaces an earlier one of the same id, even a deleted one. */
  keep(rows: readonly KnownRow[], seen: number): void;
  /** Marks these ids as deleted in the source. */
  bury(ids: readonly string[]): void;
  /** The last row of an id; null if there is none, or if only its id is kept. */
  find(id: string): Json;
  /** The rows that exist, in the order of their ids. */
  each(): Iterable<KnownRow>;
  /** Records deleted since they were last seen. */
  gone(): Iterable<{ readonly id: string; readonly key: string }>;
  /** Rows that the complete read numbered `seen` did not contain; at most `limit`. */
  unseen(seen: number, limit: number): readonly KnownRow[];
  /** Forgets rows that the complete read numbered `seen` did not contain, except those set aside or known to be deleted. */
  forgetUnseen(seen: number): void;
  /** Keeps the ids of rows that read `seen` did not contain, for `unseen` of the next read. */
  setAside(seen: number): void;
  forget(ids: readonly string[]): void;
  /** The id of a row that the complete read numbered `seen` contained; null if it contained none. */
  shown(seen: number): string | null;
  count(): number;
  mark(name: string): string | null;
  setMark(name: string, value: string): void;
}

/** Which columns the records of a stream had filled when a run last used them. */
export interface FilledMemory {
  /** The columns, in the order of the signs; null before the first run. */
  columns(): readonly string[] | null;
  /** Each key with one sign per column. */
  each(): Iterable<readonly [string, string]>;
  /**
   * @param signs of records whose signs have changed
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
  /** Number of rows in the source's last delivery that a run completed with; null before the first. */
  rowsBefore(source: string): number | null;
  /**
   * Number of rows in the smaller delivery that someone approved, until a run completes: a real cut is asked about once. 0 if planning
   * compares the people themselves; null if no cut was approved.
   */
  rowsAfterCut(source: string): number | null;
  /** @param hold name of the hold, such as `sources.hr.shrink:3f2a9c…` */
  isApproved(hold: string): boolean;
  /**
   * True if an earlier run used this delivery.
   *
   * @param delivery `name|size|mtimeMs`
   * @param digest of the content, if that must match too
   */
  isTaken(source: string, delivery: string, digest?: string): boolean;
  /** Describes content that was used and has been replaced since; null if it is new or the latest. */
  replacedContent(source: string, digest: string): ReplacedContent | null;
  /** Remembers a file's state across runs. Returns when it was first seen in this state, in milliseconds of our clock. */
  unchangedSince(source: string, name: string, print: string, nowMs: number): number;
  /** ISO 8601: the time since which every run has found this content; null if it is new. */
  sameSince(source: string, digest: string): string | null;
}

export interface ConnectorContext {
  /** Receives a sentence that names the file being waited for; null if runs do not wait, because the next one comes by itself. */
  readonly onUnsettled: ((message: string) => void) | null;
  readonly clock: Clock;
  /** @param stream name of the stream and of the question asked: another question starts again */
  readonly knownRows: (stream: string) => KnownRows;
  readonly filledColumns: (stream: string) => FilledMemory;
  /** Absolute path of a folder in the state folder, for files while they are being read. */
  readonly downloads: string;
  /** Limits parallel transfers to what servers can take. */
  readonly limitTransfers: <T>(work: () => Promise<T>) => Promise<T>;
  /** Keeps calls apart, whichever stream or writer makes them. */
  readonly pace: HostPace;
  readonly deliveries: DeliveryMemory;
  /** IANA zone of dates that specify none. */
  readonly timezone: string;
  /** True for streams that need not be asked, because only signals of other sources started the run. */
  readonly rests?: (stream: string) => boolean;
  /** Opens connections to one outside system. Passed in so that tests can replace it. */
  readonly openSockets: (way: Pick<Way, 'tls' | 'proxy'>) => Sockets;
  /** Checked before a file is changed, if the state is in PostgreSQL. */
  readonly fence?: Fence | null;
  /** If true, no other system is asked: streams deliver the rows that earlier reads kept, and only local files are read. */
  readonly isOffline?: boolean;
}
