import type { Config } from '../config/config.js';
import type { SourceRecord } from '../model/source.js';
import { compileChecked } from './expression.js';
import { failedExpression } from './mapping-leaf.js';
import { createScope } from './scope.js';
import { listVisibleToPrefer, type StreamShape } from './streams.js';

/** The rank of a row among rows of the same key, greater wins; null without `prefer` or when it yields nothing. */
export interface Preference {
  /** Throws RecordFault. */
  read(record: SourceRecord, today: Date): number | string | null;
  /** Whether the rank of the last record may be another on another day. */
  isDated(): boolean;
}

export function createPreference(
  stream: StreamShape,
  { timezone, maps }: Pick<Config, 'timezone' | 'maps'>,
): Preference {
  if (stream.prefer === null) return { read: () => null, isDated: () => false };
  const scope = createScope(listVisibleToPrefer(stream), 'record', timezone, maps);
  const expression = compileChecked(scope, 'prefer', stream.prefer, 'rank');
  return {
    read(record, today) {
      scope.setToday(today);
      scope.show(stream.name, record.cells);
      try {
        return toRank(expression.run());
      } catch (error) {
        throw failedExpression({ path: 'prefer', expression }, error);
      }
    },
    isDated: scope.isDated,
  };
}

function toRank(value: unknown): number | string | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.getTime();
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}
