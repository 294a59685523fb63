import { SYSTEMS } from './systems.js';
import { placeOf, type WrittenFeed } from './vendors/write-strategy.js';

/** Why a column of a stream over HTTP cannot be written to, for people; null when it can. */
export function whyNotWritable(feed: WrittenFeed, column: string): string | null {
  if (feed.columns[column] === undefined) return 'there is no such column';
  if (column === feed.key) return 'it is the key that the record is found by';
  return SYSTEMS[feed.dialect].write.whyNotWritable(feed, column, placeOf(feed, column));
}

/** Why records of a stream cannot be written to by its key; null when they can. */
export function findKeyProblem(feed: WrittenFeed): string | null {
  return SYSTEMS[feed.dialect].write.findKeyProblem(feed, placeOf(feed, feed.key));
}
