import type { Yaml } from '../scenarios/company.js';
import type { Story } from '../scenarios/kit.js';
import type { Cells, Edit, Hand, Settings, Tables } from './history.js';
import type { Random } from './random.js';

/** What the service should hold: `user E1` → what is known of it. Two objects of one name are `user E1` and `user E1 (2)`. */
export type Holding = ReadonlyMap<string, Facts>;
export type Facts = { readonly [field: string]: Yaml };

/** What there is to know before a round. */
export interface Before {
  readonly settings: Settings;
  /** What the service holds now, by the reference. */
  readonly holding: Holding;
  readonly tables: Tables;
  /** Whether this round has a new delivery. */
  readonly delivers: boolean;
}

/** One kind of object in the campaign: how its rows come about, and what the service should make of them. */
export interface Part {
  readonly name: string;
  config(settings: Settings): { readonly [key: string]: Yaml };
  /** A random edit; null when nothing suits. */
  edit(random: Random, tables: Tables, fresh: () => number): Edit | null;
  /** A random change by other hands. */
  hand?(random: Random, tables: Tables, settings: Settings): Hand | null;
  deliver(story: Story, tables: Tables): void;
  /** A new reference, which remembers from round to round what it must. */
  createReference(): PartReference;
  /** What the service does hold. */
  describe(state: ReturnType<Story['sandbox']['state']>): readonly (readonly [name: string, facts: Facts])[];
  /** The fewest writes from one holding to the next (traps, Fewest writes). */
  countWrites(before: Holding, after: Holding): number;
}

export interface PartReference {
  /** What the service should hold of this kind after the round. */
  expect(before: Before): Holding;
}

export function text(cells: Cells, column: string): string {
  return String(cells[column] ?? '');
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
