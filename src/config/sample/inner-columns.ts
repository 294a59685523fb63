import { isJsonObject, type Json, type JsonObject } from '../../model/json.js';
import { type ColumnGuesser, type CompiledCandidate, createColumnGuesser } from './guess-column.js';
import { writePointer } from './yaml-text.js';

/** What is in an object of JSON, as a column of its own. */
export interface InnerColumn {
  /** JSON pointer within the row. */
  readonly at: string;
  readonly path: readonly string[];
  readonly guesser: ColumnGuesser;
}

/** Deeper than that, somebody has to say what is meant. */
const MOST_LEVELS = 4;
/** More names than this are no fields, whatever the rest says. */
const MOST_NAMES = 300;
/** From so many on, names of which each row has next to none are ids. */
const MANY_NAMES = 20;
const FEW = 0.1;

/** The names that objects at one place have. */
interface SeenObjects {
  count: number;
  entries: number;
  readonly names: Set<string>;
}

/**
 * Objects in rows of JSON, and the objects in them. One whose names are ids, as in `{ "roles": { "r17": …, "r18": … } }`, stays
 * one column: its names are data, and the next row has others.
 */
export class InnerColumns {
  readonly #columns = new Map<string, InnerColumn>();
  readonly #objects = new Map<string, SeenObjects>();

  constructor(private readonly candidates: readonly CompiledCandidate[]) {}

  /** @param path of a value of the row, which is a column itself where it has one name alone */
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

/** As in `resolve-sources.ts`: the cells of a record are a plain object. */
export function isTaken(name: string): boolean {
  return name.trim() === '' || name in Object.prototype || name === 'prototype';
}
