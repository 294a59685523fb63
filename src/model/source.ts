import type { Place } from './place.js';
import type { RawRow } from './raw-text.js';

/** A typed cell: `bigint` for an `int` column, `number` for a `number` column. A date is midnight in the configured timezone. */
export type Cell =
  | string
  | bigint
  | number
  | boolean
  | Date
  | readonly CellItem[]
  | { readonly [key: string]: CellItem };
export type CellItem = Cell | null;

/** A typed row that a connector has read. An empty optional cell is absent. */
export interface SourceRecord {
  readonly key: string;
  readonly place: Place;
  readonly cells: Readonly<Record<string, Cell>>;
  /**
   * Digest of all data behind the record. Rows of one stream with the same digest have the same key and cells. Set if the
   * reader provides it.
   */
  readonly digest?: string;
  /** All cells of the row, including undeclared columns. Set if the reader provides them. */
  readonly raw?: RawRow;
  /** Cells from which the reader removed more than white space. */
  readonly noted?: readonly CellNote[];
}

/** `hidden`: invisible characters were removed. `nothing`: the cell was a word for nothing in a column of dates or numbers. */
export interface CellNote {
  readonly column: string;
  readonly kind: 'hidden' | 'nothing';
  /** The cell as written. */
  readonly text: string;
}

/**
 * A row that could not become a record. It is held, never dropped. `key` is null if even the key is unreliable. In that case,
 * the read cannot prove that anyone is absent.
 */
export interface RejectedRow {
  readonly key: string | null;
  readonly place: Place;
  /** A code from the catalogue in `errors.ts`. */
  readonly code: string;
  /** The value found and the expected one. */
  readonly reason: string;
  readonly remedy: string;
  /** The cells of the row. A person who is named in them is not absent (docs/engineering/decisions/0005). */
  readonly raw: RawRow;
  /**
   * Set on rows with too many or too few fields. The key is the text at the position of the key. It is usually right, but wrong
   * if the row is shifted or truncated.
   */
  readonly keyDoubtful?: true;
  /** The readable part, if the row has all its cells and its key is sound or missing. */
  readonly readable?: ReadableCells;
}

/** The readable cells of a row, and the columns that could not be read. */
export interface ReadableCells {
  readonly cells: SourceRecord['cells'];
  readonly bad: readonly string[];
}

/** A row that the source marks as deleted. This proves the deletion even if the read is incomplete. */
export interface GoneRow {
  readonly key: string;
  readonly place: Place;
}

/** A record that was merged into another record of the same source, which takes over its object. */
export interface MergedRow {
  readonly from: string;
  readonly into: string;
}

/** A row that has not changed since the last run. */
export interface StandingRow {
  /** The number of the row in `StandingRows`. */
  readonly row: number;
  readonly place: Place;
}

/** The stored result of an unchanged file: the number of standing rows, and all other rows. */
export interface StandingContent {
  /** Number of standing rows. */
  readonly rows: number;
  readonly records: readonly SourceRecord[];
  readonly rejected: readonly RejectedRow[];
}

/** Rows of a stream in the last run. Rows that have not changed need neither be read nor mapped again. */
export interface StandingRows {
  /** Returns the number of the row with that content, at most once per read; null if the row must be read. */
  find(digest: string): number | null;
  /** Size in bytes of the content that the last read used completely; null if some of its rows are not standing. */
  readonly contentSize: number | null;
  /**
   * The stored result of that content, if it is unchanged; else null.
   *
   * @param at the file it is in now
   */
  content(digest: string, at: string): StandingContent | null;
}

export interface RecordBatch {
  readonly records: readonly SourceRecord[];
  readonly rejected: readonly RejectedRow[];
  /** Standing rows. `allAt`: every row of the content is standing, at its place in this file. */
  readonly standing?: readonly StandingRow[] | { readonly allAt: string };
  /** Deleted rows, if the source reports them. A row that exists under the same key takes precedence. */
  readonly gone?: readonly GoneRow[];
  readonly merged?: readonly MergedRow[];
}

/** The result of reading one stream. Every statement about absence is based on it. */
export interface ReadEvidence {
  readonly source: string;
  /** Id of the delivery: name, size and modification time of a file, or the start of the read for a live source. */
  readonly delivery: string;
  /** `drop`: a file that was delivered. `live`: a system that was queried. */
  readonly kind: 'drop' | 'live';
  readonly at: string;
  /** ISO 8601: the start of the read. */
  readonly readAt: string;
  /** Number of rows that were read, including rejected ones. */
  readonly rows: number;
  readonly rejected: number;
  /** True only if it is known that every row of the source was read. */
  readonly complete: boolean;
  /** Why `complete` is false. */
  readonly incompleteBecause?: string;
  /** Set if the read requested changes only, or if the source pushes. Such a read is never complete, which is not an error. */
  readonly partial?: true;
  /** Set if the source ended the read, and nothing else proves that the read was complete. */
  readonly unproven?: true;
  /** Set if the read is incomplete only because of rows without a key. Staging decides whose rows they may be. */
  readonly keyless?: true;
  /** Set if a signal started the run instead of its schedule. */
  readonly signalled?: SignalledRead;
  /** SHA-256 (hex) of the content that was read. */
  readonly digest: string;
  /** True if the last line ended with a line end; absent if the content has no lines, or was not read again. */
  readonly lineEnds?: boolean;
  /** Size in bytes, if the content is one file. */
  readonly bytes?: number;
  /** Set if an earlier run used this delivery (name, size, time and content), so that it proves nothing new. */
  readonly takenBefore?: true;
  /** Set if the delivery was used before and a later one has replaced it since. */
  readonly replaced?: ReplacedContent;
  /**
   * Newer files that were not read, because they sort before the file that was read or their names only nearly match the
   * pattern.
   */
  readonly overlooked?: Overlooked;
  /** Files that were not read because their names are not UTF-8. */
  readonly unreadableNames?: UnreadableNames;
  /** Lines at the end of the files that describe the report and are not rows. */
  readonly footer?: ReportFooter;
  /** ISO 8601: the content has not changed since then, which is longer than expected for this source. */
  readonly staleSince?: string;
  /** Set if there are far fewer rows than `shrink` allows, because a person approved this reduction or an earlier one. */
  readonly cut?: 'approved' | 'later';
  /** Columns that have become empty in many records. */
  readonly emptied?: readonly EmptiedColumn[];
  /** Number of rows in the last complete read that was used, if this read has notably fewer. */
  readonly rowsBefore?: number;
  /** Set if this source decides who exists and too many people of earlier reads are missing. */
  readonly missing?: MissingPeople;
}

/** A read in a run that a signal started. Absences in it count only after enough time has passed. */
export interface SignalledRead {
  /** ISO 8601: the last read whose absences counted; null if there is none. */
  readonly countedAt: string | null;
}

/** Cells of one column that became empty within the last week. */
export interface EmptiedColumn {
  readonly column: string;
  /** Number of existing records that had a value. */
  readonly had: number;
  readonly emptied: number;
  /** SHA-256 (hex) of the affected records. A different set of records needs a new decision. */
  readonly digest: string;
}

/** People whom earlier reads of a source contained and who are now missing: more than on an ordinary day. */
export interface MissingPeople {
  /** Id for `holds ack`. It stays the same while people are missing since the same reads. */
  readonly id: string;
  /** `288 of the 300 people seen on 3 November have been missing since …` */
  readonly text: string;
  readonly count: number;
  /** Number of people in the last read before they were missing. */
  readonly seen: number;
  /** ISO 8601: time of that read; null if unknown. */
  readonly seenAt: string | null;
  /** The reads in which they were first missing. */
  readonly since: readonly { readonly at: string; readonly count: number }[];
  /** Set once a person has acknowledged it. Held changes still refer to it, but runs no longer report it. */
  readonly acknowledged?: true;
}

export interface ReportFooter {
  readonly lines: number;
  /** Place of the first line: file and line number. */
  readonly at: string;
}

export function describeFooter({ lines, at }: ReportFooter): string {
  return `${lines === 1 ? '1 line at the end is' : `${lines} lines at the end are`} a footer, not rows (${at})`;
}

/** Times are ISO 8601. */
export interface ReplacedContent {
  /** When the content was last used. */
  readonly usedAt: string;
  /** When other content replaced it. */
  readonly at: string;
  /** SHA-256 (hex) of the other content, if all reads since have found it. */
  readonly by?: string;
}

export interface Overlooked {
  /** The newest of the files. */
  readonly at: string;
  /** ISO 8601. */
  readonly arrivedAt: string;
  readonly files: number;
  /** The pattern that the names nearly match; absent if they match but sort before the file that was read. */
  readonly pattern?: string;
}

export interface UnreadableNames {
  /** The first names, with `\xff` for each invalid byte. */
  readonly names: readonly string[];
  readonly files: number;
}

/** The unreadable names of one source. */
export interface UnreadableNamesOf extends UnreadableNames {
  readonly source: string;
}

/** Lists the unreadable names of each source once. */
export function listUnreadableNames(reads: readonly ReadEvidence[]): readonly UnreadableNamesOf[] {
  const found = new Map<string, UnreadableNamesOf>();
  for (const { source, unreadableNames } of reads) {
    if (unreadableNames !== undefined) found.set(source, { source, ...unreadableNames });
  }
  return [...found.values()];
}

export function describeUnreadableNames({ names, files }: UnreadableNames): string {
  const more = files > names.length ? ` and ${files - names.length} more` : '';
  return `not read, as the name is not UTF-8: ${names.join(', ')}${more}`;
}

/** An overlooked file in the form that documents use. */
export interface OverlookedFile {
  readonly source: string;
  readonly in_use: string;
  readonly at: string;
  readonly arrived: string;
  readonly files: number;
  readonly pattern?: string;
}

/** Lists the overlooked files of each source once. */
export function listOverlooked(reads: readonly ReadEvidence[]): readonly OverlookedFile[] {
  const found = new Map<string, OverlookedFile>();
  for (const { source, at, overlooked } of reads) {
    if (overlooked === undefined) continue;
    const { arrivedAt, ...others } = overlooked;
    found.set(source, { source, in_use: at, arrived: arrivedAt, ...others });
  }
  return [...found.values()];
}

export function describeOverlooked({ at, arrivedAt, files, pattern }: Overlooked): string {
  const others = files === 1 ? '' : `, and ${files - 1} more`;
  const why =
    pattern === undefined
      ? 'sorts before the file that is read: see `newest`'
      : `does not match ${pattern}: widen \`pattern\` if it is a delivery`;
  return `${at} came later (${arrivedAt}${others}), but ${why}`;
}
