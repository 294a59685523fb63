import type { Columns } from '../model/column.js';
import type { Cell } from '../model/source.js';
import { compileChecked } from './expression.js';
import { decide } from './mapping-leaf.js';
import { createScope, type Scope } from './scope.js';

/** Decides yes or no for one row. Throws RecordFault if there is no answer. */
export type Condition = (cells: Readonly<Record<string, Cell>>) => boolean;

/** The scope of a condition on the rows of one stream: the row as `record`, and no day, so that its answer is valid as long as the row. */
export function createRowScope(columns: Columns, timezone: string): Scope {
  return createScope([{ name: 'record', columns, enriching: false }], null, timezone);
}

/** @param path of the condition in the configuration, which checked it when it was loaded */
export function compileCondition(path: string, text: string, columns: Columns, timezone: string): Condition {
  const scope = createRowScope(columns, timezone);
  const expression = compileChecked(scope, path, text, 'bool');
  return (cells) => {
    scope.show('record', cells);
    return decide({ path, expression }, scope);
  };
}
