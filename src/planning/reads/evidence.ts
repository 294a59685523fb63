import type { ReadEvidence } from '../../model/source.js';
import type { StreamRead } from '../staging/read-streams.js';

/** The evidence of all reads that have any. */
export function evidences(reads: readonly StreamRead[] | undefined): readonly ReadEvidence[] {
  return (reads ?? []).flatMap(({ evidence }) => (evidence === null ? [] : [evidence]));
}
