import { isDangerous } from './kinds.js';
import { groupOf, type Report, type ReportChange } from './report.js';
import { type ReportTally, tallyReport, topField } from './tally.js';

/** Which changes are wanted; a blank is no wish. */
export interface ChangeFilter {
  /** Words in names, keys, values, reasons; without case and accents. */
  readonly q: string;
  readonly entity: string;
  readonly action: string;
  readonly state: string;
  /** `users.title` */
  readonly field: string;
}

export interface SelectedChanges {
  readonly tally: ReportTally;
  /** How many the filter finds. */
  readonly found: number;
  /** Those of the page, what waits and what failed first, then what takes something away. */
  readonly rows: readonly ReportChange[];
  readonly page: number;
  readonly pages: number;
}

/** So many are on one page; beyond it there are pages. */
export const MOST_ON_A_PAGE = 2_000;
const ROWS_A_PAGE = 500;

/** A report in numbers, and one page of what the filter finds in it. Holds no more rows than a page has. */
export async function selectChanges(
  report: Report,
  filter: ChangeFilter,
  { page: wanted, shownHolds }: { readonly page: number; readonly shownHolds: number },
): Promise<SelectedChanges> {
  const first = new RankedRows(0, MOST_ON_A_PAGE);
  const isWanted = createFilter(filter);
  const tally = await tallyReport(report, shownHolds, (change) => {
    if (isWanted(change)) first.add(change);
  });
  const found = first.counts.reduce((sum, count) => sum + count, 0);
  const size = found <= MOST_ON_A_PAGE ? MOST_ON_A_PAGE : ROWS_A_PAGE;
  const pages = Math.max(1, Math.ceil(found / size));
  const page = Math.min(Math.max(1, wanted), pages);
  const from = (page - 1) * size;
  if (from + size <= MOST_ON_A_PAGE) return { tally, found, page, pages, rows: first.all().slice(from, from + size) };
  const second = new RankedRows(from, from + size, first.counts);
  for await (const change of report.changes()) if (isWanted(change)) second.add(change);
  return { tally, found, page, pages, rows: second.all() };
}

/** The rows of one stretch of all that are added, in the order of their ranks. */
class RankedRows {
  readonly counts = [0, 0, 0];
  readonly #rows: ReportChange[][] = [[], [], []];
  readonly #from: number;
  readonly #to: number;
  readonly #before: readonly number[];

  /** @param known how many rows each rank has; without it only a stretch from the first row on can be asked for */
  constructor(from: number, to: number, known: readonly number[] = [0, 0, 0]) {
    this.#from = from;
    this.#to = to;
    this.#before = known.map((_count, rank) => known.slice(0, rank).reduce((sum, count) => sum + count, 0));
  }

  add(change: ReportChange): void {
    const rank = rankOf(change);
    const place = (this.#before[rank] ?? 0) + (this.counts[rank] ?? 0);
    this.counts[rank] = (this.counts[rank] ?? 0) + 1;
    if (place >= this.#from && place < this.#to) this.#rows[rank]?.push(change);
  }

  all(): readonly ReportChange[] {
    return this.#rows.flat();
  }
}

function rankOf({ state, action }: ReportChange): number {
  if (state === 'waits' || state === 'failed') return 0;
  return isDangerous(action) ? 1 : 2;
}

function createFilter({ q, entity, action, state, field }: ChangeFilter): (change: ReportChange) => boolean {
  const words = foldSearch(q).split(/\s+/).filter(Boolean);
  return (change) =>
    (entity === '' || groupOf(change) === entity) &&
    (action === '' || change.action === action) &&
    (state === '' || change.state === state) &&
    (field === '' || change.differences.some((one) => `${groupOf(change)}.${topField(one.field)}` === field)) &&
    (words.length === 0 || hasWords(change, words));
}

/** Shorter ones are in many an id by chance. */
const SHORTEST_ID = 8;

function hasWords(change: ReportChange, words: readonly string[]): boolean {
  const { label, key, id, target, hint, reason, place, about, approval, differences } = change;
  const values = differences.flatMap(({ field, before, after }) => [field, before, after]);
  const text = foldSearch([label, key, hint, reason.text, place, about, approval, ...values].join('\n'));
  const isId = (word: string): boolean =>
    word.length >= SHORTEST_ID && (id.startsWith(word) || target?.startsWith(word) === true);
  return words.every((word) => text.includes(word) || isId(word));
}

function foldSearch(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
