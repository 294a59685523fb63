import type { Clock } from '../base/clock.js';
import type { Fence } from '../base/fence.js';
import type { Sockets } from '../base/http/sockets.js';
import type { Way } from '../base/http/way.js';
import type { Json } from '../model/json.js';
import type { ReadEvidence, RecordBatch, ReplacedContent, StandingRows } from '../model/source.js';
import type { HostPace } from './http/pace.js';

/** Receives batches as they are read; a batch holds some hundred rows, so that memory stays flat. */
export type TakeBatch = (batch: RecordBatch) => void;

/**
 * One readable stream of one outside system: the HR drop, the identity provider's users, the CRM's deals.
 * A connector never decides what a row means; it reads, types cells by the declared columns, and says how sure it is.
 */
export interface Connector {
  /** Name in the configuration: `hr`, `idp`, `crm.companies`. */
  readonly name: string;
  /** A whole read may have no rows: that is no fault of it. */
  readonly mayBeEmpty?: boolean;
  /**
   * Reads everything once. Records that cannot be used come as `rejected` rows. Duplicate keys are delivered as they are:
   * choosing among them is mapping's work.
   *
   * @param standing what need not be read again, for connectors that know a row by its content; null: everything is read
   * @throws SyncError of kind `unsafe` or `transient` when the source as a whole cannot be used (no file, wrong header, 401, down).
   */
  read(take: TakeBatch, signal?: AbortSignal, standing?: StandingRows | null): Promise<ReadEvidence>;
  /**
   * After a run has used what `read` brought: puts away what is not needed any more. Never called for a dry run.
   *
   * @throws SyncError SYNC_SOURCE_UNWRITABLE
   */
  settle?(evidence: ReadEvidence, signal?: AbortSignal): Promise<void>;
  /** What `check` shows: proves as much as reading can prove without taking anything. Throws as `read` does. */
  probe(signal?: AbortSignal): Promise<SourceProbe>;
  close(): Promise<void>;
}

export interface SourceProbe {
  readonly at: string;
  readonly detail: string;
  /** Why its list proves nobody's absence, or which cut nobody would see. */
  readonly unproven?: string;
}

/**
 * What earlier reads of a stream brought, for connectors that ask for changes alone. A copy only: it is lost with the mirror,
 * and then everything is read again.
 */
export interface KnownRows {
  /** A row replaces an earlier one of the same id, a deleted one too. */
  keep(rows: readonly KnownRow[], seen: number): void;
  /** Says of these ids that they are deleted in the source. */
  bury(ids: readonly string[]): void;
  /** The row of an id as it came last; null where there is none, or only its id is kept. */
  find(id: string): Json;
  /** Rows that are there, in the order of their ids. */
  each(): Iterable<KnownRow>;
  /** Records that were deleted since they were seen last. */
  gone(): Iterable<{ readonly id: string; readonly key: string }>;
  /** Rows that the whole read numbered `seen` did not see; at most `limit`. */
  unseen(seen: number, limit: number): readonly KnownRow[];
  /** Forgets the rows that the complete read numbered `seen` did not see, but neither those set aside nor what is known to be deleted. */
  forgetUnseen(seen: number): void;
  /** Keeps the ids of rows that read did not see, for `unseen` of the next one. */
  setAside(seen: number): void;
  forget(ids: readonly string[]): void;
  /** The id of a row that the complete read numbered `seen` saw; null if it saw none. */
  shown(seen: number): string | null;
  count(): number;
  mark(name: string): string | null;
  setMark(name: string, value: string): void;
}

/** Which columns the records of a stream had when a run used them last. */
export interface FilledMemory {
  /** The columns, in the order of the signs; null before the first run. */
  columns(): readonly string[] | null;
  /** Key → a sign for each column. */
  each(): Iterable<readonly [string, string]>;
  /**
   * @param signs of records that are not as they were noted
   * @param dropped keys that are forgotten
   */
  note(columns: readonly string[], signs: Iterable<readonly [string, string]>, dropped: Iterable<string>): void;
}

export interface KnownRow {
  readonly id: string;
  readonly key: string | null;
  /** As the source sent it; null where only the id is kept. */
  readonly body: Json;
}

/** What earlier runs and operators said of deliveries. */
export interface DeliveryMemory {
  /** Rows of the last delivery of a source in a run that went through; null before the first. */
  rowsBefore(source: string): number | null;
  /**
   * Rows of the delivery whose cut somebody has approved, until a run goes through: a real cut is asked about once. 0 where
   * planning compares the people themselves; null where no cut was approved.
   */
  rowsAfterCut(source: string): number | null;
  /** @param hold name of what waits, `sources.hr.shrink:3f2a9c…` */
  isApproved(hold: string): boolean;
  /**
   * Whether an earlier run has used that delivery.
   *
   * @param delivery `name|size|mtimeMs`
   * @param digest of the content, where that must be the same too
   */
  isTaken(source: string, delivery: string, digest?: string): boolean;
  /** A content that was used, and that another one has replaced since; null when it is new, or the last one. */
  replacedContent(source: string, digest: string): ReplacedContent | null;
  /** Remembers a look at a file, over runs. Answers when it was first seen as it is now, in milliseconds of our clock. */
  unchangedSince(source: string, name: string, print: string, nowMs: number): number;
  /** ISO 8601: since when every run has found this content; null when it is new. */
  sameSince(source: string, digest: string): string | null;
}

export interface ConnectorContext {
  /** Is told which file is waited for, in a sentence; null where nothing waits, as the next run comes by itself. */
  readonly onUnsettled: ((message: string) => void) | null;
  readonly clock: Clock;
  /** @param stream name of the stream, and of what is asked of it: another question starts again */
  readonly knownRows: (stream: string) => KnownRows;
  readonly filledColumns: (stream: string) => FilledMemory;
  /** Absolute path of a folder of the state, for files while they are read. */
  readonly downloads: string;
  /** Lets so many transfers run at once as servers bear. */
  readonly limitTransfers: <T>(work: () => Promise<T>) => Promise<T>;
  /** Keeps calls apart, whichever stream or writer makes them. */
  readonly pace: HostPace;
  readonly deliveries: DeliveryMemory;
  /** IANA zone of dates without one. */
  readonly timezone: string;
  /** Streams that need not be asked: signals of other sources alone started the run. */
  readonly rests?: (stream: string) => boolean;
  /** Connections to one outside system, by its way; an input, so that tests can put their own in its place. */
  readonly openSockets: (way: Pick<Way, 'tls' | 'proxy'>) => Sockets;
  /** Passed before a file is changed, where the state is in PostgreSQL. */
  readonly fence?: Fence | null;
  /** No other system is asked: streams deliver the rows that earlier reads kept, and files of this machine are read. */
  readonly isOffline?: boolean;
}
