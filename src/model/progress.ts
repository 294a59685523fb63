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
