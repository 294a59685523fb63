import { decodeRecord, encodeRecord } from '../model/cells-json.js';
import type { Entity } from '../model/entity.js';
import type { RawRow } from '../model/raw-text.js';
import type { ReadEvidence, RejectedRow, SourceRecord, StandingContent, StandingRows } from '../model/source.js';
import { shorterTerm, spanOf, type Term, termOfSpan } from '../model/term.js';
import type { WorkStore } from '../store/work/work-store.js';

/** A stream with more rows that have to be mapped in every run is read in every run. */
const MOST_REPLAYED = 500;

/** A content as it was staged: its rows stand, but for those that are delivered again. */
interface KeptContent {
  readonly at: string;
  readonly size: number;
  /** How the ISO 8601 moments begin for which it stands; empty for all. */
  readonly span: string;
  /** How many rows stand. */
  readonly rows: number;
  readonly records: readonly { readonly record: string; readonly raw: RawRow }[];
  readonly rejected: readonly RejectedRow[];
}

/** What a stream brings in this run that does not stand by itself. */
export interface ContentNotes {
  takeRecord(record: SourceRecord, raw: RawRow): void;
  takeRejected(row: RejectedRow): void;
  /** Of what is in it, something stands no longer. */
  lasts(term: Term): void;
  /** The rows do not tell alone what is to be done with the stream. */
  spoil(): void;
  /** After all rows of the run were staged. */
  keep(evidence: ReadEvidence): void;
}

export interface StandingStream {
  readonly entity: Entity;
  readonly stream: string;
  /** The entity has no other. */
  readonly isOnly: boolean;
  readonly today: Date;
  readonly work: WorkStore;
}

export function createContentNotes({ entity, stream, today, work }: Omit<StandingStream, 'isOnly'>): ContentNotes {
  let [records, rejected]: [KeptContent['records'][number][], RejectedRow[]] = [[], []];
  let isSpoilt = false;
  let term: Term = 'always';
  const look = (): void => {
    if (records.length + rejected.length <= MOST_REPLAYED) return;
    [records, rejected, isSpoilt] = [[], [], true];
  };
  return {
    takeRecord(record, raw) {
      if (!isSpoilt) records.push({ record: encodeRecord(record), raw });
      look();
    },
    takeRejected(row) {
      if (!isSpoilt) rejected.push(row);
      look();
    },
    lasts(other) {
      term = shorterTerm(term, other);
    },
    spoil() {
      isSpoilt = true;
    },
    keep({ at, bytes, complete, digest, rows }) {
      if (isSpoilt || bytes === undefined || !complete || work.hasConflict(entity)) return;
      const standing = rows - records.length - rejected.length;
      const span = spanOf(term, today.toISOString());
      const kept: KeptContent = { at, size: bytes, span, rows: standing, records, rejected };
      work.keepContent(stream, digest, JSON.stringify(kept));
    },
  };
}

/** What of a stream stands, for its reader. `notes` learn what it is given. */
export function findStanding(
  { entity, stream, isOnly, today, work }: StandingStream,
  notes: ContentNotes,
): StandingRows {
  const kept = work.keptContent(stream);
  const content = kept === null ? null : (JSON.parse(kept.body) as KeptContent);
  // One that an older version kept may stand for a day alone: it is read again.
  const isOfToday = content?.span !== undefined && today.toISOString().startsWith(content.span);
  const findRow = work.rowsOnce(entity);

  return {
    find(digest) {
      const found = findRow(digest);
      if (found !== null) notes.lasts(found.term);
      return found?.row ?? null;
    },
    contentSize: isOfToday ? (content?.size ?? null) : null,
    content(digest, at): StandingContent | null {
      if (content === null || kept?.digest !== digest || !isOfToday) return null;
      // What is wrong with a row names its file.
      if (content.rejected.length > 0 && content.at !== at) return null;
      if (work.standingRows(entity, stream, isOnly) !== content.rows) return null;
      notes.lasts(termOfSpan(content.span));
      const records = content.records.map(({ record, raw }) => ({ ...decodeRecord(record), raw }));
      return { rows: content.rows, records, rejected: content.rejected };
    },
  };
}
