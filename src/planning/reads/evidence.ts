import type { ReadEvidence } from '../../model/source.js';
import type { StreamRead } from '../staging/read-streams.js';

/** What the reads tell of themselves, of those that tell anything. */
export function evidences(reads: readonly StreamRead[] | undefined): readonly ReadEvidence[] {
  return (reads ?? []).flatMap(({ evidence }) => (evidence === null ? [] : [evidence]));
}
