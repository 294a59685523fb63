import type { RowSink } from '../rows/row-sink.js';

/** The decoded text of a file: UTF-8 chunks that never cut a character. To be read to its end: the digest is over all of it. */
export interface DropText {
  readonly at: string;
  /** Size of the file in bytes. */
  readonly size: number;
  text(): AsyncGenerator<Buffer>;
}

/** What tells one file format from another. Resolves to why the file was not seen whole, null when it was. */
export type RowsReader = (file: DropText, sink: RowSink) => Promise<string | null>;
