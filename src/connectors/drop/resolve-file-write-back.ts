import { parseDuration } from '../../base/settings/duration.js';
import { resolveDrop } from '../../base/settings/resolve-drop.js';
import type { ProblemSink, Resolving, YamlPath } from '../../base/settings/resolving.js';
import { iconv } from '../formats/iconv.js';
import { resolveFormulas } from '../write-back-config.js';
import { findNameProblem } from './delivery-name.js';
import type { FileWriteBackInput } from './file-write-back-schema.js';

/** The settings for writing back by files, to an HR drop or to a CRM that reads files. */
export type FileWriteBack = Readonly<NonNullable<ReturnType<typeof resolveFileWriteBack>>>;

/** Resolves the settings; null if nothing is written back. */
export function resolveFileWriteBack(
  path: YamlPath,
  input: FileWriteBackInput | undefined,
  { key, separator }: { readonly key: string; readonly separator: string | null },
  resolving: Resolving,
) {
  if (input === undefined) return null;
  const { report } = resolving;
  const { drop, name, encoding, bom, columns } = input;
  if (drop === undefined) {
    const remedy = 'Add `drop:`, the folder or sftp:// address from which the other side takes the files.';
    report.add([...path, 'drop'], '`drop` is missing: the folder of the files is never guessed', remedy);
  }
  const problem = findNameProblem(name);
  if (problem !== null) report.add([...path, 'name'], problem.message, problem.remedy);
  checkEncoding(path, encoding, bom, report);
  if (columns !== undefined) checkColumns([...path, 'columns'], columns, key, report);
  return {
    ...(drop === undefined ? { drop: '', sftp: null } : resolveDrop(path, { drop, sftp: input.sftp }, resolving)),
    name,
    /** `all` means that every linked record is written each time one record changes. */
    rows: input.rows,
    /** null for the key and the written-back columns. */
    columns: columns ?? null,
    encoding,
    bom,
    separator: input.separator ?? separator ?? ';',
    manifest: input.manifest,
    lapseMs: parseDuration(input.lapse),
    ...resolveFormulas(input.formulas),
  };
}

/** Checks the encoding. Some encodings of iconv-lite, such as hex and base64, are not character sets and do not preserve text. */
function checkEncoding(path: YamlPath, encoding: string, bom: boolean, report: ProblemSink): void {
  const sample = 'id;"a b"\r\n';
  if (!iconv().encodingExists(encoding) || iconv().decode(iconv().encode(sample, encoding), encoding) !== sample) {
    const remedy = 'Write `utf-8`, `windows-1252`, `iso-8859-1` or `utf-16le`.';
    report.add([...path, 'encoding'], `"${encoding}" is not an encoding`, remedy);
    return;
  }
  const plain = encoding.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  if (/^(?:utf16(?:le|be)?|ucs2)$/.test(plain) && !bom) {
    const message = `a file in ${encoding} without a byte order mark cannot be distinguished from damaged text`;
    report.add([...path, 'encoding'], message, 'Add `bom: true`.');
  } else if (bom && !/^(?:utf8|utf16(?:le|be)?|ucs2)$/.test(plain)) {
    report.add([...path, 'bom'], `${encoding} has no byte order mark`, 'Remove `bom`.', 'key');
  }
}

function checkColumns(path: YamlPath, columns: readonly string[], key: string, report: ProblemSink): void {
  if (!columns.includes(key)) {
    const message = `the key \`${key}\` is not among the columns`;
    report.add(path, message, `Add \`${key}\`: without it, nothing shows whose row it is.`);
  }
  for (const [index, name] of columns.entries()) {
    if (columns.indexOf(name) < index) report.add([...path, index], `\`${name}\` is listed twice`, 'Remove one.');
    if (name !== name.trim() || name in Object.prototype || name === 'prototype') {
      report.add([...path, index], `"${name}" cannot be the name of a column`, 'Rename the column.');
    }
  }
}
