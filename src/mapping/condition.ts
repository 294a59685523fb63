import type { Columns } from '../model/column.js';
import type { Cell } from '../model/source.js';
import { compileChecked } from './expression.js';
import { decide } from './mapping-leaf.js';
import { createScope, type Scope } from './scope.js';

/** Evaluates the condition for one row. Throws RecordFault if the condition cannot be evaluated. */
export type Condition = (cells: Readonly<Record<string, Cell>>) => boolean;

/**
 * The scope for a condition on the rows of one stream. It contains the row as `record`, but not the day, so the result
 * stays valid as long as the row does.
 */
export function createRowScope(columns: Columns, timezone: string): Scope {
  return createScope([{ name: 'record', columns, enriching: false }], null, timezone);
}

/** @param path path of the condition in the configuration, which checked the condition when it was loaded */
export function compileCondition(path: string, text: string, columns: Columns, timezone: string): Condition {
  const scope = createRowScope(columns, timezone);
  const expression = compileChecked(scope, path, text, 'bool');
  return (cells) => {
    scope.show('record', cells);
    return decide({ path, expression }, scope);
  };
}
