import type { StreamKind } from '../kind.js';
import type { FileStreamConfig } from './resolve-file-stream.js';
import { whyNotWritable } from './writable.js';

/** Streams that come as files, whatever source they are of. */
export const FILE_STREAMS: StreamKind<FileStreamConfig> = {
  whyNotWritable,
  describeDeciding({ key, columns, prefer, rules: { aliases, footer } }) {
    const named = Object.keys(aliases).length === 0 ? {} : { aliases };
    return { key, columns, prefer, ...named, ...(footer === undefined ? {} : { footer }) };
  },
  /** `007` and `7` are two keys, so its type, the separator and the encoding belong to it. */
  describeAbsence({ pattern, key, columns, separator, encoding, rows, rules: { aliases, footer } }) {
    const named = [...(aliases[key] ?? []), ...(footer === undefined ? [] : [`footer: ${footer}`])];
    return [pattern, key, columns[key]?.type ?? null, separator, encoding, rows, ...named];
  },
  createReader: async (name, stream, context) =>
    (await import('./file-connector.js')).createFileConnector(name, stream, context, context.listPatternsBeside(name)),
  /** Without `columns` a file has the key, then all that any entity writes back to the stream, whatever a run has to say. */
  async createWriter(name, { key, columns, writeBack }, context) {
    if (writeBack === null) return null;
    const header = writeBack.columns ?? [...new Set([key, ...context.listWritten(name)])];
    const { createFileWriter } = await import('./file-writer.js');
    return createFileWriter({ name, key, columns, writeBack, header }, context);
  },
};

/** The same where rows may be in JSON: where they are in a document decides as well. */
export const JSON_STREAMS: StreamKind<FileStreamConfig> = {
  ...FILE_STREAMS,
  describeDeciding: (stream) => ({ ...FILE_STREAMS.describeDeciding(stream), rows: stream.rows }),
};
