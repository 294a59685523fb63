import type { CrmStreamConfig } from '../../config/config.js';
import type { Connector, ConnectorContext } from '../connector.js';
import { createDelimitedReader } from '../delimited.js';
import { createDropConnector, type RowsReader } from '../drop-connector.js';
import type { RowShape } from '../records.js';
import { createJsonReader } from './json-rows.js';
import { createNdjsonReader } from './ndjson-rows.js';

/** One stream of CRM exports dropped in a folder; the file's ending tells its format. `name` is `crm.companies`. */
export function createCrmConnector(name: string, config: CrmStreamConfig, context: ConnectorContext): Connector {
  const shape = { source: name, key: config.key, columns: config.columns, timezone: context.timezone };
  const chooseReader = (at: string): RowsReader => chooseFormat(at, shape, config);
  return createDropConnector({ name, drop: config, encoding: config.encoding, chooseReader }, context);
}

/**
 * | ending | read as |
 * |---|---|
 * | `.csv` `.tsv` `.txt` | CSV |
 * | `.ndjson` `.jsonl` | one JSON object a line |
 * | any other | one JSON document, rows at `rows` |
 */
export function chooseFormat(
  at: string,
  shape: RowShape,
  config: Pick<CrmStreamConfig, 'separator' | 'rows' | 'rules'>,
): RowsReader {
  if (/\.(?:csv|tsv|txt)$/i.test(at)) return createDelimitedReader(shape, config.separator, config.rules);
  if (/\.(?:ndjson|jsonl)$/i.test(at)) return createNdjsonReader(shape);
  return createJsonReader(shape, config.rows);
}
