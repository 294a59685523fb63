import type { Config } from '../config/config.js';
import type { Columns } from '../model/column.js';
import { createDateWriter } from '../model/date-in-zone.js';
import type { Json } from '../model/json.js';
import type { SourceRecord } from '../model/source.js';
import { compileExpression, explainFailure } from './expression.js';
import type { Finding } from './inspect.js';
import { createScope } from './scope.js';
import { jsonOf } from './values.js';

/** The result of an expression for one row; `null` if the expression yields no value. */
export interface TriedRow {
  readonly key: string;
  readonly line: number | null;
  readonly value: Json;
  /** The reason why the expression failed for this row; null if it did not. */
  readonly failed: string | null;
}

export type Tried =
  | { readonly type: string; readonly rows: readonly TriedRow[]; readonly findings: readonly [] }
  | { readonly type: null; readonly rows: readonly []; readonly findings: readonly Finding[] };

export interface TryContext {
  /** The name of the source, which expressions may also use. */
  readonly source: string;
  readonly columns: Columns;
  readonly today: Date;
  readonly settings: Pick<Config, 'timezone' | 'maps'>;
}

/** Evaluates an expression of any type over some rows, as a mapping would. */
export function tryExpression(text: string, records: readonly SourceRecord[], context: TryContext): Tried {
  const { source, columns, today, settings } = context;
  const visible = { name: source, columns, enriching: false };
  const scope = createScope([visible], 'record', settings.timezone, settings.maps);
  scope.setToday(today);
  const { expression, type, findings } = compileExpression(scope, text, 'anything');
  if (expression === null) return { type: null, rows: [], findings };
  const write = createDateWriter(settings.timezone);
  const rows = records.map(({ key, place, cells }): TriedRow => {
    scope.show(source, cells);
    const at = { key, line: place.line ?? null };
    try {
      const value = expression.run();
      return { ...at, value: value === undefined ? null : jsonOf(value, write), failed: null };
    } catch (error) {
      return { ...at, value: null, failed: explainFailure(error) };
    }
  });
  return { type, rows, findings: [] };
}
