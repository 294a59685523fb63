import type { RowSink } from '../rows/row-sink.js';

/**
 * The decoded text of a file, in UTF-8 chunks that never split a character. The text must be read to its end, because
 * the digest covers all of it.
 */
export interface DropText {
  readonly at: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** True if the last line must end with a line end, as in earlier deliveries. Otherwise the file may be truncated there. */
  readonly endsLines: boolean;
  text(): AsyncGenerator<Buffer>;
}

/** Reads the rows of one file format. Resolves to the reason why the file was not read completely, or to null if it was. */
export type RowsReader = (file: DropText, sink: RowSink) => Promise<string | null>;
