import type { ReadEvidence } from '../model/source.js';
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

const openFact = (source: string): string => `guards.open_lines.${source}`;
/** After this number of deliveries without a final line end, the export no longer writes one. */
const MOST_OPEN = 5;

/**
 * True if the files of the source end with a line end. A file that does not was truncated, unless several deliveries in
 * a row have none.
 */
export function endsLines({ fact }: Pick<Stores['history'], 'fact'>, source: string): boolean {
  const open = fact(openFact(source));
  return open !== null && Number(open) < MOST_OPEN;
}

/** Counts the deliveries without a final line end since the last one that had it. */
export function noteLineEnd(
  { fact, setFact }: Pick<Stores['history'], 'fact' | 'setFact'>,
  { source, lineEnds, takenBefore }: Pick<ReadEvidence, 'source' | 'lineEnds' | 'takenBefore'>,
): void {
  const open = fact(openFact(source));
  if (lineEnds === true && open !== '0') setFact(openFact(source), '0');
  if (lineEnds === false && takenBefore !== true && open !== null) setFact(openFact(source), String(Number(open) + 1));
}
