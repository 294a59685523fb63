import type { Stores } from '../../store/open-stores.js';
import { rowsFact } from '../guard-facts.js';
import type { StreamRead } from '../staging/read-streams.js';
import type { StagedEntity } from '../staging/stage-sources.js';

/** Smaller differences occur from day to day. */
const FEWEST_ROWS = 5;
const SMALLEST_SHARE = 0.05;

/**
 * Adds the earlier number of rows to a complete read that decides existence, if that number was considerably larger. No
 * guard trips yet, because nobody has left so far: absence is counted over several reads, or never.
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
