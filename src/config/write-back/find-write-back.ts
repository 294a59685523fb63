import { whyNotWritable as whyNotInFeed } from '../../connectors/crm/writable.js';
import { whyNotWritable as whyNotInFile } from '../../connectors/csv/writable.js';
import { whyNotWritable as whyNotInScim } from '../../connectors/scim/writable.js';
import type { CallWriteBack, FileWriteBack } from '../../connectors/write-back-config.js';
import { listStreams } from '../../mapping/streams.js';
import type { Sources } from '../config.js';

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

/** Whether a source is told of every linked record each time one of them changes. */
export function repeatsAllRows(sources: Sources, stream: string): boolean {
  const back = findWriteBack(sources, stream);
  return back !== null && 'rows' in back && back.rows === 'all';
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
export function whyNotWritable(sources: Sources, stream: string, column: string): string | null {
  const [name = '', part = ''] = stream.split('.');
  const source = sources[name];
  if (source === undefined || source.type === 'scim-push') return 'nothing is written to it';
  if (source.type === 'csv') return whyNotInFile(source, column);
  if (source.type === 'scim') return whyNotInScim(source, column);
  const feed = source.streams[part];
  if (feed === undefined) return 'there is no such stream';
  return 'baseUrl' in feed ? whyNotInFeed(feed, column) : whyNotInFile(feed, column);
}
