import { compileExpression, explainFailure } from '../../src/mapping/expression.js';
import { createScope, type Scope } from '../../src/mapping/scope.js';
import type { Want } from '../../src/mapping/wanted.js';
import type { Column, Columns } from '../../src/model/column.js';
import type { LookupMaps } from '../../src/model/lookup-maps.js';
import type { Cell } from '../../src/model/source.js';

const PLAIN = { optional: false, format: null, trueWords: null, separator: ';' } as const;

/** A column of this type; with `?` its cells may be absent. */
export function columnOf(type: Column['type'] | `${Column['type']}?`): Column {
  return { ...PLAIN, type: type.replace('?', '') as Column['type'], optional: type.endsWith('?') };
}

export interface Surroundings {
  readonly columns: Columns;
  readonly maps?: LookupMaps;
  readonly today?: Date;
}

export function openScope({ columns, maps = {}, today = new Date('2026-11-20T00:00:00Z') }: Surroundings): Scope {
  const scope = createScope([{ name: 'hr', columns, enriching: false }], 'record', 'UTC', maps);
  scope.setToday(today);
  return scope;
}

/** The value of an expression for a row, or each problem with its remedy. */
export function evaluate(
  text: string,
  surroundings: Surroundings,
  cells: Readonly<Record<string, Cell>>,
  want: Want = 'cell',
): { readonly value?: unknown; readonly type?: string; readonly wrong: readonly string[] } {
  const scope = openScope(surroundings);
  const { expression, type, findings } = compileExpression(scope, text, want);
  if (expression === null) return { wrong: findings.map(({ message, remedy }) => `${message}: ${remedy}`) };
  scope.show('hr', cells);
  try {
    return { value: expression.run(), type, wrong: [] };
  } catch (error) {
    return { type, wrong: [explainFailure(error)] };
  }
}
