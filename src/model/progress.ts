/** Progress of a long step. */
export interface ProgressStep {
  /** `reading hr`, `reading the service`, `applying`. */
  readonly step: string;
  /** `rows`, `objects`, `changes`. */
  readonly of: string;
  /** Number of items completed since the last report. */
  readonly more: number;
  /** Total number; null if unknown. */
  readonly total: number | null;
}

export type OnProgress = (step: ProgressStep) => void;

/** The progress of a step up to now. */
export interface StepProgress extends Omit<ProgressStep, 'more'> {
  readonly startedMs: number;
  readonly done: number;
}

/** Adds up the reported progress of each step, and returns its current state. */
export function createStepCounter(now: () => number): (told: ProgressStep) => StepProgress {
  const steps = new Map<string, { readonly startedMs: number; done: number }>();
  return ({ step, of, more, total }) => {
    const state = steps.get(step) ?? { startedMs: now(), done: 0 };
    steps.set(step, state);
    state.done += more;
    return { step, of, total, ...state };
  };
}
