import { canonicalJson, type Json } from '../../src/model/json.js';
import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Cells, Edit, Hand, Rows, Settings, TableName, Tables } from './history.js';
import type { Random } from './random.js';

/** What the service should hold: `user E1` → what is known of it. Two objects of one name are `user E1` and `user E1 (2)`. */
export type Holding = ReadonlyMap<string, Facts>;
export type Facts = { readonly [field: string]: Yaml };
export type State = ReturnType<Story['sandbox']['state']>;

/** What there is to know when a part of the company is looked at in a round. */
export interface Moment {
  readonly settings: Settings;
  /** What the service holds at the start of the round. */
  readonly before: Holding;
  /** What it should hold after it, as far as the parts so far say. */
  readonly after: Holding;
  /** Who has ever been linked, whatever has become of them. */
  readonly known: ReadonlySet<string>;
  /** What the source shows since its last delivery. */
  readonly rows: Rows;
  /** What the sources show, those of the parts before this one as of now. */
  readonly shown: Partial<Tables>;
  /** Whether this round has a new delivery. */
  readonly delivers: boolean;
  readonly nowMs: number;
}

/** One kind of object in the campaign: how its rows come about, and what the service should make of them. */
export interface Part {
  /** First word of its objects' names. */
  readonly of: string;
  readonly table: TableName;
  /** The source that delivers them, as the configuration names it. */
  readonly source: string;
  config(settings: Settings): { readonly [key: string]: Yaml };
  /** A random edit; null when nothing suits. */
  edit(random: Random, tables: Tables, fresh: () => number): Edit | null;
  /** A random change by somebody else. */
  hand?(random: Random, tables: Tables): Hand | null;
  doByHand?(story: Story, hand: Hand, facts: Facts): Promise<void>;
  /** The rows that a delivery has: those that name what is not there would be held, which is another story. */
  select?(rows: Rows, moment: Omit<Moment, 'rows'>): Rows;
  deliver(story: Story, rows: Rows): void;
  /** A new reference, which remembers from round to round what it must. */
  createReference(): PartReference;
  /** What the service does hold. */
  describe(state: State): readonly (readonly [name: string, facts: Facts])[];
  /** The fewest writes that make one object what it should be (traps, Fewest writes). */
  countWrites(before: Facts | undefined, after: Facts | undefined): number;
  /** Writes that several objects need together, or save. */
  countCommon?(before: Holding, after: Holding): number;
}

export interface PartReference {
  /** What the service should hold after the round, this kind included. */
  expect(moment: Moment): Holding;
  /** The keys of those that are held since then. */
  listHeld?(): readonly string[];
  /** Somebody is put out of use by a run, or by an undo; a restored state knows of neither. */
  seeUse?(from: Holding, to: Holding, by: { readonly isRun: boolean; readonly nowMs: number }): void;
  /** How long to wait before a round, so that it is sure what is due in it. */
  waitMs?(nowMs: number): number;
}

export function text(cells: Cells, column: string): string {
  return String(cells[column] ?? '');
}

/** `a+b`, sorted. */
export function toList(cells: Cells, column: string): readonly string[] {
  return text(cells, column).split('+').filter(Boolean).sort();
}

/** What stays when the source says nothing. */
export function keepText(cells: Cells, column: string, now: Yaml | undefined): Yaml {
  return text(cells, column) === '' ? (now ?? null) : text(cells, column);
}

export function clearedText(cells: Cells, column: string): Yaml {
  return text(cells, column) === '' ? null : text(cells, column);
}

/** `yes`, `no`, or what is there already. */
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

/** Objects by name; the second of a name is told apart, so that a doubled one shows. */
export function collect(objects: readonly (readonly [string, Facts])[]): Holding {
  const holding = new Map<string, Facts>();
  for (const [name, facts] of objects) {
    let unique = name;
    for (let number = 2; holding.has(unique); number++) unique = `${name} (${number})`;
    holding.set(unique, facts);
  }
  return holding;
}
