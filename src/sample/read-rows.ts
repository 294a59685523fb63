import type { TakeBatch } from '../connectors/connector.js';
import type { FileStreamConfig } from '../connectors/drop/resolve-file-stream.js';
import { chooseFormat } from '../connectors/formats/choose-format.js';
import { decodeFile } from '../connectors/formats/decode.js';
import { RowSink } from '../connectors/rows/row-sink.js';
import type { Columns } from '../model/column.js';
import { readSample } from './read-sample.js';
import { openSample } from './sample-file.js';

/** How the rows of one file become records, whether a source says so or a look at the file does. */
export type FileReading = Pick<FileStreamConfig, 'key' | 'columns' | 'separator' | 'encoding' | 'rows'> & {
  readonly rules: Pick<FileStreamConfig['rules'], 'aliases' | 'trailer'>;
};

export async function guessReading(path: string): Promise<FileReading> {
  const { key, columns, facts } = await readSample(path);
  const declared: Columns = Object.fromEntries(
    columns.flatMap(({ name, column }) => (column === null ? [] : [[name, column]])),
  );
  const { separator, encoding, format, pointer } = facts;
  return {
    key,
    columns: declared,
    separator,
    encoding,
    rows: format === 'csv' ? null : pointer,
    rules: { aliases: {}, trailer: null },
  };
}

/** Reads one file as its source would; takes nothing and remembers nothing. */
export async function readRows(
  path: string,
  { key, columns, encoding, ...reading }: FileReading,
  { source, timezone }: { readonly source: string; readonly timezone: string },
  take: TakeBatch,
): Promise<void> {
  const file = await openSample(path);
  const read = chooseFormat(
    file.at,
    { source, key, columns, timezone },
    reading as Pick<FileStreamConfig, 'separator' | 'rows' | 'rules'>,
  );
  const sink = new RowSink(take);
  const text = (): AsyncGenerator<Buffer> => decodeFile(file, encoding, () => undefined);
  await read({ at: file.at, size: file.size, text }, sink);
  sink.flush();
}
