import type { StreamKind } from '../kind.js';
import type { FileStreamConfig } from './resolve-file-stream.js';
import { whyNotWritable } from './writable.js';

/** Streams that are delivered as files, for every kind of source. */
export const FILE_STREAMS: StreamKind<FileStreamConfig> = {
  whyNotWritable,
  describeDeciding({ key, columns, prefer, rules: { aliases, footer } }) {
    const named = Object.keys(aliases).length === 0 ? {} : { aliases };
    return { key, columns, prefer, ...named, ...(footer === undefined ? {} : { footer }) };
  },
  /** `007` and `7` are different keys, so the type, separator and encoding also count. */
  describeAbsence({ pattern, key, columns, separator, encoding, rows, rules: { aliases, footer } }) {
    const named = [...(aliases[key] ?? []), ...(footer === undefined ? [] : [`footer: ${footer}`])];
    return [pattern, key, columns[key]?.type ?? null, separator, encoding, rows, ...named];
  },
  createReader: async (name, stream, context) =>
    (await import('./file-connector.js')).createFileConnector(name, stream, context, context.listPatternsBeside(name)),
  /**
   * Without `columns`, a file contains the key and every column that an entity writes back, even if this run changes
   * only some of them.
   */
  async createWriter(name, { key, columns, writeBack }, context) {
    if (writeBack === null) return null;
    const header = writeBack.columns ?? [...new Set([key, ...context.listWritten(name)])];
    const { createFileWriter } = await import('./file-writer.js');
    return createFileWriter({ name, key, columns, writeBack, header }, context);
  },
};

/** File streams that may contain JSON, where the place of the rows in a document also counts. */
export const JSON_STREAMS: StreamKind<FileStreamConfig> = {
  ...FILE_STREAMS,
  describeDeciding: (stream) => ({ ...FILE_STREAMS.describeDeciding(stream), rows: stream.rows }),
};
