import type { Candidate } from '../model/desired.js';
import type { Entity } from '../model/entity.js';
import type { OnProgress } from '../model/progress.js';

/** Records between two progress reports. A plan with fewer candidates reports nothing and counts nothing. */
const REPORT_EVERY = 500;

interface WatchedCandidates {
  readonly entity: Entity;
  readonly onProgress: OnProgress | undefined;
  /** Called once, after the first records. */
  readonly count: () => number;
}

/** Passes on the candidates of an entity, and reports how many of them have been planned. */
export function watchCandidates(candidates: Iterable<Candidate>, watched: WatchedCandidates): Iterable<Candidate> {
  return watched.onProgress === undefined ? candidates : reportEach(candidates, watched, watched.onProgress);
}

function* reportEach(
  candidates: Iterable<Candidate>,
  { entity, count }: WatchedCandidates,
  onProgress: OnProgress,
): Iterable<Candidate> {
  const step = { step: `planning ${entity.replaceAll('_', ' ')}`, of: 'records' };
  let [taken, total]: [number, number | null] = [0, null];
  for (const candidate of candidates) {
    yield candidate;
    taken += 1;
    if (taken < REPORT_EVERY) continue;
    total ??= count();
    onProgress({ ...step, more: taken, total });
    taken = 0;
  }
  if (total !== null && taken > 0) onProgress({ ...step, more: taken, total });
}
