import { readFile } from 'node:fs/promises';
import { SyncError } from '../../base/errors.js';
import type { Hold } from '../../model/desired.js';
import { canonicalJson } from '../../model/json.js';
import type { Counts, GuardTrip } from '../../model/plan.js';
import { findPlanFile } from '../../planning/saved/plan-file.js';

/** The parts of a saved plan that the story makes claims about. */
export interface ClaimedPlan {
  readonly meta: { readonly plan: string };
  readonly counts: Counts;
  readonly source_counts: Readonly<Record<string, { readonly records: number; readonly cells: number }>>;
  readonly held: readonly Hold[];
  readonly guards: readonly GuardTrip[];
}

export async function readNewestPlan(folder: string): Promise<ClaimedPlan> {
  // This program has just written the file, so no validation is needed.
  return JSON.parse(await readFile(findPlanFile(folder, null, 'all'), 'utf8')) as ClaimedPlan;
}

/** Checks a claim of the story. The demo ends at the first false claim, because a wrong story is worse than none. */
export function expectSame(claim: string, found: unknown, expected: unknown): void {
  const [is, should] = [found, expected].map((value) => canonicalJson(value as Parameters<typeof canonicalJson>[0]));
  if (is === should) return;
  throw new SyncError('SYNC_INTERNAL', {
    message: `The demo did not go as described: ${claim}: found ${is}, expected ${should}.`,
    place: 'demo',
    remedy: 'This is a defect in talent-sync: report it with the output above.',
  });
}
