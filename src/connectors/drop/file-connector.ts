import type { Connector, ConnectorContext } from '../connector.js';
import { createDelimitedReader } from '../formats/delimited.js';
import { createJsonReader } from '../formats/json-rows.js';
import { createNdjsonReader } from '../formats/ndjson-rows.js';
import type { RowShape } from '../rows/records.js';
import { createDropConnector, type RowsReader } from './drop-connector.js';
import type { FileStreamConfig } from './resolve-file-stream.js';

/** One stream of files that are dropped in a folder: `hr`, `crm.companies`. */
export function createFileConnector(name: string, config: FileStreamConfig, context: ConnectorContext): Connector {
  const shape = { source: name, key: config.key, columns: config.columns, timezone: context.timezone };
  const chooseReader = (at: string): RowsReader => chooseFormat(at, shape, config);
  return createDropConnector({ name, drop: config, encoding: config.encoding, chooseReader }, context);
}

/**
 * | ending | read as |
 * |---|---|
 * | `.csv` `.tsv` `.txt`, and any where all files are CSV | CSV |
 * | `.ndjson` `.jsonl` | one JSON object a line |
 * | any other | one JSON document, rows at `rows` |
 */
export function chooseFormat(
  at: string,
  shape: RowShape,
  { separator, rows, rules }: Pick<FileStreamConfig, 'separator' | 'rows' | 'rules'>,
): RowsReader {
  if (rows === null || /\.(?:csv|tsv|txt)$/i.test(at)) return createDelimitedReader(shape, separator, rules);
  if (/\.(?:ndjson|jsonl)$/i.test(at)) return createNdjsonReader(shape);
  return createJsonReader(shape, rows);
}
