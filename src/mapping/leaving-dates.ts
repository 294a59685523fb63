import { createDateFormatter } from '../model/date-in-zone.js';
import type { Left } from '../model/desired.js';
import { findPlaceholder } from '../model/placeholder-dates.js';
import type { Cell, SourceRecord } from '../model/source.js';
import { inspectExpression } from './inspect.js';
import { RecordFault } from './record-fault.js';
import type { Scope } from './scope.js';

export type CellsBySource = Readonly<Record<string, SourceRecord['cells'] | null>>;

/** A column with the date on which a record leaves. */
interface DatedColumn {
  readonly source: string;
  readonly column: string;
  readonly optional: boolean;
}

export interface LeavingDates {
  /**
   * Returns the day on which the record left and the day on which it began. Returns null if something other than a day,
   * such as a status, shows that the record has left.
   *
   * @param rows the rows that the scope shows, by source
   * @throws RecordFault if the day is a placeholder that systems write for a missing date
   */
  judge(rows: CellsBySource): Left | null;
}

export interface DatedRules {
  /** The expression of `leaver.when`, or of `scope` if records out of scope leave. */
  readonly text: string;
  /** True if the record that the scope shows has left. */
  readonly hasLeft: () => boolean;
  /** The expressions of `scope` and `joiner.start`, if they are set. */
  readonly beginnings: readonly string[];
  /** True if a placeholder date is accepted as the day of leaving. */
  readonly placeholdersAllowed: boolean;
  /** The name of the setting that accepts placeholder dates, for messages. */
  readonly setting: string;
}

/** A date later than any day of leaving. */
const FAR = { date: new Date(Date.UTC(9999, 11, 31)), text: '9999-12-31' };

export function createLeavingDates(scope: Scope, rules: DatedRules): LeavingDates {
  const { text, hasLeft: hasLeftNow, beginnings, placeholdersAllowed, setting } = rules;
  const read = listDated(scope, text);
  const begun = beginnings.flatMap((text) => listDated(scope, text));
  const dayOf = createDateFormatter(scope.timezone);
  const isDated = (cell: Cell | undefined): cell is Date | string =>
    cell instanceof Date || (typeof cell === 'string' && /^\d{1,4}[-./]\d{1,2}[-./]\d{1,4}/.test(cell));

  /** True if the record would count as left with some of its cells replaced. */
  function hasLeftWith(
    rows: CellsBySource,
    columns: readonly DatedColumn[],
    put: (cell: Cell) => Cell | undefined,
  ): boolean {
    for (const source of new Set(columns.map((one) => one.source))) {
      const cells = { ...rows[source] };
      for (const { column } of columns.filter((one) => one.source === source)) {
        const other = put(cells[column] ?? '');
        if (other === undefined) delete cells[column];
        else cells[column] = other;
      }
      scope.show(source, cells);
    }
    const hasLeft = hasLeftNow();
    for (const { source } of columns) scope.show(source, rows[source] ?? null);
    return hasLeft;
  }

  return {
    judge(rows) {
      const there = read.filter(({ source, column }) => isDated(rows[source]?.[column]));
      const restsOn = (columns: readonly DatedColumn[]): boolean =>
        !hasLeftWith(rows, columns, (cell) => (cell instanceof Date ? FAR.date : FAR.text)) ||
        (columns.every(({ optional }) => optional) && !hasLeftWith(rows, columns, () => undefined));
      if (there.length === 0 || !restsOn(there)) return null;
      const [deciding = there[0]] = there.filter((one) => restsOn([one]));
      const cell = deciding === undefined ? undefined : rows[deciding.source]?.[deciding.column];
      if (deciding === undefined || !isDated(cell)) return null;
      const placeholder = findPlaceholder(cell, dayOf);
      if (placeholder !== null && !placeholdersAllowed) throw refusePlaceholder(deciding, placeholder, setting);
      const days = begun.flatMap(({ source, column }) => {
        const start = rows[source]?.[column];
        return start instanceof Date && start !== cell ? [dayOf(start)] : [];
      });
      const on = cell instanceof Date ? dayOf(cell) : cell;
      return { on, column: `${deciding.source}.${deciding.column}`, begins: days.sort().at(-1) ?? null };
    },
  };
}

function refusePlaceholder({ source, column }: DatedColumn, day: string, setting: string): RecordFault {
  return new RecordFault(
    'SYNC_DATE_PLACEHOLDER',
    `the day of leaving in \`${source}.${column}\` is ${day}, which looks like a placeholder: systems write it if there is no date`,
    `Correct the date in the source, or list it in \`empty\` of the column ${column}. If it is the day of leaving, set \`${setting}: allowed\`.`,
  );
}

/** Lists the date columns that an expression reads, including text columns that may contain dates. */
function listDated(scope: Scope, text: string): readonly DatedColumn[] {
  const { references } = inspectExpression(scope.parse(text).ast, scope);
  const found = references.flatMap(({ variable, column }) => {
    const visible = scope.variables[variable]?.[column];
    if (visible === undefined || !['date', 'datetime', 'string'].includes(visible.type)) return [];
    return visible.sources.map((source) => ({ source, column, optional: visible.optional }));
  });
  return [...new Map(found.map((one) => [`${one.source}.${one.column}`, one])).values()];
}
