import { canonicalJson, type Json } from '../../src/model/json.js';
import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Cells, Edit, Hand, Rows, Settings, TableName, Tables } from './history.js';
import type { Random } from './random.js';

/**
 * The expected contents of the service: `user E1` → its facts. Two objects of one name are `user E1` and `user E1 (2)`.
 */
export type Holding = ReadonlyMap<string, Facts>;
export type Facts = { readonly [field: string]: Yaml };
export type State = ReturnType<Story['sandbox']['state']>;

/** The facts needed to judge a part of the company in a round. */
export interface Moment {
  readonly settings: Settings;
  /** The contents of the service at the start of the round. */
  readonly before: Holding;
  /** The expected contents after the round, according to the earlier parts. */
  readonly after: Holding;
  /** Everyone who was ever linked, whatever happened since. */
  readonly known: ReadonlySet<string>;
  /** The source's rows since its last delivery. */
  readonly rows: Rows;
  /** The rows of all sources; those of earlier parts are current. */
  readonly shown: Partial<Tables>;
  /** This round has a new delivery. */
  readonly delivers: boolean;
  readonly nowMs: number;
}

/** One kind of object in the campaign: how its rows are generated, and what the service should contain. */
export interface Part {
  /** First word of its objects' names. */
  readonly of: string;
  readonly table: TableName;
  /** The source that delivers them, by its name in the configuration. */
  readonly source: string;
  config(settings: Settings): { readonly [key: string]: Yaml };
  /** A random edit; null if none fits. */
  edit(random: Random, tables: Tables, fresh: () => number): Edit | null;
  /** A random edit by others in the service. */
  hand?(random: Random, tables: Tables): Hand | null;
  doByHand?(story: Story, hand: Hand, facts: Facts): Promise<void>;
  /** The rows of a delivery. Rows that name missing objects would be held, which is another story. */
  select?(rows: Rows, moment: Omit<Moment, 'rows'>): Rows;
  deliver(story: Story, rows: Rows): void;
  /** A new reference, which keeps its memory from round to round. */
  createReference(): PartReference;
  /** The actual contents of the service. */
  describe(state: State): readonly (readonly [name: string, facts: Facts])[];
  /** The fewest writes that turn one object into the expected one (traps, Fewest writes). */
  countWrites(before: Facts | undefined, after: Facts | undefined): number;
  /** Writes that several objects need together, or save. */
  countCommon?(before: Holding, after: Holding): number;
}

export interface PartReference {
  /** The expected contents after the round, including this kind. */
  expect(moment: Moment): Holding;
  /** The keys that are held since then. */
  listHeld?(): readonly string[];
  /** Notes people whom a run or an undo deactivated; a restored state knows neither. */
  seeUse?(from: Holding, to: Holding, by: { readonly isRun: boolean; readonly nowMs: number }): void;
  /** How long to wait before a round, so that it is certain what is due in it. */
  waitMs?(nowMs: number): number;
}

export function text(cells: Cells, column: string): string {
  return String(cells[column] ?? '');
}

/** `a+b`, sorted. */
export function toList(cells: Cells, column: string): readonly string[] {
  return text(cells, column).split('+').filter(Boolean).sort();
}

/** The value that stays when the source says nothing. */
export function keepText(cells: Cells, column: string, now: Yaml | undefined): Yaml {
  return text(cells, column) === '' ? (now ?? null) : text(cells, column);
}

export function clearedText(cells: Cells, column: string): Yaml {
  return text(cells, column) === '' ? null : text(cells, column);
}

/** `yes`, `no`, or the existing value. */
export function keepFlag(value: string, now: Yaml | undefined): boolean {
  return value === '' ? now === true : value === 'yes';
}

export function listOf(value: Yaml | undefined): readonly Yaml[] {
  return Array.isArray(value) ? value : [];
}

export function differs(before: Facts | undefined, after: Facts | undefined, field: string): boolean {
  return canonicalJson((before?.[field] ?? null) as Json) !== canonicalJson((after?.[field] ?? null) as Json);
}

export function countDifferent(before: Facts | undefined, after: Facts | undefined, fields: readonly string[]): number {
  return fields.filter((field) => differs(before, after, field)).length;
}

/** Objects by name. A second object of a name gets its own, so that a doubled one is visible. */
export function collect(objects: readonly (readonly [string, Facts])[]): Holding {
  const holding = new Map<string, Facts>();
  for (const [name, facts] of objects) {
    let unique = name;
    for (let number = 2; holding.has(unique); number++) unique = `${name} (${number})`;
    holding.set(unique, facts);
  }
  return holding;
}
