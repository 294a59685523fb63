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

/** null before the first plan, and while the mirror is new. */
export function readNewestPlan({ mirror }: Pick<Stores, 'mirror'>): NewestPlan | null {
  return JSON.parse(mirror.mark(MARK) ?? 'null') as NewestPlan | null;
}
