import { takeEach } from '../../base/clock.js';
import { CHANGE_COLUMNS, groupOf, type Report, type ReportChange } from './report.js';
import { type ReportTally, rankOf, tallyReport, topField } from './tally.js';

/** A filter for changes. An empty string matches all. */
export interface ChangeFilter {
  /** Words in names, keys, values and reasons. Case and accents are ignored. */
  readonly q: string;
  readonly entity: string;
  readonly action: string;
  readonly state: string;
  /** `users.title` */
  readonly field: string;
}

export interface SelectedChanges {
  readonly tally: ReportTally;
  /** Number of changes that match the filter. */
  readonly found: number;
  /** The changes of the page. Waiting and failed changes come first, then dangerous ones. */
  readonly rows: readonly ReportChange[];
  readonly page: number;
  readonly pages: number;
}

/** Maximum number of changes on one page. Longer lists are split into pages. */
export const MOST_ON_A_PAGE = 2_000;
const ROWS_A_PAGE = 500;

interface WantedPage {
  readonly page: number;
  readonly shownHolds: number;
  /** The numbers of the report if already counted. The numbers are the same for every filter. */
  readonly known?: ReportTally | undefined;
  /** Called for each change while the report is counted. */
  readonly watch?: (change: ReportChange) => void;
}

/**
 * Counts a report and returns one page of the changes that match the filter. Keeps only as many rows in memory as a page
 * has.
 */
export async function selectChanges(
  report: Report,
  filter: ChangeFilter,
  { page: wanted, shownHolds, known, watch }: WantedPage,
): Promise<SelectedChanges> {
  const first = new RankedRows(0, MOST_ON_A_PAGE);
  const isWanted = createFilter(filter);
  const look = (change: ReportChange): void => {
    if (isWanted(change)) first.add(change);
  };
  const isCounted = known !== undefined && Object.values(filter).every((text) => text === '');
  const count = (change: ReportChange): void => {
    watch?.(change);
    look(change);
  };
  const tally = known ?? (await tallyReport(report, shownHolds, count));
  if (known !== undefined && !isCounted) await takeEach(report.changes(), look);
  const counts = isCounted ? tally.ranks : first.counts;
  const found = counts.reduce((sum, count) => sum + count, 0);
  const size = found <= MOST_ON_A_PAGE ? MOST_ON_A_PAGE : ROWS_A_PAGE;
  const pages = Math.max(1, Math.ceil(found / size));
  const page = Math.min(Math.max(1, wanted), pages);
  const from = (page - 1) * size;
  if (!isCounted && from + size <= MOST_ON_A_PAGE)
    return { tally, found, page, pages, rows: first.all().slice(from, from + size) };
  const rows = new RankedRows(from, Math.min(from + size, found), counts);
  for await (const batch of report.changes()) {
    for (const change of batch.filter(isWanted)) rows.add(change);
    if (rows.isFull()) break;
  }
  return { tally, found, page, pages, rows: rows.all() };
}

/** One range of all added rows, in the order of their ranks. */
class RankedRows {
  readonly counts = [0, 0, 0];
  readonly #rows: ReportChange[][] = [[], [], []];
  readonly #from: number;
  readonly #to: number;
  readonly #before: readonly number[];
  #kept = 0;

  /** @param known the number of rows of each rank. If unknown, the range must begin at the first row */
  constructor(from: number, to: number, known: readonly number[] = [0, 0, 0]) {
    this.#from = from;
    this.#to = to;
    this.#before = known.map((_count, rank) => known.slice(0, rank).reduce((sum, count) => sum + count, 0));
  }

  add(change: ReportChange): void {
    const rank = rankOf(change);
    const place = (this.#before[rank] ?? 0) + (this.counts[rank] ?? 0);
    this.counts[rank] = (this.counts[rank] ?? 0) + 1;
    if (place < this.#from || place >= this.#to) return;
    this.#rows[rank]?.push(change);
    this.#kept += 1;
  }

  isFull(): boolean {
    return this.#kept >= this.#to - this.#from;
  }

  all(): readonly ReportChange[] {
    return this.#rows.flat();
  }
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

/** Columns that are not searched. Ids are matched by their beginning, and action, entity and state have separate filters. */
const NOT_SEARCHED = ['id', 'target', 'action', 'entity', 'state', 'calls', 'at'];
const SEARCHED = CHANGE_COLUMNS.filter(({ id }) => !NOT_SEARCHED.includes(id));

/** Minimum length of a searched id, because shorter words occur in many ids by chance. */
const SHORTEST_ID = 8;

function hasWords(change: ReportChange, words: readonly string[]): boolean {
  const { id, target, differences } = change;
  const values = differences.flatMap(({ field, before, after }) => [field, before, after]);
  const text = foldSearch([...SEARCHED.map((column) => column.text(change)), ...values].join('\n'));
  const isId = (word: string): boolean =>
    word.length >= SHORTEST_ID && (id.startsWith(word) || target?.startsWith(word) === true);
  return words.every((word) => text.includes(word) || isId(word));
}

function foldSearch(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
