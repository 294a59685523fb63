import { Environment } from '@marcbachmann/cel-js';
import { createDateFormatter } from '../model/date-in-zone.js';
import { registerCase } from './ascii-case.js';
import { registerLinearMatches } from './linear-patterns.js';
import { registerNames } from './names.js';
import { registerOptionalValues } from './optional-values.js';
import { registerTally, replaceAll } from './tally.js';

const TIMESTAMP = 'google.protobuf.Timestamp';

/**
 * Creates a CEL environment with functions that the library lacks: `'a-b'.replace('-', ' ')` (all occurrences) ·
 * `string(record.start)` → `2025-11-20` · names (`names.ts`) · `lower()` and `upper()` · `record.start.year()`,
 * `.month()` (1–12), `.day()` (1–31).
 *
 * These functions use the configured time zone. The library's own `getFullYear()` uses UTC, where midnight in Oslo on 1
 * January still belongs to the old year.
 */
export function createEnvironment(timezone: string): Environment {
  const environment = new Environment({ enableOptionalTypes: true });
  const dateIn = createDateFormatter(timezone);
  environment.registerFunction('string.replace(string, string): string', replaceAll);
  registerNames(environment);
  registerCase(environment);
  registerLinearMatches(environment);
  registerTally(environment);
  registerOptionalValues(environment);
  environment.registerFunction(`string(${TIMESTAMP}): string`, dateIn);
  environment.registerFunction(`${TIMESTAMP}.year(): int`, (at: Date) => BigInt(dateIn(at).slice(0, -6)));
  environment.registerFunction(`${TIMESTAMP}.month(): int`, (at: Date) => BigInt(dateIn(at).slice(-5, -3)));
  environment.registerFunction(`${TIMESTAMP}.day(): int`, (at: Date) => BigInt(dateIn(at).slice(-2)));
  return environment;
}
