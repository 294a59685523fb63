import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { type ColumnGuesser, type CompiledCandidate, createColumnGuesser } from './guess-column.js';
import { writePointer } from './yaml-text.js';

/** A value in a JSON object that is treated as a separate column. */
export interface InnerColumn {
  /** JSON pointer within the row. */
  readonly at: string;
  readonly path: readonly string[];
  readonly guesser: ColumnGuesser;
}

/** Deeper values are ignored. A user can declare them. */
const MOST_LEVELS = 4;
/** The names in an object with more names than this are ids, not fields. */
const MOST_NAMES = 300;
/** If there are more names than this, and each row has only a few of them, the names are ids. */
const MANY_NAMES = 20;
const FEW = 0.1;

/** The names of the objects at one place. */
interface SeenObjects {
  count: number;
  entries: number;
  readonly names: Set<string>;
}

/**
 * Finds columns for the values in JSON objects and in nested objects. An object with ids as names, such as `{ "roles": { "r17":
 * …, "r18": … } }`, remains one column, because its names are data that differ between rows.
 */
export class InnerColumns {
  readonly #columns = new Map<string, InnerColumn>();
  readonly #objects = new Map<string, SeenObjects>();

  constructor(private readonly candidates: readonly CompiledCandidate[]) {}

  /** @param path names that lead to the value; with a single name the value is a column of the row itself */
  take(path: readonly string[], value: Json, line: number): void {
    const isTop = path.length === 1;
    if (isJsonObject(value)) {
      if (!isTop) this.#take(path, value, line);
      if (path.length < MOST_LEVELS) this.#open(path, value, line);
    } else if (!isTop && !(Array.isArray(value) && value.some(isComposed))) this.#take(path, value, line);
  }

  list(): readonly InnerColumn[] {
    const keyed = [...this.#objects].filter(([, seen]) => hasIds(seen)).map(([at]) => `${at}/`);
    return [...this.#columns.values()].filter(({ at }) => !keyed.some((start) => at.startsWith(start)));
  }

  #open(path: readonly string[], value: JsonObject, line: number): void {
    const at = writePointer(path);
    const seen = this.#objects.get(at) ?? { count: 0, entries: 0, names: new Set() };
    this.#objects.set(at, seen);
    seen.count++;
    for (const [name, part] of Object.entries(value)) {
      if (isTaken(name)) continue;
      seen.entries++;
      if (seen.names.size <= MOST_NAMES) seen.names.add(name);
      if (seen.names.has(name)) this.take([...path, name], part, line);
    }
  }

  #take(path: readonly string[], value: Json, line: number): void {
    const at = writePointer(path);
    const known = this.#columns.get(at) ?? { at, path, guesser: createColumnGuesser(this.candidates) };
    this.#columns.set(at, known);
    known.guesser.take(value, line);
  }
}

function hasIds({ count, entries, names }: SeenObjects): boolean {
  return names.size > MOST_NAMES || (names.size > MANY_NAMES && entries < names.size * count * FEW);
}

function isComposed(value: Json): boolean {
  return Array.isArray(value) || isJsonObject(value);
}

/** True for a name that a record cannot have because its cells are a plain object, as in `resolve-sources.ts`. */
export function isTaken(name: string): boolean {
  return name.trim() === '' || name in Object.prototype || name === 'prototype';
}
