import type { Columns } from '../model/column.js';
import type { Cell } from '../model/source.js';
import { compileChecked } from './expression.js';
import { decide } from './mapping-leaf.js';
import { createScope, type Scope } from './scope.js';

/** The yes or no of one row. Throws RecordFault where there is no answer. */
export type Condition = (cells: Readonly<Record<string, Cell>>) => boolean;

/** What a condition on the rows of one stream sees: the row as `record`, and no day: its answer stays as long as the row does. */
export function createRowScope(columns: Columns, timezone: string): Scope {
  return createScope([{ name: 'record', columns, enriching: false }], null, timezone);
}

/** @param path where it is in the configuration, which has checked it when it was loaded */
export function compileCondition(path: string, text: string, columns: Columns, timezone: string): Condition {
  const scope = createRowScope(columns, timezone);
  const expression = compileChecked(scope, path, text, 'bool');
  return (cells) => {
    scope.show('record', cells);
    return decide({ path, expression }, scope);
  };
}
