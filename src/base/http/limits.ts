const KIB = 1024;
export const MIB = 1024 * KIB;

/** One object: a record, a row of a list, or an answer that is no list. */
export const MOST_OBJECT_BYTES = 4 * MIB;
/** Values in one object. `[{},{},…]` takes little room on the way and twenty times as much once it is parsed. */
export const MOST_OBJECT_VALUES = 200_000;
/** How large one object of an answer may be. */
export interface ObjectBound {
  readonly bytes: number;
  readonly values: number;
}
export const USUAL_OBJECT: ObjectBound = { bytes: MOST_OBJECT_BYTES, values: MOST_OBJECT_VALUES };
/** A group with its members: 100,000 of them are one object. */
export const GROUP_OBJECT: ObjectBound = { bytes: 32 * MIB, values: 4 * MOST_OBJECT_VALUES };

/** Rows of all lists that an answer may have: their keys are remembered while it is read. */
export const MOST_ROWS = 500_000;
/** Deeper than any record is. What walks through values calls itself for each level. */
export const MOST_LEVELS = 100;
/** The words of a refusal, or of a web page: more of them says nothing more. */
export const MOST_REFUSAL_BYTES = 64 * KIB;
export const MOST_TOKEN_BYTES = MIB;

/** What an answer may have after decompression, unless `max_answer` says otherwise. */
export const MOST_PAGE_BYTES = 64 * MIB;
/** The same of a list that comes whole in one answer. */
export const MOST_LIST_BYTES = 256 * MIB;

/** `64 MiB`, `900 KiB`, `12 bytes`. */
export function formatBytes(bytes: number): string {
  if (bytes >= MIB) return `${Math.round((bytes / MIB) * 10) / 10} MiB`;
  return bytes >= KIB ? `${Math.round(bytes / KIB)} KiB` : `${bytes} bytes`;
}
