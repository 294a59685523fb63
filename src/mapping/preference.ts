import type { Config } from '../config/config.js';
import type { SourceRecord } from '../model/source.js';
import { findLasting, type Lasting } from './day-tests.js';
import { compileChecked } from './expression.js';
import { failedExpression } from './mapping-leaf.js';
import { createScope } from './scope.js';
import { listVisibleToPrefer, type StreamShape } from './streams.js';

/** Ranks rows with the same key; the greater rank wins. The rank is null without `prefer`, or if `prefer` yields no value. */
export interface Preference {
  /** Throws RecordFault if the expression fails. */
  read(record: SourceRecord, today: Date): number | string | null;
  /** The columns that `prefer` reads, as `source.column`. */
  readonly reads: readonly string[];
  /** Says how long the rank of the last read record stays valid. */
  readonly lasting: Lasting;
}

const NO_PREFERENCE: Preference = { read: () => null, reads: [], lasting: { isDated: false, until: () => null } };

export function createPreference(
  stream: StreamShape,
  { timezone, maps }: Pick<Config, 'timezone' | 'maps'>,
): Preference {
  if (stream.prefer === null) return NO_PREFERENCE;
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
    reads: expression.reads,
    lasting: findLasting(scope, [stream.prefer]),
  };
}

function toRank(value: unknown): number | string | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.getTime();
  return typeof value === 'number' || typeof value === 'string' ? value : null;
}
