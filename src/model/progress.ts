/** How far a long step has come. */
export interface ProgressStep {
  /** `reading hr`, `reading the service`, `applying`. */
  readonly step: string;
  /** `rows`, `objects`, `changes`. */
  readonly of: string;
  /** How many more are done. */
  readonly more: number;
  /** How many there are; null where nobody knows. */
  readonly total: number | null;
}

export type OnProgress = (step: ProgressStep) => void;

/** How far a step has come by now. */
export interface StepProgress extends Omit<ProgressStep, 'more'> {
  readonly startedMs: number;
  readonly done: number;
}

/** Adds up what is told of each step; answers how far it has come. */
export function createStepCounter(now: () => number): (told: ProgressStep) => StepProgress {
  const steps = new Map<string, { readonly startedMs: number; done: number }>();
  return ({ step, of, more, total }) => {
    const state = steps.get(step) ?? { startedMs: now(), done: 0 };
    steps.set(step, state);
    state.done += more;
    return { step, of, total, ...state };
  };
}
