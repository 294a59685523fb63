import { readFile } from 'node:fs/promises';
import { SyncError } from '../../base/errors.js';
import type { Hold } from '../../model/desired.js';
import { canonicalJson } from '../../model/json.js';
import type { Counts, GuardTrip } from '../../model/plan.js';
import { findPlanFile } from '../../planning/saved/plan-file.js';

/** The part of a saved plan that the story makes claims about. */
export interface ClaimedPlan {
  readonly meta: { readonly plan: string };
  readonly counts: Counts;
  readonly source_counts: Readonly<Record<string, { readonly records: number; readonly cells: number }>>;
  readonly held: readonly Hold[];
  readonly guards: readonly GuardTrip[];
}

export async function readNewestPlan(folder: string): Promise<ClaimedPlan> {
  // A moment ago this very program wrote it.
  return JSON.parse(await readFile(findPlanFile(folder, null, 'all'), 'utf8')) as ClaimedPlan;
}

/** A story that says what did not happen is worse than none: each claim is checked, and the demo ends at the first that fails. */
export function expectSame(claim: string, found: unknown, expected: unknown): void {
  const [is, should] = [found, expected].map((value) => canonicalJson(value as Parameters<typeof canonicalJson>[0]));
  if (is === should) return;
  throw new SyncError('SYNC_INTERNAL', {
    message: `The demo did not go as described: ${claim}: found ${is}, expected ${should}.`,
    place: 'demo',
    remedy: 'This is a defect in talent-sync: report it with the output above.',
  });
}
