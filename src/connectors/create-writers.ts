import type { Config } from '../config/config.js';
import type { ConnectorContext } from './connector.js';
import type { SourceWriter } from './source-writer.js';

/** What tells each stream that may be written to, by the name that expressions use. */
export function createWriters(_config: Config, _context: ConnectorContext): Map<string, SourceWriter> {
  return new Map();
}
