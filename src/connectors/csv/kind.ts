import * as z from 'zod';
import { hookSchema } from '../../base/settings/hook.js';
import { resolveDrop } from '../../base/settings/resolve-drop.js';
import type { Resolving, YamlPath } from '../../base/settings/resolving.js';
import { sftpSchema } from '../../base/settings/sftp-schema.js';
import { columns, keyColumn } from '../cells/column-schema.js';
import { FILE_STREAMS } from '../drop/file-streams.js';
import { fileWriteBackSchema } from '../drop/file-write-back-schema.js';
import { drop, fileStreamShape, pattern } from '../drop/files-schema.js';
import { type FileStreamConfig, resolveFileStream } from '../drop/resolve-file-stream.js';
import type { SourceKind } from '../kind.js';

const schema = z.strictObject({
  type: z.literal('csv'),
  drop,
  sftp: sftpSchema.optional(),
  pattern,
  key: keyColumn,
  columns,
  ...fileStreamShape,
  write_back: fileWriteBackSchema.optional(),
  hook: hookSchema.optional(),
});
type CsvInput = z.infer<typeof schema>;

export type CsvSourceConfig = Readonly<ReturnType<typeof resolve>>;

function resolve(path: YamlPath, input: CsvInput, resolving: Resolving) {
  const place = resolveDrop(path, input, resolving);
  return { type: 'csv' as const, ...resolveFileStream(path, { ...input, rows: null }, place, resolving) };
}

/** HR exports as CSV files in a drop folder. */
export const CSV = { type: 'csv', schema, resolve, ...FILE_STREAMS } satisfies SourceKind<
  CsvInput,
  CsvSourceConfig,
  FileStreamConfig
>;
