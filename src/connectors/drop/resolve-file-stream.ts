import { parseDuration } from '../../base/settings/duration.js';
import type { DropPlace } from '../../base/settings/resolve-drop.js';
import type { ProblemSink, Resolving, YamlPath } from '../../base/settings/resolving.js';
import type { Columns } from '../../model/column.js';
import { checkKey, resolveColumns } from '../cells/resolve-columns.js';
import { iconv } from '../formats/iconv.js';
import type { FileStreamInput } from './files-schema.js';
import { resolveFileRules } from './resolve-file-rules.js';
import { resolveFileWriteBack } from './resolve-file-write-back.js';

/** A stream of files that are dropped in a folder. */
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
    /** How old a file must be to be whole by age alone. */
    settleMs: parseDuration(input.settle),
    rules: resolveFileRules(path, input, Object.keys(columns), report),
    /** JSON pointer of the list of rows in a JSON document; null: all files are CSV, whatever they end in. */
    rows,
    key,
    columns,
    /** null: found out. */
    separator,
    /** null: byte order mark, else UTF-8, else windows-1252 only when configured. */
    encoding,
    prefer,
    /** A whole read may have no rows. */
    mayBeEmpty: input.empty === 'allowed',
    /** null: nothing is ever written to it. */
    writeBack: resolveFileWriteBack([...path, 'write_back'], input.write_back, { key, separator }, resolving),
  };
}

/** The cells of a CSV file are under a header; there is no row to point into. */
function refuseFrom(path: YamlPath, columns: Columns, report: ProblemSink): void {
  for (const [name, { from }] of Object.entries(columns)) {
    if (from === undefined) continue;
    report.add([...path, name, 'from'], '`from` means nothing in a CSV file', 'Remove it; it is for JSON rows.', 'key');
  }
}
