import type { Stores } from '../store/open-stores.js';

/** Facts about the last run that no guard held; a later trip is compared with them. */
export const CONFIG_FACT = 'guards.config';
/** JSON: the deciding parts of that run's configuration. */
export const MAPPING_FACT = 'guards.mapping';
export const RUN_FACT = 'guards.run';
export function rowsFact(source: string): string {
  return `guards.rows.${source}`;
}

/** A delivery that was much shorter than the previous one, and that a person has approved. */
export interface ApprovedCut {
  readonly rows: number;
  /** ISO 8601: when it was read. */
  readonly at: string;
  readonly run: string;
}

const cutFact = (source: string): string => `guards.cut.${source}`;

/**
 * The short delivery that later ones are compared with until a run goes through; null if none was approved since the
 * last such run.
 */
export function readCut({ fact }: Pick<Stores['history'], 'fact'>, source: string): ApprovedCut | null {
  return JSON.parse(fact(cutFact(source)) ?? 'null') as ApprovedCut | null;
}

export function rememberCut(
  { setFact }: Pick<Stores['history'], 'setFact'>,
  source: string,
  cut: ApprovedCut | null,
): void {
  setFact(cutFact(source), JSON.stringify(cut));
}
