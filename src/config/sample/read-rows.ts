import type { TakeBatch } from '../../connectors/connector.js';
import type { FileStreamConfig } from '../../connectors/drop/resolve-file-stream.js';
import { chooseFormat, type FileLayout } from '../../connectors/formats/choose-format.js';
import { decodeFile } from '../../connectors/formats/decode.js';
import { RowSink } from '../../connectors/rows/row-sink.js';
import type { Columns } from '../../model/column.js';
import { readSample } from './read-sample.js';
import { openSample } from './sample-file.js';

/** How rows of a file become records. It is configured in a source or guessed from the file. */
export type FileReading = FileLayout & Pick<FileStreamConfig, 'key' | 'columns' | 'encoding'>;

export async function guessReading(path: string): Promise<FileReading> {
  const { key, columns, facts } = await readSample(path);
  const declared: Columns = Object.fromEntries(
    columns.flatMap(({ name, column }) => (column === null ? [] : [[name, column]])),
  );
  const { separator, encoding, format, pointer, footer } = facts;
  return {
    key,
    columns: declared,
    separator,
    encoding,
    rows: format === 'csv' ? null : pointer,
    rules: { aliases: {}, trailer: null, ...(footer === 0 ? {} : { footer: 'auto' as const }) },
  };
}

/**
 * Reads a file as its source would. Changes and stores nothing.
 *
 * @returns why the file was not read to its end; null if it was
 * @throws SyncError if the source could not read it at all
 */
export async function readRows(
  path: string,
  { key, columns, encoding, ...reading }: FileReading,
  { source, timezone }: { readonly source: string; readonly timezone: string },
  sink: RowSink,
): Promise<string | null> {
  const file = await openSample(path);
  const shape = { source, key, columns, timezone };
  const read = chooseFormat(file.at, shape, reading);
  const text = (): AsyncGenerator<Buffer> => decodeFile(file, encoding, () => undefined);
  return read({ at: file.at, size: file.size, endsLines: false, text }, sink);
}

/** Does the same as `readRows`, but returns only the records. */
export async function takeRows(
  path: string,
  reading: FileReading,
  as: { readonly source: string; readonly timezone: string },
  take: TakeBatch,
): Promise<void> {
  const sink = new RowSink(take);
  await readRows(path, reading, as, sink);
  sink.flush();
}
