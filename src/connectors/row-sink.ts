import type { ReadEvidence, RejectedRow, SourceRecord } from '../model/source.js';
import type { TakeBatch } from './connector.js';

const BATCH_ROWS = 1_000;

/** Gathers rows into batches and keeps the counts that the evidence of a read rests on. */
export interface RowSink {
  accept(record: SourceRecord): void;
  reject(row: RejectedRow): void;
  /** Hands over what is left. */
  flush(): void;
  readonly counts: RowCounts;
}

export interface RowCounts {
  /** Records and rejected rows alike. */
  readonly rows: number;
  readonly rejected: number;
  /** Rejected rows whose key is unknown: whoever they were cannot be told from those who are absent. */
  readonly keyless: number;
}

export function buildRowSink(take: TakeBatch): RowSink {
  let records: SourceRecord[] = [];
  let rejected: RejectedRow[] = [];
  const counts = { rows: 0, rejected: 0, keyless: 0 };
  function flush(): void {
    if (records.length + rejected.length === 0) return;
    take({ records, rejected });
    records = [];
    rejected = [];
  }
  return {
    counts,
    flush,
    accept: (record) => {
      counts.rows++;
      if (records.push(record) + rejected.length >= BATCH_ROWS) flush();
    },
    reject: (row) => {
      counts.rows++;
      counts.rejected++;
      if (row.key === null) counts.keyless++;
      if (rejected.push(row) + records.length >= BATCH_ROWS) flush();
    },
  };
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
  { rows, rejected }: RowCounts,
  because: string | null,
  isPartial: boolean,
): ReadEvidence {
  const doubt =
    because === null ? {} : { incompleteBecause: because, ...(isPartial ? { partial: true as const } : {}) };
  return { ...read, delivery: read.readAt, kind: 'live', rows, rejected, complete: because === null, ...doubt };
}
