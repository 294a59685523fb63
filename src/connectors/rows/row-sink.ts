import { SyncError } from '../../errors.js';
import { formatPlace } from '../../model/place.js';
import type { ReadEvidence, RejectedRow, SourceRecord } from '../../model/source.js';
import type { TakeBatch } from '../connector.js';

const BATCH_ROWS = 1_000;
/** Rows may be as long as they like: so much of a file is held at most. */
const BATCH_BYTES = 2 * 1024 * 1024;
/**
 * So many rejected rows of a read are told one by one, of all others only how many there are. It is more than anybody's
 * absence can be told from (docs/decisions/0005).
 */
const TOLD_REJECTS = 21_000;

/** Unless the source has a share of its own: more rows that cannot be used than both are no row's fault but the file's. */
const MOST_DAMAGED = 1_000;
const DAMAGED_SHARE = 0.05;

/** Gathers rows into batches and keeps the counts that the evidence of a read rests on. */
export interface RowSink {
  accept(record: SourceRecord): void;
  /** @param times how many rows there are of which the same is to be told */
  reject(row: RejectedRow, times?: number): void;
  /** So many bytes were read since the last time. */
  noteBytes(bytes: number): void;
  /** Hands over what is left. */
  flush(): void;
  readonly counts: RowCounts;
}

export interface RowCounts {
  /** Records and rejected rows alike. */
  readonly rows: number;
  readonly rejected: number;
  /** Rejected rows whose key is unknown: their people cannot be distinguished from absent ones. */
  readonly keyless: number;
  /** Rejected rows by what is wrong with them. */
  readonly causes: ReadonlyMap<string, RejectCause>;
}

export interface RejectCause {
  readonly count: number;
  /** The first of them. */
  readonly example: RejectedRow;
  /** Those that were not told one by one, and the first of these. */
  readonly untold: number;
  readonly firstUntold: RejectedRow | null;
}

export function buildRowSink(take: TakeBatch): RowSink {
  let records: SourceRecord[] = [];
  let rejected: RejectedRow[] = [];
  let bytes = 0;
  const causes = new Map<string, { -readonly [K in keyof RejectCause]: RejectCause[K] }>();
  const counts = { rows: 0, rejected: 0, keyless: 0, causes };
  function hand(): void {
    bytes = 0;
    if (records.length + rejected.length === 0) return;
    take({ records, rejected });
    records = [];
    rejected = [];
  }
  function countCause(row: RejectedRow, times: number): void {
    const cause = causes.get(row.code) ?? { count: 0, example: { ...row, raw: [] }, untold: 0, firstUntold: null };
    causes.set(row.code, cause);
    cause.count += times;
    const untold = Math.min(times, Math.max(0, counts.rejected - TOLD_REJECTS));
    if (untold === 0) return;
    cause.untold += untold;
    cause.firstUntold ??= { ...row, raw: [] };
  }
  return {
    counts,
    noteBytes: (more) => {
      bytes += more;
      if (bytes >= BATCH_BYTES) hand();
    },
    flush: () => {
      hand();
      for (const [code, cause] of causes) {
        const { untold, firstUntold } = cause;
        Object.assign(cause, { untold: 0, firstUntold: null });
        if (firstUntold !== null) take({ records: [], rejected: [tellUntold(firstUntold, code, untold)] });
      }
    },
    accept: (record) => {
      counts.rows++;
      if (records.push(record) + rejected.length >= BATCH_ROWS) hand();
    },
    reject: (row, times = 1) => {
      counts.rows += times;
      counts.rejected += times;
      if (row.key === null) counts.keyless += times;
      countCause(row, times);
      if (counts.rejected - times >= TOLD_REJECTS) return;
      if (rejected.push(row) + records.length >= BATCH_ROWS) hand();
    },
  };
}

/** Represents all rows that are not listed: it is unknown whom they name. */
function tellUntold(first: RejectedRow, code: string, untold: number): RejectedRow {
  const { place, remedy } = first;
  const reason = `${formatPlace(place)}: this row and ${untold - 1} others cannot be used (${code}), and are not listed one by one.`;
  return { key: null, place, code, reason, remedy, raw: [] };
}

/** @throws SyncError SYNC_SOURCE_DAMAGED when so many rows cannot be read that the others prove nothing either */
export function refuseDamaged({ rows, rejected, causes }: RowCounts, at: string): void {
  if (rejected <= Math.max(MOST_DAMAGED, rows * DAMAGED_SHARE)) return;
  const told = [...causes].map(([code, { count, example }]) => `${count} × ${code}, the first: ${example.reason}`);
  throw new SyncError('SYNC_SOURCE_DAMAGED', {
    message: `${rejected} of ${rows} rows cannot be read, more than ${MOST_DAMAGED} and more than ${DAMAGED_SHARE * 100} %: ${told.join(' ')}`,
    place: at,
    remedy:
      'Have it exported again: so many rows are not wrong by themselves. If they are known to be, `max_bad_rows` on the source says how many may be.',
  });
}

/** The one rule of completeness, for every kind of source; null means complete. `because` is what the reader itself found wrong. */
export function judgeCompleteness(counts: RowCounts, because: string | null, mayBeEmpty = false): string | null {
  if (because !== null) return because;
  if (counts.rows === 0 && !mayBeEmpty) return 'no rows';
  if (counts.keyless > 0) return `${counts.keyless} of ${counts.rows} rows have no key that can be trusted`;
  return null;
}

/** What the read of a system that was asked now amounts to. */
export function buildLiveEvidence(
  read: Pick<ReadEvidence, 'source' | 'at' | 'readAt' | 'digest'>,
  counts: RowCounts,
  because: string | null,
  isPartial: boolean,
): ReadEvidence {
  refuseDamaged(counts, read.at);
  const { rows, rejected } = counts;
  const doubt =
    because === null ? {} : { incompleteBecause: because, ...(isPartial ? { partial: true as const } : {}) };
  return { ...read, delivery: read.readAt, kind: 'live', rows, rejected, complete: because === null, ...doubt };
}
