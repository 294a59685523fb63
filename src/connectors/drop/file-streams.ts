import type { StreamKind } from '../kind.js';
import { createFileConnector } from './file-connector.js';
import { createFileWriter } from './file-writer.js';
import type { FileStreamConfig } from './resolve-file-stream.js';
import { whyNotWritable } from './writable.js';

/** Streams that come as files, whatever source they are of. */
export const FILE_STREAMS: StreamKind<FileStreamConfig> = {
  whyNotWritable,
  describeDeciding({ key, columns, prefer, rules: { aliases } }) {
    return { key, columns, prefer, ...(Object.keys(aliases).length === 0 ? {} : { aliases }) };
  },
  /** `007` and `7` are two keys, so its type, the separator and the encoding belong to it. */
  describeAbsence({ pattern, key, columns, separator, encoding, rows, rules: { aliases } }) {
    return [pattern, key, columns[key]?.type ?? null, separator, encoding, rows, ...(aliases[key] ?? [])];
  },
  createReader: createFileConnector,
  /** Without `columns` a file has the key, then all that any entity writes back to the stream, whatever a run has to say. */
  createWriter(name, { key, columns, writeBack }, context) {
    if (writeBack === null) return null;
    const header = writeBack.columns ?? [...new Set([key, ...context.listWritten(name)])];
    return createFileWriter({ name, key, columns, writeBack, header }, context);
  },
};
