import type { FieldSource } from '../config/config.js';
import type { Json } from '../model/json.js';
import type { MappingLeaf } from './mapping-leaf.js';
import { convertText, type ValuePlace } from './values.js';
import type { Want } from './wanted.js';

/** One field. `read` returns its value for the shown record; undefined leaves the field unchanged, null clears it. */
export interface FieldStep {
  readonly name: string;
  readonly leaves: readonly MappingLeaf[];
  read(): Json | undefined;
}

/** The tools for building steps. Expressions are compiled for one scope and read from the record that it shows. */
export interface StepKit {
  compile(path: string, text: string, want: Want): MappingLeaf;
  readonly timezone: string;
  /** Returns undefined if the value is empty, and null if the value depends on an incompletely read source. */
  read<T extends Json>(
    leaf: MappingLeaf,
    convert: (value: unknown, at: ValuePlace) => T | undefined,
  ): T | undefined | null;
  /** The result for an empty value at a path of the mapping: null to clear the field, undefined to keep it. */
  emptyValue(path: string): null | undefined;
}

/** Returns a branch of the tree, or an empty branch if the source is not a branch. */
export function treeOf(source: FieldSource | undefined): { readonly [key: string]: FieldSource } {
  return typeof source === 'object' && !Array.isArray(source)
    ? (source as { readonly [key: string]: FieldSource })
    : {};
}

/** Key → expression, for example for the languages of a text. */
export type Leaves = Readonly<Record<string, MappingLeaf>>;

export function compileBranches(kit: StepKit, path: string, source: FieldSource | undefined, want: Want): Leaves {
  const branches = Object.entries(treeOf(source)).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, kit.compile(`${path}.${key}`, text, want)] as const] : [],
  );
  return Object.fromEntries(branches);
}

/** Reads the texts of all languages; null if one of them is unknown. */
export function readTexts(kit: StepKit, leaves: Leaves): Readonly<Record<string, string>> | null {
  const texts: Record<string, string> = {};
  for (const [language, leaf] of Object.entries(leaves)) {
    const text = kit.read(leaf, convertText);
    if (text === null) return null;
    if (text !== undefined) texts[language] = text;
  }
  return texts;
}
