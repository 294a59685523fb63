const KIB = 1024;
export const MIB = 1024 * KIB;

/** Maximum size of one object: a record, a row of a list, or an answer that is not a list. */
export const MOST_OBJECT_BYTES = 4 * MIB;
/**
 * Maximum number of values in one object. `[{},{},…]` is small when sent, but takes twenty times as much memory once
 * parsed.
 */
export const MOST_OBJECT_VALUES = 200_000;
/** Maximum size of one object of an answer. */
export interface ObjectBound {
  readonly bytes: number;
  readonly values: number;
}
export const USUAL_OBJECT: ObjectBound = { bytes: MOST_OBJECT_BYTES, values: MOST_OBJECT_VALUES };
/** Limits for a group with its members, because one group may have 100,000 members. */
export const GROUP_OBJECT: ObjectBound = { bytes: 32 * MIB, values: 4 * MOST_OBJECT_VALUES };

/** Maximum number of rows in all lists of an answer, because their keys are kept in memory during the read. */
export const MOST_ROWS = 500_000;
/** Deeper than any real record. Functions that process values recurse once per level. */
export const MOST_LEVELS = 100;
/** Enough for the text of a rejection or of a web page; more text would add nothing. */
export const MOST_REFUSAL_BYTES = 64 * KIB;
export const MOST_TOKEN_BYTES = MIB;

/** Maximum size of an answer after decompression, unless `max_answer` sets another one. */
export const MOST_PAGE_BYTES = 64 * MIB;
/** Maximum size of a list that arrives complete in one answer. */
export const MOST_LIST_BYTES = 256 * MIB;

/** Formats a size: `64 MiB`, `900 KiB`, `12 bytes`. */
export function formatBytes(bytes: number): string {
  if (bytes >= MIB) return `${Math.round((bytes / MIB) * 10) / 10} MiB`;
  return bytes >= KIB ? `${Math.round(bytes / KIB)} KiB` : `${bytes} bytes`;
}
