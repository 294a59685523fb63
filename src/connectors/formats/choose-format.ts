import type { FileStreamConfig } from '../drop/resolve-file-stream.js';
import type { RowShape } from '../rows/records.js';
import { createDelimitedReader } from './delimited.js';
import { createJsonReader } from './json-rows.js';
import { createNdjsonReader } from './ndjson-rows.js';
import type { RowsReader } from './rows-reader.js';

/**
 * Chosen when the file is known: a folder may hold several formats.
 *
 * | ending | read as |
 * |---|---|
 * | `.csv` `.tsv` `.txt`, and any where all files are CSV | CSV |
 * | `.ndjson` `.jsonl` | one JSON object per line |
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
