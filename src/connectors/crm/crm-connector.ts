import type { CrmStreamConfig } from '../../config/config.js';
import type { Connector, ConnectorContext } from '../connector.js';
import { createDropConnector, type RowsReader } from '../drop/drop-connector.js';
import { createDelimitedReader } from '../formats/delimited.js';
import { createJsonReader } from '../formats/json-rows.js';
import { createNdjsonReader } from '../formats/ndjson-rows.js';
import type { RowShape } from '../rows/records.js';

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
