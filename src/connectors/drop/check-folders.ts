import { posix } from 'node:path';
import type { DropPlace } from '../../base/settings/resolve-drop.js';
import type { ProblemSink } from '../../base/settings/resolving.js';
import type { NamedStream } from '../../model/stream.js';
import { patternOf } from './delivery-name.js';
import { haveCommonName } from './file-names.js';
import type { FileStreamConfig } from './resolve-file-stream.js';

/** Reports streams that would read files written by talent-sync, and streams with written files that could get the same name. */
export function checkFolders(streams: readonly NamedStream<FileStreamConfig>[], report: ProblemSink): void {
  for (const [index, { path, name, config }] of streams.entries()) {
    const { writeBack } = config;
    if (writeBack === null || writeBack.drop === '') continue;
    const at = [...path, 'write_back', 'name'];
    const files = patternOf(writeBack.name);
    const isHere = (place: DropPlace): boolean => nameFolder(place) === nameFolder(writeBack);
    const reader = streams.find((other) => isHere(other.config) && haveCommonName(files, other.config.pattern));
    if (reader !== undefined) {
      const message = `a file written as "${writeBack.name}" would be read by ${reader.name}: the folder is the same, and the name matches "${reader.config.pattern}"`;
      report.add(at, message, 'Set another folder in `drop`, or a `name` that the pattern does not match.');
    }
    const rival = streams.slice(0, index).find((other) => {
      const theirs = other.config.writeBack;
      return theirs !== null && isHere(theirs) && haveCommonName(files, patternOf(theirs.name));
    });
    if (rival !== undefined) {
      const message = `"${writeBack.name}" could be the name of a file that is written for ${rival.name}, in the same folder`;
      report.add(at, message, `Give it a \`name\` of its own, as in \`talent-${name.replace('.', '-')}-{run}.csv\`.`);
    }
  }
}

/** Lists the patterns of the other files in a stream's folder: files of other streams and written files. */
export function listPatternsBeside(streams: readonly NamedStream<FileStreamConfig>[], name: string): readonly string[] {
  const own = streams.find((stream) => stream.name === name);
  if (own === undefined) return [];
  const isHere = (place: DropPlace): boolean => nameFolder(place) === nameFolder(own.config);
  return streams.flatMap(({ name: other, config }) => [
    ...(other !== name && isHere(config) ? [config.pattern] : []),
    ...(config.writeBack !== null && isHere(config.writeBack) ? [patternOf(config.writeBack.name)] : []),
  ]);
}

function nameFolder({ drop, sftp }: DropPlace): string {
  if (sftp === null) return drop;
  return `sftp://${sftp.host.toLowerCase()}:${sftp.port}/${posix.normalize(sftp.path).replace(/(?<=.)\/$/, '')}`;
}
