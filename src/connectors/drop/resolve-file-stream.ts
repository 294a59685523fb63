import { parseDuration } from '../../base/settings/duration.js';
import type { DropPlace } from '../../base/settings/resolve-drop.js';
import type { ProblemSink, Resolving, YamlPath } from '../../base/settings/resolving.js';
import type { Columns } from '../../model/column.js';
import { checkKey, resolveColumns } from '../cells/resolve-columns.js';
import { iconv } from '../formats/iconv.js';
import type { FileStreamInput } from './files-schema.js';
import { resolveFileRules } from './resolve-file-rules.js';
import { resolveFileWriteBack } from './resolve-file-write-back.js';

/** A stream of files in a drop folder. */
export type FileStreamConfig = Readonly<ReturnType<typeof resolveFileStream>>;

export function resolveFileStream(
  path: YamlPath,
  input: FileStreamInput & { readonly rows: string | null },
  place: DropPlace,
  resolving: Resolving,
) {
  const { report } = resolving;
  const { pattern, rows, key, separator = null, encoding = null, prefer = null } = input;
  const columns = resolveColumns([...path, 'columns'], input.columns, report);
  checkKey([...path, 'key'], { key, columns }, report);
  if (/\.(?:csv|tsv|txt)$/i.test(pattern)) refuseFrom([...path, 'columns'], columns, report);
  if (encoding !== null && !iconv().encodingExists(encoding)) {
    const message = `"${encoding}" is not an encoding`;
    report.add([...path, 'encoding'], message, 'Write `utf-8`, `windows-1252`, `iso-8859-1` or `utf-16le`.');
  }
  return {
    ...place,
    pattern,
    /** The age from which an unchanged file counts as complete. */
    settleMs: parseDuration(input.settle),
    rules: resolveFileRules(path, input, Object.keys(columns), report),
    /** The JSON pointer to the list of rows in a JSON document; null if all files are CSV, regardless of their extension. */
    rows,
    key,
    columns,
    /** null if the separator is detected. */
    separator,
    /** null if the byte order mark decides; without a mark, files are UTF-8. windows-1252 is only used if configured. */
    encoding,
    prefer,
    /** True if a complete read may have no rows. */
    mayBeEmpty: input.empty === 'allowed',
    /** null if nothing is written back to the stream. */
    writeBack: resolveFileWriteBack([...path, 'write_back'], input.write_back, { key, separator }, resolving),
  };
}

/** Rejects `from` in a CSV stream. CSV rows have columns under a header, so a pointer into a row object has no meaning. */
function refuseFrom(path: YamlPath, columns: Columns, report: ProblemSink): void {
  for (const [name, { from }] of Object.entries(columns)) {
    if (from === undefined) continue;
    report.add([...path, name, 'from'], '`from` has no effect in a CSV file', 'Remove it; it is for JSON rows.', 'key');
  }
}
