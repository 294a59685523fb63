import { BadCell, type CellReader, compileCell } from '../../connectors/cells/cells.js';
import type { Column } from '../../model/column.js';
import type { Json } from '../../model/json.js';
import { isSurelyNothing } from '../../model/nothing.js';
import { CANDIDATES, type ColumnCandidate } from './candidates.js';
import { createLookCounter, type LookShares } from './column-looks.js';

/** One column of a sample, and how it can be declared. */
export interface Guess {
  /** A declaration that reads every cell of the sample; null if there is none. */
  readonly column: Column | null;
  /** Another declaration that also reads every cell, but as other days: month first if `column` has the day first. */
  readonly rival: Column | null;
  /** A note for the user about uncertainties in the declaration. */
  readonly note: string | null;
  /** Number of cells that are not empty. */
  readonly filled: number;
  /** True if every row has a value and all values are different. */
  readonly isKey: boolean;
  /** The distinct values in order of appearance; null if there are many. */
  readonly values: readonly string[] | null;
  /** The first distinct values, even if there are many. */
  readonly firstValues: readonly string[];
  /** Value → number of cells; null if there are many values. */
  readonly counts: ReadonlyMap<string, number> | null;
  /** The values, if all of them are different; otherwise null. */
  readonly unique: ReadonlySet<string> | null;
  readonly looks: LookShares;
}

/** Which part of a date comes first. */
export type DayOrder = 'day' | 'month';

export interface ColumnGuess extends Guess {
  readonly name: string;
  /** True if the column is part of people's home addresses. */
  readonly isHome?: boolean;
}

export interface ColumnGuesser {
  take(value: Json, line: number): void;
  /**
   * @param isText the meaning of the column makes it a text, even if it has only digits: a telephone number, a key
   * @param isKnownBy the column identifies people or things: any word in it may be a name
   */
  finish(rows: number, isText: boolean, isKnownBy?: boolean): Guess;
}

export interface CompiledCandidate extends ColumnCandidate {
  readonly reader: CellReader;
}

interface TriedCandidate extends CompiledCandidate {
  readonly misses: number[];
}

/** A candidate that fails to read more cells than this is not reported as nearly right. */
const MAX_MISSES = 20;
const MAX_NEAR_SHARE = 0.05;
const MAX_VALUES = 500;
/** Placeholders that systems write for a missing date, in addition to the words for nothing. */
const HOLLOW =
  /^(?:0000-00-00(?:[ T]00:00(?::00)?)?|00[./-]00[./-]0000|9999-12-31|31[./-]12[./-]9999|12\/31\/9999|1900-01-01|01[./-]01[./-]1900)$/i;
const SHORT_YEAR = /^(?:\d{1,2}[./-](?:\d{1,2}|[a-z]{3,4})[./-]\d{2}|\d{2}-\d{2}-\d{2})$/i;
const DATES: ReadonlySet<string> = new Set(['date', 'datetime']);
const NUMBERS: ReadonlySet<string> = new Set(['int', 'number']);
const DATES_AND_NUMBERS: ReadonlySet<string> = new Set([...DATES, ...NUMBERS]);
const NONE: ReadonlySet<string> = new Set();
const LINES_SHOWN = 5;

/** Compiles the candidates, which is done only once because loading the rules of a timezone is slow. */
export function compileCandidates(): readonly CompiledCandidate[] {
  compiled ??= CANDIDATES.map((one) => ({ ...one, reader: compileCell(one.column, 'UTC') }));
  return compiled;
}

let compiled: readonly CompiledCandidate[] | undefined;

function textOfCell(value: Json): string {
  if (typeof value === 'string') return value.trim();
  return value === null ? '' : JSON.stringify(value);
}

function reads({ allows, reader }: TriedCandidate, value: Json, text: string): boolean {
  return (typeof value !== 'string' || allows(text)) && !(reader.readJson(value) instanceof BadCell);
}

function isSpent({ misses }: TriedCandidate): boolean {
  return misses.length > MAX_MISSES;
}

/** Counts the cells of a column independently of its declaration. */
class CellTally {
  seen = 0;
  filled = 0;
  /** Values of the column's type that count as empty, such as `0000-00-00`. */
  readonly hollow = new Set<string>();
  filledHollow = 0;
  /** Values that count as empty in any column, such as `n/a`. */
  readonly nothing = new Set<string>();
  filledNothing = 0;
  unique: Set<string> | null = new Set();
  readonly values = new Map<string, number>();
  readonly looks = createLookCounter();

  /** Counts a cell, and returns the types for which it counts as empty. */
  take(text: string): ReadonlySet<string> {
    this.filled++;
    if (this.unique?.has(text)) this.unique = null;
    this.unique?.add(text);
    const count = this.values.get(text) ?? 0;
    if (count > 0 || this.values.size <= MAX_VALUES) this.values.set(text, count + 1);
    const isWord = isSurelyNothing(text);
    if (isWord) {
      this.nothing.add(text);
      this.filledNothing++;
    }
    const isHollow = isWord || HOLLOW.test(text);
    if (isHollow) {
      this.hollow.add(text);
      this.filledHollow++;
    } else this.looks.take(text);
    if (isWord) return DATES_AND_NUMBERS;
    return isHollow ? DATES : NONE;
  }
}

/** Tries every candidate on each cell. The candidates that remain can read all cells, or all but a few. */
export function createColumnGuesser(candidates: readonly CompiledCandidate[]): ColumnGuesser {
  let tried: readonly TriedCandidate[] = candidates.map((one) => ({ ...one, misses: [] }));
  const tally = new CellTally();
  return {
    take: (value, line) => {
      tally.seen++;
      const text = textOfCell(value);
      if (text === '') return;
      const hollow = tally.take(text);
      for (const one of tried) {
        if (!hollow.has(one.column.type) && !reads(one, value, text)) one.misses.push(line);
      }
      if (tried.some(isSpent)) tried = tried.filter((one) => !isSpent(one));
    },
    finish: (rows, isText, isKnownBy = false) => finishGuess(tally, tried, rows, { isText, isKnownBy }),
  };
}

/** Finds the words that count as empty, and the number of cells that contain one. */
function findEmpty(
  { filled, filledHollow, filledNothing, hollow, nothing }: CellTally,
  column: Column | null,
  isKnownBy: boolean,
): { readonly words: ReadonlySet<string>; readonly cells: number } {
  const type = column?.type ?? '';
  if (DATES.has(type)) return { words: hollow, cells: filledHollow };
  const isMeant = NUMBERS.has(type) || (type === 'string' && !isKnownBy && filledNothing < filled);
  return isMeant ? { words: nothing, cells: filledNothing } : { words: new Set(), cells: 0 };
}

function finishGuess(
  tally: CellTally,
  tried: readonly TriedCandidate[],
  rows: number,
  { isText, isKnownBy }: { readonly isText: boolean; readonly isKnownBy: boolean },
): Guess {
  const { seen, filled, filledHollow, unique, values } = tally;
  const few = values.size > MAX_VALUES ? null : [...values.keys()];
  const {
    column,
    rival = null,
    note,
  } = choose({ tried, filled, values: few, isText, isHollow: filledHollow === filled });
  const { words, cells } = findEmpty(tally, column, isKnownBy);
  const there = filled - cells;
  const isValue = (text: string): boolean => !words.has(text);
  const isOpen = seen < rows || there < rows;
  const declare = (one: Column): Column => ({
    ...one,
    optional: seen < rows || (isOpen && !isTick(one)),
    ...(words.size > 0 ? { empty: [...words] } : {}),
  });
  return {
    column: column && declare(column),
    rival: rival && declare(rival),
    note,
    filled: there,
    isKey: rows > 0 && filled === rows && unique !== null,
    values: few === null ? null : few.filter(isValue),
    firstValues: [...values.keys()].filter(isValue),
    counts: few === null ? null : new Map([...values].filter(([text]) => isValue(text))),
    unique,
    looks: tally.looks.shares(),
  };
}

interface TriedCells {
  readonly tried: readonly TriedCandidate[];
  readonly filled: number;
  readonly values: readonly string[] | null;
  readonly isText: boolean;
  /** True if every cell counts as empty. */
  readonly isHollow: boolean;
}

type Choice = Pick<Guess, 'column' | 'note'> & { readonly rival?: Column | null };

function choose({ tried, filled, values, isText, isHollow }: TriedCells): Choice {
  const fitting = tried.filter(({ misses }) => misses.length === 0).map(({ column }) => column);
  const text = fitting.find(({ type }) => type === 'string') ?? null;
  if (filled === 0) return { column: text, note: 'empty in every row: its content is unknown' };
  if ((isText || isHollow) && text !== null) return { column: text, note: null };
  const typed = fitting.filter(
    (column) => column.type !== 'string' && (column.type !== 'bool' || saysBoth(values, column)),
  );
  const [best] = typed;
  if (best === undefined) {
    if (text === null)
      return { column: null, note: 'its cells are of several kinds, or damaged: no type reads all of them' };
    return asList(values, text) ?? asLikely(values, text) ?? near(tried, text, filled);
  }
  const rival = typed.find((one) => one.type === best.type && orderOfDays(one) !== orderOfDays(best));
  if (rival !== undefined) {
    return { column: best, rival, note: noteRival(best, rival) };
  }
  if (best.type === 'int' && values?.every((value) => value === '0' || value === '1')) {
    return { column: best, note: 'only 0 and 1: declare `bool` if they mean no and yes' };
  }
  return { column: best, note: null };
}

export function noteRival(chosen: Column, other: Column): string {
  return `GUESS: ${chosen.format}, or ${other.format}: no day above 12 shows which`;
}

/** Returns which of day and month comes first in a column; null if the format does not show it. */
export function orderOfDays({ format }: Column): DayOrder | null {
  // A format with the month's name does not show how the system writes dates in digits.
  if (format?.includes('MMM') === true) return null;
  if (format?.startsWith('d') === true) return 'day';
  return format?.startsWith('M') === true ? 'month' : null;
}

/** True for a column with an x in some rows. An empty cell then means no, not unknown. */
function isTick(column: Column): boolean {
  return column.trueWords?.includes('x') === true;
}

/** True if yes and no both occur, or if the column has an x. A column that contains only `no` may mean the country Norway. */
function saysBoth(values: readonly string[] | null, column: Column): boolean {
  if (values === null) return false;
  if (isTick(column)) return values.every((value) => /^x$/i.test(value));
  const { readText } = compileCell(column, 'UTC');
  const isFlag = values.every((value) => /^(?:true|false)$/i.test(value));
  const hasWords = values.some((value) => /[a-z]/i.test(value));
  return isFlag || (hasWords && new Set(values.map((value) => readText(value))).size === 2);
}

/**
 * Declares a list if items recur in other cells and the number of items varies. A postal address has several parts too, but
 * they do not recur.
 */
function asList(values: readonly string[] | null, text: Column): Choice | null {
  for (const separator of [';', '|']) {
    const cells = (values ?? []).map((value) => value.split(separator).map((item) => item.trim()));
    const items = cells.flat();
    const isList =
      cells.filter((cell) => cell.length > 1).length > 1 &&
      new Set(cells.map((cell) => cell.length)).size > 1 &&
      items.every((item) => item.length <= 40 && !/[\d,]/.test(item)) &&
      new Set(items).size <= items.length * 0.7;
    if (isList) return { column: { ...text, type: 'list', separator }, note: null };
  }
  return null;
}

/** Declares texts that may be something else, with a note that says so. */
function asLikely(values: readonly string[] | null, text: Column): Choice | null {
  if (values === null) return null;
  // Numbers with leading zeros and no comma are ids, such as accounts or cost centres.
  if (values.every((value) => /^-?\d{1,15}(?:,\d{1,6})?$/.test(value)) && values.some((value) => value.includes(','))) {
    const how = 'double(record.x.replace(",", "."))';
    return { column: text, note: `numbers with a decimal comma are read as text; \`${how}\` turns one into a number` };
  }
  if (values.every((value) => SHORT_YEAR.test(value)))
    return {
      column: text,
      note: `GUESS: not a date: \`${values[0]}\` does not show the century; export years with four digits`,
    };
  const cells = values.map((value) => value.split(',').map((item) => item.trim()));
  const isLikely =
    cells.filter((cell) => cell.length > 1).length > 1 &&
    cells.flat().every((item) => item !== '' && item.length <= 40 && !/\d/.test(item)) &&
    new Set(cells.flat()).size <= cells.flat().length * 0.7;
  if (!isLikely) return null;
  return { column: text, note: 'perhaps lists: then declare { type: list, separator: "," }' };
}

function near(tried: readonly TriedCandidate[], text: Column, filled: number): Choice {
  const [best] = tried
    .filter(
      ({ column, misses }) =>
        !['string', 'list', 'bool'].includes(column.type) && misses.length <= filled * MAX_NEAR_SHARE,
    )
    .sort((a, b) => a.misses.length - b.misses.length);
  if (best === undefined || best.misses.length === 0) return { column: text, note: null };
  const { type, format } = best.column;
  const lines = best.misses.slice(0, LINES_SHOWN).join(', ');
  const more = best.misses.length > LINES_SHOWN ? ' and others' : '';
  const what = format === null ? type : `${type}, format ${format}`;
  return {
    column: text,
    note: `all but ${best.misses.length} of ${filled} cells are ${what}; not line ${lines}${more}`,
  };
}
