import { posix } from 'node:path';
import iconv from 'iconv-lite';
import type { CrmStreamConfig, SourceConfig } from '../../config/config.js';
import type { ReadSecret } from '../../config/secrets.js';
import type { ConfigProblems } from '../../config/yaml/report.js';
import type { YamlPath } from '../../config/yaml/yaml-place.js';
import { parseDuration } from '../../settings/duration.js';
import { type DropPlace, resolveDrop } from '../../settings/resolve-drop.js';
import { type FileWriteBack, resolveFormulas } from '../write-back-config.js';
import { findNameProblem, patternOf } from './delivery-name.js';
import { haveCommonName } from './file-names.js';
import type { FileWriteBackInput } from './file-write-back-schema.js';

type HeaderColumns = Pick<CrmStreamConfig, 'key' | 'separator'>;

/** How files are written back to one stream; null where nothing is. */
export function resolveFileWriteBack(
  path: YamlPath,
  input: FileWriteBackInput | undefined,
  { key, separator }: HeaderColumns,
  folder: string,
  readSecret: ReadSecret,
  report: ConfigProblems,
): FileWriteBack | null {
  if (input === undefined) return null;
  const { drop, name, encoding, bom, columns } = input;
  if (drop === undefined) {
    const remedy = 'Add `drop:`, the folder or sftp:// address from which the other side takes the files.';
    report.add([...path, 'drop'], '`drop` is missing: where the files go is never guessed', remedy);
  }
  const problem = findNameProblem(name);
  if (problem !== null) report.add([...path, 'name'], problem.message, problem.remedy);
  checkEncoding(path, encoding, bom, report);
  if (columns !== undefined) checkColumns([...path, 'columns'], columns, key, report);
  return {
    ...(drop === undefined
      ? { drop: '', sftp: null }
      : resolveDrop(path, { drop, sftp: input.sftp }, folder, readSecret, report)),
    name,
    rows: input.rows,
    columns: columns ?? null,
    encoding,
    bom,
    separator: input.separator ?? separator ?? ';',
    manifest: input.manifest,
    lapseMs: parseDuration(input.lapse),
    ...resolveFormulas(input.formulas),
  };
}

/** iconv-lite has encodings that are no character sets (hex, base64): text does not come through those. */
function checkEncoding(path: YamlPath, encoding: string, bom: boolean, report: ConfigProblems): void {
  const sample = 'id;"a b"\r\n';
  if (!iconv.encodingExists(encoding) || iconv.decode(iconv.encode(sample, encoding), encoding) !== sample) {
    const remedy = 'Write `utf-8`, `windows-1252`, `iso-8859-1` or `utf-16le`.';
    report.add([...path, 'encoding'], `"${encoding}" is not an encoding`, remedy);
    return;
  }
  const plain = encoding.toLowerCase().replaceAll(/[^a-z\d]/g, '');
  if (/^(?:utf16(?:le|be)?|ucs2)$/.test(plain) && !bom) {
    const message = `a file in ${encoding} without a byte order mark cannot be told from damaged text`;
    report.add([...path, 'encoding'], message, 'Add `bom: true`.');
  } else if (bom && !/^(?:utf8|utf16(?:le|be)?|ucs2)$/.test(plain)) {
    report.add([...path, 'bom'], `${encoding} has no byte order mark`, 'Remove `bom`.', 'key');
  }
}

function checkColumns(path: YamlPath, columns: readonly string[], key: string, report: ConfigProblems): void {
  if (!columns.includes(key)) {
    const message = `the key \`${key}\` is not among the columns`;
    report.add(path, message, `Add \`${key}\`: without it nobody knows whose row it is.`);
  }
  for (const [index, name] of columns.entries()) {
    if (columns.indexOf(name) < index) report.add([...path, index], `\`${name}\` stands there twice`, 'Remove one.');
    if (name !== name.trim() || name in Object.prototype || name === 'prototype') {
      report.add([...path, index], `"${name}" cannot be the name of a column`, 'Rename the column.');
    }
  }
}

interface FileStreamConfig {
  readonly path: YamlPath;
  readonly name: string;
  readonly config: Pick<CrmStreamConfig, 'drop' | 'sftp' | 'pattern' | 'writeBack'>;
}

/** What we write is no news, so no stream may read it; and no two streams may want one name for their files. */
export function checkWriteBackFolders(sources: Readonly<Record<string, SourceConfig>>, report: ConfigProblems): void {
  const streams = listFileStreams(sources);
  for (const [index, { path, name, config }] of streams.entries()) {
    const { writeBack } = config;
    if (writeBack == null || writeBack.drop === '') continue;
    const at = [...path, 'write_back', 'name'];
    const files = patternOf(writeBack.name);
    const isHere = (place: DropPlace): boolean => nameFolder(place) === nameFolder(writeBack);
    const reader = streams.find((other) => isHere(other.config) && haveCommonName(files, other.config.pattern));
    if (reader !== undefined) {
      const message = `what is written as "${writeBack.name}" would be read by ${reader.name}: it is the same folder, and matches "${reader.config.pattern}"`;
      report.add(at, message, 'Name another folder in `drop`, or a `name` that the pattern does not match.');
    }
    const rival = streams.slice(0, index).find((other) => {
      const theirs = other.config.writeBack;
      return theirs != null && isHere(theirs) && haveCommonName(files, patternOf(theirs.name));
    });
    if (rival !== undefined) {
      const message = `"${writeBack.name}" could be the name of a file that is written for ${rival.name}, in the same folder`;
      report.add(at, message, `Give it a \`name\` of its own, as in \`talent-${name.replace('.', '-')}-{run}.csv\`.`);
    }
  }
}

function listFileStreams(sources: Readonly<Record<string, SourceConfig>>): readonly FileStreamConfig[] {
  return Object.entries(sources).flatMap(([name, source]): readonly FileStreamConfig[] => {
    if (source.type === 'csv') return [{ path: ['sources', name], name, config: source }];
    if (source.type !== 'crm') return [];
    return Object.entries(source.streams).flatMap(([stream, config]) =>
      'drop' in config ? [{ path: ['sources', name, 'streams', stream], name: `${name}.${stream}`, config }] : [],
    );
  });
}

function nameFolder({ drop, sftp }: DropPlace): string {
  if (sftp === null) return drop;
  return `sftp://${sftp.host.toLowerCase()}:${sftp.port}/${posix.normalize(sftp.path).replace(/(?<=.)\/$/, '')}`;
}
