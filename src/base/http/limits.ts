const KIB = 1024;
export const MIB = 1024 * KIB;

/** One object: a record, a row of a list, or an answer that is not a list. */
export const MOST_OBJECT_BYTES = 4 * MIB;
/** Values in one object. `[{},{},…]` is small on the wire and takes twenty times as much memory once parsed. */
export const MOST_OBJECT_VALUES = 200_000;
/** Maximum size of one object of an answer. */
export interface ObjectBound {
  readonly bytes: number;
  readonly values: number;
}
export const USUAL_OBJECT: ObjectBound = { bytes: MOST_OBJECT_BYTES, values: MOST_OBJECT_VALUES };
/** A group with its members: one object may have 100,000 of them. */
export const GROUP_OBJECT: ObjectBound = { bytes: 32 * MIB, values: 4 * MOST_OBJECT_VALUES };

/** Rows of all lists in an answer: their keys are kept in memory while reading. */
export const MOST_ROWS = 500_000;
/** Deeper than any real record. Functions that walk through values recurse for each level. */
export const MOST_LEVELS = 100;
/** The text of a rejection, or of a web page: a longer one says nothing more. */
export const MOST_REFUSAL_BYTES = 64 * KIB;
export const MOST_TOKEN_BYTES = MIB;

/** Maximum size of an answer after decompression, unless `max_answer` sets another. */
export const MOST_PAGE_BYTES = 64 * MIB;
/** The same for a list that comes complete in one answer. */
export const MOST_LIST_BYTES = 256 * MIB;

/** `64 MiB`, `900 KiB`, `12 bytes`. */
export function formatBytes(bytes: number): string {
  if (bytes >= MIB) return `${Math.round((bytes / MIB) * 10) / 10} MiB`;
  return bytes >= KIB ? `${Math.round(bytes / KIB)} KiB` : `${bytes} bytes`;
}
