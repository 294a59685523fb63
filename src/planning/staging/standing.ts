import { holdsSecret } from '../../base/secrets/secret.js';
import { decodeRecord, decodeRejected, encodeRecord, encodeRejected } from '../../model/cells-json.js';
import type { Entity } from '../../model/entity.js';
import type { RawRow } from '../../model/raw-text.js';
import type { ReadEvidence, RejectedRow, SourceRecord, StandingContent, StandingRows } from '../../model/source.js';
import type { WorkStore } from '../../store/work/work-store.js';

/** A stream is read in every run if more than this number of its rows must be mapped in every run. */
const MOST_REPLAYED = 500;

/** A content as it was staged. The results of its rows stay valid, except for the rows that are listed here. */
interface KeptContent {
  readonly at: string;
  readonly size: number;
  /** The number of unchanged rows. */
  readonly rows: number;
  readonly records: readonly { readonly record: string; readonly raw: RawRow }[];
  readonly rejected: readonly string[];
}

/** Collects the rows of a stream that must be delivered again in the next run. */
export interface ContentNotes {
  takeRecord(record: SourceRecord, raw: RawRow): void;
  takeRejected(row: RejectedRow): void;
  /** Called if the rows alone do not show how to treat the stream. */
  spoil(): void;
  /** Called after all rows of the run were staged. */
  keep(evidence: ReadEvidence): void;
}

export interface StandingStream {
  readonly entity: Entity;
  readonly stream: string;
  /** True if the entity has no other stream. */
  readonly isOnly: boolean;
  readonly work: WorkStore;
}

export function createContentNotes({ entity, stream, work }: Omit<StandingStream, 'isOnly'>): ContentNotes {
  let [records, rejected]: [KeptContent['records'][number][], string[]] = [[], []];
  let isSpoilt = false;
  const look = (raw: RawRow): void => {
    // A secret in a cell must not be stored.
    if (records.length + rejected.length <= MOST_REPLAYED && !raw.some(holdsSecret)) return;
    [records, rejected, isSpoilt] = [[], [], true];
  };
  return {
    takeRecord(record, raw) {
      if (!isSpoilt) records.push({ record: encodeRecord(record), raw });
      look(raw);
    },
    takeRejected(row) {
      if (!isSpoilt) rejected.push(encodeRejected(row));
      look(row.raw);
    },
    spoil() {
      isSpoilt = true;
    },
    keep({ at, bytes, complete, digest, rows }) {
      if (isSpoilt || bytes === undefined || !complete || work.hasConflict(entity)) return;
      const standing = rows - records.length - rejected.length;
      const kept: KeptContent = { at, size: bytes, rows: standing, records, rejected };
      work.keepContent(stream, digest, JSON.stringify(kept));
    },
  };
}

/** Finds the unchanged rows of a stream, for its reader. */
export function findStanding({ entity, stream, isOnly, work }: StandingStream): StandingRows {
  const kept = work.keptContent(stream);
  const content = kept === null ? null : (JSON.parse(kept.body) as KeptContent);
  // The day of some rows may have come.
  const isWhole = content !== null && work.countStanding(entity, stream, isOnly) === content.rows;

  return {
    find: work.rowsOnce(entity),
    contentSize: isWhole ? content.size : null,
    content(digest, at): StandingContent | null {
      if (!isWhole || kept?.digest !== digest) return null;
      // The reason for rejecting a row names the file of the row.
      if (content.rejected.length > 0 && content.at !== at) return null;
      const records = content.records.map(({ record, raw }) => ({ ...decodeRecord(record), raw }));
      return { rows: content.rows, records, rejected: content.rejected.map(decodeRejected) };
    },
  };
}
