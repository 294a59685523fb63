import * as z from 'zod';
import { hookSchema } from '../../base/settings/hook.js';
import { resolveDrop } from '../../base/settings/resolve-drop.js';
import type { Resolving, YamlPath } from '../../base/settings/resolving.js';
import { sftpSchema } from '../../base/settings/sftp-schema.js';
import { columns, keyColumn, pointer } from '../cells/column-schema.js';
import { JSON_STREAMS } from '../drop/file-streams.js';
import { fileWriteBackSchema } from '../drop/file-write-back-schema.js';
import { drop, fileStreamShape, pattern } from '../drop/files-schema.js';
import { type FileStreamConfig, resolveFileStream } from '../drop/resolve-file-stream.js';
import type { SourceKind } from '../kind.js';

/** Leaves out the keys for the header and the last lines of CSV files. */
const { separator: _separator, trailer: _trailer, footer: _footer, aliases: _aliases, ...shape } = fileStreamShape;

const schema = z.strictObject({
  type: z.literal('json'),
  drop,
  sftp: sftpSchema.optional(),
  pattern,
  rows: pointer.optional().describe('JSON pointer of the list of rows; default: the document itself.'),
  key: keyColumn,
  columns,
  ...shape,
  write_back: fileWriteBackSchema.optional(),
  hook: hookSchema.optional(),
});
type JsonInput = z.infer<typeof schema>;

export type JsonSourceConfig = Readonly<ReturnType<typeof resolve>>;

function resolve(path: YamlPath, input: JsonInput, resolving: Resolving) {
  if (/\.(?:csv|tsv|txt)$/i.test(input.pattern)) {
    resolving.report.add([...path, 'pattern'], 'these are CSV files by their name', 'Write `type: csv`.');
  }
  const place = resolveDrop(path, input, resolving);
  return {
    type: 'json' as const,
    ...resolveFileStream(path, { ...input, rows: input.rows ?? '' }, place, resolving),
  };
}

/** HR exports in a drop folder, as JSON documents or as files with one object per line. */
export const JSON_FILES = {
  type: 'json',
  schema,
  resolve,
  ...JSON_STREAMS,
} satisfies SourceKind<JsonInput, JsonSourceConfig, FileStreamConfig>;
