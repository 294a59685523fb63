import type { Place } from './place.js';
import type { RawRow } from './raw-text.js';

/** A typed cell. `bigint` is an `int` column, `number` a `number` column; dates are at midnight of the configured zone. */
export type Cell =
  | string
  | bigint
  | number
  | boolean
  | Date
  | readonly CellItem[]
  | { readonly [key: string]: CellItem };
export type CellItem = Cell | null;

/** A row a connector read, already typed. An empty optional cell is absent: the key is not there. */
export interface SourceRecord {
  readonly key: string;
  readonly place: Place;
  readonly cells: Readonly<Record<string, Cell>>;
  /** Of all it was read from: rows of one stream with the same digest have the same key and cells. Where a reader has it. */
  readonly digest?: string;
  /** What is in its row, columns that are not declared too. Where a reader has it. */
  readonly raw?: RawRow;
  /** Cells of which more was left out than white space. */
  readonly noted?: readonly CellNote[];
}

/** `hidden`: characters that nobody sees were removed. `nothing`: a word for nothing, in a column of dates or numbers. */
export interface CellNote {
  readonly column: string;
  readonly kind: 'hidden' | 'nothing';
  /** The cell as it is written. */
  readonly text: string;
}

/**
 * A row that could not become a record. It is held, never dropped.
 * `key` is null when not even the key could be trusted: then the read can prove nobody's absence.
 */
export interface RejectedRow {
  readonly key: string | null;
  readonly place: Place;
  /** A code of the catalogue in `errors.ts`. */
  readonly code: string;
  /** What was found and what was expected. */
  readonly reason: string;
  readonly remedy: string;
  /** What is in it: whom it names is not absent (docs/engineering/decisions/0005). */
  readonly raw: RawRow;
  /**
   * Set on rows with too many or too few fields: the key is the text in the key's place, usually right, but a shifted or cut
   * row may show another cell there.
   */
  readonly keyDoubtful?: true;
  /** What can be read of it, where it has all its cells, and its key is sound or there is none. */
  readonly readable?: ReadableCells;
}

/** The cells of a row that can be read, and the columns whose cells cannot. */
export interface ReadableCells {
  readonly cells: SourceRecord['cells'];
  readonly bad: readonly string[];
}

/** A row that says of itself that it was deleted in the source: proof by itself, whether or not the read is complete. */
export interface GoneRow {
  readonly key: string;
  readonly place: Place;
}

/** A record that people have merged into another one of the same source: what stood for it goes to that one. */
export interface MergedRow {
  readonly from: string;
  readonly into: string;
}

/** A row that was found as the last run had left it. */
export interface StandingRow {
  /** Its number, as `StandingRows` gave it. */
  readonly row: number;
  readonly place: Place;
}

/** What a content had besides rows that stand. */
export interface StandingContent {
  /** How many rows stand. */
  readonly rows: number;
  readonly records: readonly SourceRecord[];
  readonly rejected: readonly RejectedRow[];
}

/** Rows of a stream as the last run has left them: what is the same still need neither be read nor mapped. */
export interface StandingRows {
  /** The number of the row of that content, once in a read; null where it has to be read. */
  find(digest: string): number | null;
  /** Bytes of the content that the last read brought whole; null where its rows do not stand together. */
  readonly contentSize: number | null;
  /**
   * What that content had, if it is the same; null else.
   *
   * @param at the file it is in now
   */
  content(digest: string, at: string): StandingContent | null;
}

export interface RecordBatch {
  readonly records: readonly SourceRecord[];
  readonly rejected: readonly RejectedRow[];
  /** Rows that stand. `'all'`: every one of the content, at their places in the file of that name. */
  readonly standing?: readonly StandingRow[] | { readonly allAt: string };
  /** Deleted rows, where the source tells of them. A row of the same key that is there counts for more. */
  readonly gone?: readonly GoneRow[];
  readonly merged?: readonly MergedRow[];
}

/** What a whole read of one stream amounts to: the proof behind every statement about absence. */
export interface ReadEvidence {
  readonly source: string;
  /** Tells one delivery from another: for files name, size and modification time; for live sources the start of the read. */
  readonly delivery: string;
  /** `drop`: a delivered file. `live`: a system asked now. */
  readonly kind: 'drop' | 'live';
  readonly at: string;
  /** ISO 8601: when the read began. */
  readonly readAt: string;
  /** Rows seen, records and rejected ones alike. */
  readonly rows: number;
  readonly rejected: number;
  /** True only when every row of the source is known to have been seen. */
  readonly complete: boolean;
  /** Why not, when `complete` is false. */
  readonly incompleteBecause?: string;
  /** It was not meant to be complete: only changes were asked for, or the source pushes. That is no fault of it. */
  readonly partial?: true;
  /** It was read to where it ends by its own word, and nothing else shows that it does. */
  readonly unproven?: true;
  /** Only rows without a key keep it from being complete: whose they may be is for staging to see. */
  readonly keyless?: true;
  /** A signal started the run, not its schedule. */
  readonly signalled?: SignalledRead;
  /** SHA-256 (hex) over the content as read. */
  readonly digest: string;
  /** Of content that is bytes: how many, where they are one file. */
  readonly bytes?: number;
  /** A delivery (name, size, time and content) that an earlier run has used: it is no new proof of anything. */
  readonly takenBefore?: true;
  /** It was used before, and a later delivery had replaced it. */
  readonly replaced?: ReplacedContent;
  /** Newer files that were not read: they sort before the one that was, or their names nearly match the pattern. */
  readonly overlooked?: Overlooked;
  /** Files that were not read, because their names are not UTF-8. */
  readonly unreadableNames?: UnreadableNames;
  /** Lines at the end of its files that are about the report, and no rows. */
  readonly footer?: ReportFooter;
  /** ISO 8601: the content has been the same since then, for longer than the source should take. */
  readonly staleSince?: string;
  /** It has far fewer rows than `shrink` allows: somebody has approved this cut, or an earlier one that it comes after. */
  readonly cut?: 'approved' | 'later';
  /** Columns that are empty now for many of those who had them. */
  readonly emptied?: readonly EmptiedColumn[];
  /** It has notably fewer rows than the last complete read that was used: how many that had. */
  readonly rowsBefore?: number;
  /** It decides who exists, and lacks more of the people whom earlier reads have shown than it should. */
  readonly missing?: MissingPeople;
}

/** A read of a run that a signal started: absences in it count only if enough time has passed. */
export interface SignalledRead {
  /** ISO 8601: when a read counted last; null where none has. */
  readonly countedAt: string | null;
}

/** Cells of one column that had a value within the last week. */
export interface EmptiedColumn {
  readonly column: string;
  /** Records that had it, and are still here. */
  readonly had: number;
  readonly emptied: number;
  /** SHA-256 (hex) of whose cells they are: another set of them is another question. */
  readonly digest: string;
}

/** People whom a source has shown, and shows no more: too many to be an ordinary day. */
export interface MissingPeople {
  /** `holds ack` takes it: the same while they are missing since the same reads. */
  readonly id: string;
  /** `288 of the 300 people seen on 3 November are missing since …` */
  readonly text: string;
  readonly count: number;
  /** How many people the last read before they went missing had shown. */
  readonly seen: number;
  /** ISO 8601: when that read was; null where none is remembered. */
  readonly seenAt: string | null;
  /** The reads in which they were missing first. */
  readonly since: readonly { readonly at: string; readonly count: number }[];
  /** Somebody knows of it: it explains what trips, and is no longer reported by each run. */
  readonly acknowledged?: true;
}

export interface ReportFooter {
  readonly lines: number;
  /** The first of them: file and line. */
  readonly at: string;
}

export function describeFooter({ lines, at }: ReportFooter): string {
  return `${lines === 1 ? '1 line at the end is' : `${lines} lines at the end are`} a footer, and no row (${at})`;
}

/** ISO 8601. */
export interface ReplacedContent {
  /** When it was used last. */
  readonly usedAt: string;
  /** When other content took its place. */
  readonly at: string;
  /** SHA-256 (hex) of that other content, where all reads since have found it. */
  readonly by?: string;
}

export interface Overlooked {
  /** The one that came last. */
  readonly at: string;
  /** ISO 8601. */
  readonly arrivedAt: string;
  readonly files: number;
  /** The pattern that their names nearly match; absent where they match it, and sort too early. */
  readonly pattern?: string;
}

export interface UnreadableNames {
  /** The first of them, with `\xff` for each byte that is no character. */
  readonly names: readonly string[];
  readonly files: number;
}

/** The same of one source. */
export interface UnreadableNamesOf extends UnreadableNames {
  readonly source: string;
}

/** Each source once. */
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

/** The same as documents show it. */
export interface OverlookedFile {
  readonly source: string;
  readonly in_use: string;
  readonly at: string;
  readonly arrived: string;
  readonly files: number;
  readonly pattern?: string;
}

/** Each source once. */
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
