import type { Place } from './place.js';
import type { RawRow } from './raw-text.js';

/** A typed cell: `bigint` for an `int` column, `number` for a `number` column. Dates are at midnight of the configured zone. */
export type Cell =
  | string
  | bigint
  | number
  | boolean
  | Date
  | readonly CellItem[]
  | { readonly [key: string]: CellItem };
export type CellItem = Cell | null;

/** A typed row that a connector has read. An empty optional cell has no key. */
export interface SourceRecord {
  readonly key: string;
  readonly place: Place;
  readonly cells: Readonly<Record<string, Cell>>;
  /**
   * Digest of everything it was read from: rows of one stream with the same digest have the same key and cells. Set if the
   * reader provides it.
   */
  readonly digest?: string;
  /** All cells of its row, including undeclared columns. Set if the reader provides it. */
  readonly raw?: RawRow;
  /** Cells from which more than white space was removed. */
  readonly noted?: readonly CellNote[];
}

/** `hidden`: invisible characters were removed. `nothing`: a word for nothing in a column of dates or numbers. */
export interface CellNote {
  readonly column: string;
  readonly kind: 'hidden' | 'nothing';
  /** The cell as written. */
  readonly text: string;
}

/**
 * A row that could not become a record. It is held, never dropped. `key` is null if not even the key is reliable: then the
 * read cannot prove anyone's absence.
 */
export interface RejectedRow {
  readonly key: string | null;
  readonly place: Place;
  /** A code of the catalogue in `errors.ts`. */
  readonly code: string;
  /** The value found and the expected one. */
  readonly reason: string;
  readonly remedy: string;
  /** The cells of the row: anyone named in it is not absent (docs/engineering/decisions/0005). */
  readonly raw: RawRow;
  /**
   * Set on rows with too many or too few fields. The key is the text in the key's place: usually right, but wrong if the row
   * is shifted or truncated.
   */
  readonly keyDoubtful?: true;
  /** The readable part, if the row has all its cells and its key is sound or missing. */
  readonly readable?: ReadableCells;
}

/** The readable cells of a row, and the columns whose cells are not. */
export interface ReadableCells {
  readonly cells: SourceRecord['cells'];
  readonly bad: readonly string[];
}

/** A row that the source marks as deleted: this proves it, even if the read is incomplete. */
export interface GoneRow {
  readonly key: string;
  readonly place: Place;
}

/** A record that was merged into another one of the same source: its object goes to that one. */
export interface MergedRow {
  readonly from: string;
  readonly into: string;
}

/** A row that is unchanged since the last run. */
export interface StandingRow {
  /** Its number, from `StandingRows`. */
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

/** Rows of a stream as of the last run: unchanged rows need neither be read nor mapped again. */
export interface StandingRows {
  /** The number of the row with that content, once per read; null if it must be read. */
  find(digest: string): number | null;
  /** Size in bytes of the content that the last read took completely; null if its rows are not all standing. */
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
  /** Standing rows. `allAt`: every row of the content stands, at its place in the file of that name. */
  readonly standing?: readonly StandingRow[] | { readonly allAt: string };
  /** Deleted rows, if the source reports them. An existing row with the same key takes precedence. */
  readonly gone?: readonly GoneRow[];
  readonly merged?: readonly MergedRow[];
}

/** The result of reading one stream: the proof behind every statement about absence. */
export interface ReadEvidence {
  readonly source: string;
  /** Identifies a delivery: name, size and modification time of a file; the start of the read for a live source. */
  readonly delivery: string;
  /** `drop`: a delivered file. `live`: a system queried now. */
  readonly kind: 'drop' | 'live';
  readonly at: string;
  /** ISO 8601: when the read began. */
  readonly readAt: string;
  /** Rows seen, including rejected ones. */
  readonly rows: number;
  readonly rejected: number;
  /** True only if every row of the source is known to have been seen. */
  readonly complete: boolean;
  /** The reason, if `complete` is false. */
  readonly incompleteBecause?: string;
  /** Only changes were requested, or the source pushes: it was never meant to be complete, which is not an error. */
  readonly partial?: true;
  /** The source ended the read itself, and nothing else proves that it was complete. */
  readonly unproven?: true;
  /** Only rows without a key make it incomplete: staging decides whose they may be. */
  readonly keyless?: true;
  /** A signal started the run, not its schedule. */
  readonly signalled?: SignalledRead;
  /** SHA-256 (hex) over the content as read. */
  readonly digest: string;
  /** Size in bytes, if the content is one file. */
  readonly bytes?: number;
  /** An earlier run has used this delivery (name, size, time and content): it proves nothing new. */
  readonly takenBefore?: true;
  /** Set if it was used before, and a later delivery had replaced it. */
  readonly replaced?: ReplacedContent;
  /** Newer files that were not read: they sort before the one that was read, or their names nearly match the pattern. */
  readonly overlooked?: Overlooked;
  /** Files that were not read because their names are not UTF-8. */
  readonly unreadableNames?: UnreadableNames;
  /** Lines at the end of its files that describe the report instead of being rows. */
  readonly footer?: ReportFooter;
  /** ISO 8601: the content has not changed since then, for longer than the source should take. */
  readonly staleSince?: string;
  /** Set if it has far fewer rows than `shrink` allows: a person approved this cut, or an earlier one before it. */
  readonly cut?: 'approved' | 'later';
  /** Columns that are now empty for many records that had a value. */
  readonly emptied?: readonly EmptiedColumn[];
  /** Rows of the last complete read that was used, if this one has notably fewer. */
  readonly rowsBefore?: number;
  /** Set if it decides who exists, and too many people of earlier reads are missing. */
  readonly missing?: MissingPeople;
}

/** A read in a run that a signal started: absences in it count only after enough time. */
export interface SignalledRead {
  /** ISO 8601: the last read that counted; null for none. */
  readonly countedAt: string | null;
}

/** Cells of one column that had a value within the last week. */
export interface EmptiedColumn {
  readonly column: string;
  /** Records that had a value and still exist. */
  readonly had: number;
  readonly emptied: number;
  /** SHA-256 (hex) of the records concerned: another set of records is another question. */
  readonly digest: string;
}

/** People whom a source showed before and no longer shows: too many for an ordinary day. */
export interface MissingPeople {
  /** Id for `holds ack`: the same while they are missing since the same reads. */
  readonly id: string;
  /** `288 of the 300 people seen on 3 November have been missing since …` */
  readonly text: string;
  readonly count: number;
  /** Number of people in the last read before they went missing. */
  readonly seen: number;
  /** ISO 8601: time of that read; null if unknown. */
  readonly seenAt: string | null;
  /** The reads in which they were first missing. */
  readonly since: readonly { readonly at: string; readonly count: number }[];
  /** Set once a person has acknowledged it: it still explains held changes, but runs no longer report it. */
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
  /** When it was last used. */
  readonly usedAt: string;
  /** When other content replaced it. */
  readonly at: string;
  /** SHA-256 (hex) of that other content, if all reads since have found it. */
  readonly by?: string;
}

export interface Overlooked {
  /** The latest file. */
  readonly at: string;
  /** ISO 8601. */
  readonly arrivedAt: string;
  readonly files: number;
  /** The pattern that their names nearly match; absent if they match it but sort too early. */
  readonly pattern?: string;
}

export interface UnreadableNames {
  /** The first names, with `\xff` for each byte that is not a character. */
  readonly names: readonly string[];
  readonly files: number;
}

/** The unreadable names of one source. */
export interface UnreadableNamesOf extends UnreadableNames {
  readonly source: string;
}

/** Lists each source once. */
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

/** An overlooked file as documents show it. */
export interface OverlookedFile {
  readonly source: string;
  readonly in_use: string;
  readonly at: string;
  readonly arrived: string;
  readonly files: number;
  readonly pattern?: string;
}

/** Lists each source once. */
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
