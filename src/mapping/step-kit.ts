import type { FieldSource } from '../config/config.js';
import type { Json } from '../model/json.js';
import type { Expression, Want } from './expression.js';
import type { ValuePlace } from './values.js';

/** One compiled expression of a tree; the same as `Leaf` of `field-steps.ts`, which builds on this file. */
export interface KitLeaf {
  readonly path: string;
  readonly expression: Expression;
}

/** What a field of a shape of its own needs to be read. */
export interface StepKit {
  compile(path: string, text: string, want: Want): KitLeaf;
  readonly timezone: string;
  /** undefined: empty; null: it rests on a source whose read cannot tell. */
  read<T extends Json>(leaf: KitLeaf, convert: (value: unknown, at: ValuePlace) => T | undefined): T | undefined | null;
  /** What an empty value means at a path of the mapping: null to clear, undefined to keep. */
  emptyValue(path: string): null | undefined;
}

export interface KitStep {
  readonly name: string;
  readonly leaves: readonly KitLeaf[];
  read(): Json | undefined;
}

export type SourceTree = { readonly [key: string]: FieldSource };

/** A mapping of the tree; an empty one for anything else. */
export function treeOf(source: FieldSource | undefined): SourceTree {
  return typeof source === 'object' && !Array.isArray(source) ? (source as SourceTree) : {};
}
