import type { ListedStreamShape } from './listed-stream.js';
import { SYSTEMS } from './systems.js';
import { placeOf } from './vendors/write-strategy.js';

/** Why a column of a stream over HTTP cannot be written to, for people; null when it can. */
export function whyNotWritable(stream: ListedStreamShape, column: string): string | null {
  if (stream.columns[column] === undefined) return 'there is no such column';
  if (column === stream.key) return 'it is the key that the record is found by';
  return SYSTEMS[stream.dialect].write.whyNotWritable(stream, column, placeOf(stream, column));
}

/** Why records of a stream cannot be written to by its key; null when they can. */
export function findKeyProblem(stream: ListedStreamShape): string | null {
  return SYSTEMS[stream.dialect].write.findKeyProblem(stream, placeOf(stream, stream.key));
}
