import type { ListedStreamShape } from './listed-stream.js';
import type { ListedSystem } from './listed-system.js';
import { placeOf } from './write-strategy.js';

/** Returns the reason why a column of an HTTP stream cannot be written to, for messages; null if it can. */
export function whyNotWritable({ write }: ListedSystem, stream: ListedStreamShape, column: string): string | null {
  if (stream.columns[column] === undefined) return 'there is no such column';
  if (column === stream.key) return 'it is the key that identifies the record';
  return write.whyNotWritable(stream, column, placeOf(stream, column));
}

/** Returns the reason why the stream's key cannot identify records in calls; null if it can. */
export function findKeyProblem({ write }: ListedSystem, stream: ListedStreamShape): string | null {
  return write.findKeyProblem(stream, placeOf(stream, stream.key));
}
