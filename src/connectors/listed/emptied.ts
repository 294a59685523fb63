import type { Columns } from '../../model/column.js';
import { sha256 } from '../../model/sha256.js';
import type { EmptiedColumn, RecordBatch } from '../../model/source.js';
import type { FilledMemory } from '../connector.js';

/** A column is doubtful if it is now empty for at least 5 records that had a value, and for more than 5 % of them. */
const LEAST = 5;
const PERCENT = 5;
/** The number of days within which emptied cells count together, because damage may happen in small steps. */
const WINDOW_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;

const FILLED = '+';
const EMPTY = '-';
const NOT_FILLED = /[^+]/g;
/** Letters for the day on which a cell was emptied; they repeat. */
const DAYS = 'abcdefghijklmnop';

/**
 * Remembers the filled columns of each record from its last use, and finds columns that are now empty for many records.
 * The usual reason is a key that has lost its permission for the field.
 *
 *     +  had a value     -  had none     a…p  was emptied on that day, at most a week ago
 */
export function watchEmptied(memory: FilledMemory, columns: Columns, now: () => number) {
  const names = Object.keys(columns).sort();
  /**
   * Key → the signs from the last use, empty for a new record. After a slash follow the signs of the current read, as in
   * `+-a/++-`.
   */
  let records = new Map<string, string>();
  const keepOnce = createKeeper();
  let counts: readonly ColumnCount[] = [];
  let day = 0;
  /** True if the stored signs are for other columns or in a different order. */
  let isOld = false;

  /** Lists the signs of each record. `now` is null for a record that the read did not contain. */
  function* listSigns(): Iterable<readonly [key: string, before: string, now: string | null]> {
    for (const [key, text] of records) {
      const [before = '', filled] = text.split('/');
      const signs = filled?.split('').map((sign, at) => signOf(before[at] ?? EMPTY, sign === FILLED, day));
      yield [key, before, signs?.join('') ?? null];
    }
  }

  return {
    begin(): void {
      const places = (memory.columns() ?? names).map((column) => names.indexOf(column));
      isOld = places.length !== names.length || places.some((place, at) => place !== at);
      records = new Map();
      for (const [key, signs] of memory.each())
        records.set(key, keepOnce(isOld ? arrange(signs, places, names.length) : signs));
      day = Math.floor(now() / DAY_MS);
    },
    /** Notes the filled columns. A record may have several rows; a column is filled if one row has a value. */
    see({ records: made, rejected }: Pick<RecordBatch, 'records' | 'rejected'>): void {
      for (const { key, cells } of made) {
        const [before = '', seen = ''] = (records.get(key) ?? '').split('/');
        const signs = names.map((name, at) => (cells[name] !== undefined || seen[at] === FILLED ? FILLED : EMPTY));
        records.set(key, keepOnce(`${before}/${signs.join('')}`));
      }
      // The cells of rejected rows are unknown, so they count as unchanged.
      for (const { key } of rejected) {
        const before = key === null ? undefined : records.get(key);
        if (key !== null && before?.includes('/') === false)
          records.set(key, keepOnce(`${before}/${before.replace(NOT_FILLED, EMPTY)}`));
      }
    },
    list(): readonly EmptiedColumn[] {
      counts = names.map((column) => ({ column, had: 0, emptied: [] }));
      for (const [key, before, signs] of listSigns()) {
        if (before === '' || signs === null) continue;
        for (const [at, count] of counts.entries()) countCell(count, key, before[at], signs[at]);
      }
      return counts.filter(isTooMuch).map(({ column, had, emptied }) => ({
        ...{ column, had, emptied: emptied.length },
        digest: sha256([column, ...[...emptied].sort()].join('\n')),
      }));
    },
    /**
     * Called after a run has used the read. Emptied cells of doubtful columns then count as correct.
     *
     * @param isSound true if the read was not interrupted, so that records missing from it are forgotten
     */
    settle(isSound: boolean): void {
      const settled = counts.map(isTooMuch);
      const [changed, gone]: [(readonly [string, string])[], string[]] = [[], []];
      for (const [key, before, now] of listSigns()) {
        const signs = (now ?? before).split('');
        const used = signs.map((sign, at) => (sign !== FILLED && settled[at] === true ? EMPTY : sign)).join('');
        if (now === null && isSound) gone.push(key);
        else if (isOld || used !== before) changed.push([key, keepOnce(used)]);
      }
      memory.note(names, changed, gone);
      records = new Map();
    },
  };
}

interface ColumnCount {
  readonly column: string;
  had: number;
  readonly emptied: string[];
}

/** Returns a function that keeps one copy of equal signs, because there are few different ones. */
function createKeeper(): (signs: string) => string {
  const kept = new Map<string, string>();
  return (signs) => {
    const one = kept.get(signs) ?? signs;
    kept.set(one, one);
    return one;
  };
}

function countCell(count: ColumnCount, key: string, before: string | undefined, after: string | undefined): void {
  if (after === EMPTY || (after === FILLED && before !== FILLED)) return;
  count.had += 1;
  if (after !== FILLED) count.emptied.push(key);
}

/** Rearranges signs for a new order of columns. A new column counts as empty. */
function arrange(signs: string, places: readonly number[], count: number): string {
  const arranged = new Array<string>(count).fill(EMPTY);
  for (const [at, place] of places.entries()) if (place >= 0) arranged[place] = signs[at] ?? EMPTY;
  return arranged.join('');
}

function signOf(before: string, isFilled: boolean, day: number): string {
  if (isFilled) return FILLED;
  const today = DAYS[day % DAYS.length] ?? EMPTY;
  if (before === FILLED) return today;
  if (before === EMPTY) return EMPTY;
  const age = ((day % DAYS.length) - DAYS.indexOf(before) + DAYS.length) % DAYS.length;
  return age > WINDOW_DAYS ? EMPTY : before;
}

function isTooMuch({ had, emptied }: ColumnCount): boolean {
  return emptied.length >= LEAST && emptied.length * 100 > had * PERCENT;
}
