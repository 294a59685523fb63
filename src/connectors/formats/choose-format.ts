import type { FileRules } from '../drop/resolve-file-rules.js';
import type { RowShape } from '../rows/records.js';
import { createDelimitedReader } from './delimited.js';
import { createJsonReader } from './json-rows.js';
import { createNdjsonReader } from './ndjson-rows.js';
import type { RowsReader } from './rows-reader.js';

export interface FileLayout {
  /** null if the separator is detected. */
  readonly separator: string | null;
  /** The JSON pointer to the list of rows; null if all files are CSV. */
  readonly rows: string | null;
  readonly rules: Pick<FileRules, 'aliases' | 'trailer' | 'footer'>;
}

/**
 * Chooses the reader by the file's extension, because a folder may contain several formats.
 *
 * | extension | read as |
 * |---|---|
 * | `.csv` `.tsv` `.txt`, or any if all files are CSV | CSV |
 * | `.ndjson` `.jsonl` | one JSON object per line |
 * | any other | one JSON document, rows at `rows` |
 */
export function chooseFormat(at: string, shape: RowShape, { separator, rows, rules }: FileLayout): RowsReader {
  if (rows === null || /\.(?:csv|tsv|txt)$/i.test(at)) return createDelimitedReader(shape, separator, rules);
  if (/\.(?:ndjson|jsonl)$/i.test(at)) return createNdjsonReader(shape);
  return createJsonReader(shape, rows);
}
