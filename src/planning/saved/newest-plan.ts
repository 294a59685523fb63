import type { Stores } from '../../store/open-stores.js';

/** The newest full plan, from a run or from `plan`; decisions refer to it. */
export interface NewestPlan {
  readonly plan: string;
  /** Digest of the configuration that the plan was derived under. */
  readonly config: string;
  /** ISO 8601: when it was derived. Missing for a plan of an earlier version. */
  readonly at?: string;
}

const MARK = 'plan.newest';

/** Called once the file of the plan exists. */
export function noteNewestPlan({ mirror }: Pick<Stores, 'mirror'>, newest: NewestPlan): void {
  mirror.setMark(MARK, JSON.stringify(newest));
}

/** Means the newest plan from the sources, in an address. */
const NEWEST = 'newest';

/** The plan that an address names. `newest` never means the plan of an undo; null if there is no complete plan yet. */
export function readPlanId(stores: Pick<Stores, 'mirror'>, named: string): string | null {
  return named === NEWEST ? (readNewestPlan(stores)?.plan ?? null) : named;
}

/** null before the first plan, and while the mirror is new. */
export function readNewestPlan({ mirror }: Pick<Stores, 'mirror'>): NewestPlan | null {
  return JSON.parse(mirror.mark(MARK) ?? 'null') as NewestPlan | null;
}
