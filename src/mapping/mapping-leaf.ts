import type { Json } from '../model/json.js';
import { type Expression, explainFailure } from './expression.js';
import { RecordFault } from './record-fault.js';
import type { Scope } from './scope.js';
import type { ValuePlace } from './values.js';

/** One expression of a mapping, with its path, such as `title.en`, `office.country` or `role_allowed_offices[0].name`. */
export interface MappingLeaf extends Pick<ValuePlace, 'writeDate' | 'hear' | 'hidden'> {
  readonly path: string;
  readonly expression: Expression;
}

/** The value of the expression. undefined: no value. null: the value depends on a source that was read incompletely. */
export function evaluateLeaf({ expression }: Pick<MappingLeaf, 'expression'>, { tracker }: Scope): unknown {
  tracker.source = null;
  try {
    const value = expression.run();
    return tracker.source === null ? value : null;
  } catch (error) {
    if (tracker.source !== null) return null;
    throw error;
  }
}

/** The value of a field or of a part of a field. undefined: empty. null: unknown, so the base is kept. */
export function readLeaf<T extends Json>(
  leaf: MappingLeaf,
  scope: Scope,
  convert: (value: unknown, at: ValuePlace) => T | undefined,
): T | undefined | null {
  const { tracker } = scope;
  const value = restsOnNothing(leaf, scope) ? orUndefined(leaf, scope) : evaluateOrFault(leaf, scope);
  if (value === null) {
    tracker.leaves.push(leaf.path);
    return null;
  }
  const before = tracker.heard.length;
  const converted = convert(value, leaf);
  // A word for nothing must not clear anything.
  return converted === undefined && tracker.heard.length > before ? null : converted;
}

/** True if the expression reads a word for nothing in a column of dates or numbers. */
export function restsOnNothing(
  { expression }: Pick<MappingLeaf, 'expression'>,
  { tracker: { noted } }: Scope,
): boolean {
  return noted !== null && expression.reads.some((name) => noted.get(name)?.kind === 'nothing');
}

/** Treats a failure as no value, because expressions do not expect an absent cell in a required column. */
function orUndefined(leaf: MappingLeaf, scope: Scope): unknown {
  try {
    return evaluateLeaf(leaf, scope);
  } catch {
    return undefined;
  }
}

function evaluateOrFault(leaf: MappingLeaf, scope: Scope): unknown {
  try {
    return evaluateLeaf(leaf, scope);
  } catch (error) {
    throw failedExpression(leaf, error);
  }
}

export function failedExpression(leaf: MappingLeaf, error: unknown): RecordFault {
  return new RecordFault(
    'SYNC_MAP_EXPRESSION',
    `${leaf.path}: \`${leaf.expression.text}\` failed: ${explainFailure(error)}`,
    'Correct the record, or make the expression handle such values.',
  );
}

/**
 * Evaluates `scope` or `leaver.when`. If there is no result, the record is held, because a wrong decision would create
 * or deactivate a person.
 */
export function decide(leaf: MappingLeaf, scope: Scope): boolean {
  const value = evaluateOrFault(leaf, scope);
  if (value === null) {
    throw new RecordFault(
      'SYNC_MAP_EXPRESSION',
      `${leaf.path}: \`${leaf.expression.text}\` depends on ${scope.tracker.source}, whose read is incomplete`,
      `It is tried again with the next complete read of ${scope.tracker.source}.`,
    );
  }
  if (typeof value === 'boolean') return value;
  throw new RecordFault(
    'SYNC_MAP_EXPRESSION',
    `${leaf.path}: \`${leaf.expression.text}\` yielded neither true nor false`,
    'Make the expression a comparison, or give absent values a replacement with `.orValue(…)`.',
  );
}
