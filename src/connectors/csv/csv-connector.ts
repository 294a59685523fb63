import type { CsvSourceConfig } from '../../config/config.js';
import type { Connector, ConnectorContext } from '../connector.js';
import { createDropConnector } from '../drop/drop-connector.js';
import { createDelimitedReader } from '../formats/delimited.js';

/** HR exports: CSV files dropped in a folder. */
export function createCsvConnector(name: string, config: CsvSourceConfig, context: ConnectorContext): Connector {
  const shape = { source: name, key: config.key, columns: config.columns, timezone: context.timezone };
  const reader = createDelimitedReader(shape, config.separator, config.rules);
  return createDropConnector({ name, drop: config, encoding: config.encoding, chooseReader: () => reader }, context);
}
