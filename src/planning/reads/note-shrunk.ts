import type { Stores } from '../../store/open-stores.js';
import { rowsFact } from '../guard-facts.js';
import type { StreamRead } from '../staging/read-streams.js';
import type { StagedEntity } from '../staging/stage-sources.js';

/** Of fewer rows, and of a smaller share, days differ by themselves. */
const FEWEST_ROWS = 5;
const SMALLEST_SHARE = 0.05;

/**
 * Says of complete reads that decide what exists how many rows the last of them had, where that was notably more. Nobody
 * has left by that yet, so no guard speaks: absence is counted over several reads, or never.
 */
export function noteShrunk(
  staged: readonly StagedEntity[],
  { history }: Pick<Stores, 'history'>,
): readonly StagedEntity[] {
  const note = (read: StreamRead): StreamRead => {
    const { evidence, source } = read;
    const before = Number(history.fact(rowsFact(source)) ?? 0);
    if (evidence?.complete !== true) return read;
    const gone = before - evidence.rows;
    if (gone < FEWEST_ROWS || gone < before * SMALLEST_SHARE) return read;
    return { ...read, evidence: { ...evidence, rowsBefore: before } };
  };
  return staged.map((one) => ({ ...one, deciding: one.deciding.map(note) }));
}
