import { listStreams } from '../mapping/streams.js';
import type { SourceConfig } from './config.js';
import type { CallWriteBack, FileWriteBack } from './write-back-config.js';

type Sources = Readonly<Record<string, SourceConfig>>;

/** What the configuration of a stream says of writing to it; null where nothing is ever written. */
export function findWriteBack(sources: Sources, stream: string): FileWriteBack | CallWriteBack | null {
  const [name = '', part] = stream.split('.');
  const source = sources[name];
  if (source === undefined || source.type === 'scim-push') return null;
  if (source.type !== 'crm') return source.writeBack ?? null;
  return source.streams[part ?? '']?.writeBack ?? null;
}

/** Streams that may be written to. */
export function listOpenStreams(sources: Sources): readonly string[] {
  return listStreams(sources).flatMap(({ name }) => (findWriteBack(sources, name) === null ? [] : [name]));
}

/** Why a stream takes nothing, and what to do. */
export function explainClosed(sources: Sources, stream: string): readonly [message: string, remedy: string] {
  const [name = '', part] = stream.split('.');
  if (sources[name]?.type === 'scim-push') {
    const remedy = 'Write back to a source that is asked: `scim`, `csv` or `crm`.';
    return [`\`${stream}\` cannot be written to: whoever pushes into it takes nothing back`, remedy];
  }
  const at = part === undefined ? `sources.${name}` : `sources.${name}.streams.${part}`;
  return [`\`${stream}\` may not be written to`, `Add \`write_back:\` to \`${at}\`.`];
}

/** Why a column of a stream takes no value, in words; null where it takes one. */
export function whyNotWritable(_sources: Sources, _stream: string, _column: string): string | null {
  return null;
}
