import type { Stores } from '../../store/open-stores.js';

/** The newest plan that looked at everything, of a run or of `plan`: the one that is decided on. */
export interface NewestPlan {
  readonly plan: string;
  /** Digest of the configuration that it was made under. */
  readonly config: string;
}

const MARK = 'plan.newest';

/** Called once the plan's file is there. */
export function noteNewestPlan({ mirror }: Pick<Stores, 'mirror'>, newest: NewestPlan): void {
  mirror.setMark(MARK, JSON.stringify(newest));
}

/** null before the first, and while the mirror is new. */
export function readNewestPlan({ mirror }: Pick<Stores, 'mirror'>): NewestPlan | null {
  return JSON.parse(mirror.mark(MARK) ?? 'null') as NewestPlan | null;
}
