import { SyncError } from '../../base/errors.js';
import { formatPlace } from '../../model/place.js';
import { plural } from '../../model/plural.js';
import type {
  ReadEvidence,
  RejectedRow,
  ReportFooter,
  SourceRecord,
  StandingRow,
  StandingRows,
} from '../../model/source.js';
import type { TakeBatch } from '../connector.js';
import type { ConnectorRow } from './records.js';

/**
 * The number of rows per batch. The garbage collector copies everything that lives as long as a batch; with 1,000 rows,
 * mapping takes 5 % more CPU time.
 */
const BATCH_ROWS = 250;
/** The number of bytes per batch, because rows may have any length. */
const BATCH_BYTES = 2 * 1024 * 1024;
/**
 * The number of rejected rows of a read that are listed individually; all others are only counted. If there are more,
 * absences do not count (docs/engineering/decisions/0005).
 */
const LISTED_REJECTS = 21_000;

/** The limits for sources without their own share. If more rows than both limits are bad, the entire file is at fault. */
const MOST_DAMAGED = 1_000;
const DAMAGED_SHARE = 0.05;

export interface RowCounts {
  /** The number of records and rejected rows together. */
  readonly rows: number;
  readonly rejected: number;
  /** The number of rejected rows with an unknown key. Their people cannot be distinguished from absent people. */
  readonly keyless: number;
  /** The rejected rows by their code. */
  readonly causes: ReadonlyMap<string, Readonly<RejectCause>>;
}

interface RejectCause {
  count: number;
  /** The first rejected row with this cause. */
  readonly example: RejectedRow;
  /** The number of rows that were not listed individually, and the first such row. */
  untold: number;
  firstUntold: RejectedRow | null;
}

/** Collects rows into batches and keeps the counts for the evidence of a read. */
export class RowSink {
  readonly counts = { rows: 0, rejected: 0, keyless: 0, causes: new Map<string, RejectCause>() };
  /** The lines left out at the end of the files; null for none. */
  footer: ReportFooter | null = null;
  /** True if every file ended with a line end; null if the format has no lines, or nothing was read. */
  lineEnds: boolean | null = null;
  private records: SourceRecord[] = [];
  private rejected: RejectedRow[] = [];
  private rowsStanding: StandingRow[] = [];
  private bytes = 0;

  /** @param standing rows that need not be read again; null to read everything */
  constructor(
    private readonly take: TakeBatch,
    readonly standing: StandingRows | null = null,
  ) {}

  add(row: ConnectorRow): void {
    if ('rejected' in row) {
      this.reject(row.rejected);
      return;
    }
    this.counts.rows++;
    this.records.push(row.record);
    this.handOverWhenFull();
  }

  addStanding(row: StandingRow): void {
    this.counts.rows++;
    this.rowsStanding.push(row);
    this.handOverWhenFull();
  }

  /** Takes the rows of content that has not changed since the last read; false if the content differs. */
  addContent(digest: string, at: string): boolean {
    const content = this.standing?.content(digest, at) ?? null;
    if (content === null) return false;
    this.counts.rows += content.rows;
    this.take({ records: [], rejected: [], standing: { allAt: at } });
    for (const record of content.records) this.add({ record: { ...record, place: { ...record.place, at } } });
    for (const row of content.rejected) this.reject(row);
    return true;
  }

  /** @param times the number of rows that this row represents */
  reject(row: RejectedRow, times = 1): void {
    this.counts.rows += times;
    this.counts.rejected += times;
    if (row.key === null) this.counts.keyless += times;
    this.countCause(row, times);
    if (this.counts.rejected - times >= LISTED_REJECTS) return;
    this.rejected.push(row);
    this.handOverWhenFull();
  }

  /** @param at the place of the first line of the footer */
  noteFooter(lines: number, at: string): void {
    this.footer = { lines: lines + (this.footer?.lines ?? 0), at: this.footer?.at ?? at };
  }

  noteLineEnd(isEnded: boolean): void {
    this.lineEnds = this.lineEnds !== false && isEnded;
  }

  /** Counts the bytes read since the last call. */
  noteBytes(more: number): void {
    this.bytes += more;
    if (this.bytes >= BATCH_BYTES) this.handOver();
  }

  /** Delivers the remaining rows. */
  flush(): void {
    this.handOver();
    for (const [code, cause] of this.counts.causes) {
      const { untold, firstUntold } = cause;
      Object.assign(cause, { untold: 0, firstUntold: null });
      if (firstUntold !== null) this.take({ records: [], rejected: [describeUnlisted(firstUntold, code, untold)] });
    }
  }

  private handOverWhenFull(): void {
    if (this.records.length + this.rejected.length + this.rowsStanding.length >= BATCH_ROWS) this.handOver();
  }

  private handOver(): void {
    const { records, rejected, rowsStanding: standing } = this;
    this.bytes = 0;
    if (records.length + rejected.length + standing.length === 0) return;
    this.take({ records, rejected, ...(standing.length === 0 ? {} : { standing }) });
    this.records = [];
    this.rejected = [];
    this.rowsStanding = [];
  }

  private countCause(row: RejectedRow, times: number): void {
    const { causes, rejected } = this.counts;
    const cause = causes.get(row.code) ?? { count: 0, example: { ...row, raw: [] }, untold: 0, firstUntold: null };
    causes.set(row.code, cause);
    cause.count += times;
    const untold = Math.min(times, Math.max(0, rejected - LISTED_REJECTS));
    if (untold === 0) return;
    cause.untold += untold;
    cause.firstUntold ??= { ...row, raw: [] };
  }
}

/** Returns one row that represents all unlisted rows. The people in these rows are unknown. */
function describeUnlisted(first: RejectedRow, code: string, untold: number): RejectedRow {
  const { place, remedy } = first;
  const reason = `${formatPlace(place)}: this row and ${plural(untold - 1, 'other')} cannot be used (${code}), and are not listed individually.`;
  return { key: null, place, code, reason, remedy, raw: [] };
}

/** @throws SyncError SYNC_SOURCE_DAMAGED if too many rows cannot be read, so that the other rows prove nothing */
export function refuseDamaged({ rows, rejected, causes }: RowCounts, at: string): void {
  if (rejected <= Math.max(MOST_DAMAGED, rows * DAMAGED_SHARE)) return;
  const told = [...causes].map(([code, { count, example }]) => `${count} × ${code}, the first: ${example.reason}`);
  throw new SyncError('SYNC_SOURCE_DAMAGED', {
    message: `${rejected} of ${rows} rows cannot be read, more than ${MOST_DAMAGED} and more than ${DAMAGED_SHARE * 100} %: ${told.join(' ')}`,
    place: at,
    remedy:
      'Have the file exported again; a large number of bad rows usually has one cause. If they are expected, allow them with `max_bad_rows` on the source.',
  });
}

/**
 * The single rule for completeness, for every kind of source. Returns null for a complete read. `because` is a fault
 * that the reader found.
 */
export function judgeCompleteness(counts: RowCounts, because: string | null, mayBeEmpty = false): string | null {
  if (because !== null) return because;
  if (counts.rows === 0 && !mayBeEmpty) return 'no rows';
  if (counts.keyless > 0)
    return `${counts.keyless} of ${plural(counts.rows, 'row')} ${counts.keyless === 1 ? 'has' : 'have'} no key that can be trusted`;
  return null;
}

/**
 * True if only well-formed rows without a key keep a read from being complete. If such rows are half of the rows or
 * more, all keys are missing, not just the keys of a few people.
 */
export function isKeylessAlone({ rows, rejected, keyless, causes }: RowCounts, because: string | null): boolean {
  const isFew = keyless > 0 && rows - rejected > keyless;
  return because === null && isFew && causes.get('SYNC_ROW_KEY')?.count === keyless;
}

/** Builds the evidence of a live read. */
export function buildLiveEvidence(
  read: Pick<ReadEvidence, 'source' | 'at' | 'readAt' | 'digest'>,
  counts: RowCounts,
  because: string | null,
  kind: 'partial' | 'unproven' | 'keyless' | 'whole',
): ReadEvidence {
  refuseDamaged(counts, read.at);
  const { rows, rejected } = counts;
  const fault = kind === 'whole' ? {} : { [kind]: true as const };
  const doubt = because === null ? {} : { incompleteBecause: because, ...fault };
  return { ...read, delivery: read.readAt, kind: 'live', rows, rejected, complete: because === null, ...doubt };
}
