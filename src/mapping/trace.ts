import { createDateWriter } from '../model/date-in-zone.js';
import type { Json } from '../model/json.js';
import { explainFailure } from './expression.js';
import { evaluateLeaf, type MappingLeaf } from './mapping-leaf.js';
import type { Scope } from './scope.js';
import { jsonOf } from './values.js';

/** The result of one expression for one record, before the rules of the field apply. `explain` shows it. */
export interface TraceStep {
  /** A path such as `title.en`, `scope` or `leaver.when`. */
  readonly path: string;
  readonly expression: string;
  readonly result:
    | { readonly kind: 'value'; readonly value: Json }
    | { readonly kind: 'absent'; readonly clears?: true }
    /** The value is unknown because `source` was read incompletely. */
    | { readonly kind: 'unknown'; readonly source: string }
    | { readonly kind: 'error'; readonly reason: string };
  /** The sources that the expression can read from. */
  readonly depends: readonly string[];
}

/** @param clears true if an empty value clears the field instead of keeping it */
export function traceLeaf(leaf: MappingLeaf, scope: Scope, clears = false): TraceStep {
  const result = evaluate(leaf, scope);
  return {
    path: leaf.path,
    expression: leaf.expression.text,
    result: clears && result.kind === 'absent' ? { ...result, clears } : result,
    depends: leaf.expression.sources,
  };
}

function evaluate(leaf: MappingLeaf, scope: Scope): TraceStep['result'] {
  try {
    const value = evaluateLeaf(leaf, scope);
    if (value === null) return { kind: 'unknown', source: scope.tracker.source ?? '' };
    return value === undefined
      ? { kind: 'absent' }
      : { kind: 'value', value: jsonOf(value, createDateWriter(scope.timezone)) };
  } catch (error) {
    return { kind: 'error', reason: explainFailure(error) };
  }
}
