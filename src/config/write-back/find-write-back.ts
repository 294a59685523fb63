import { kindOf, type Sources, type StreamConfig } from '../../connectors/kinds.js';
import { listStreams, type NamedStream } from '../../model/stream.js';

type WriteBack = NonNullable<StreamConfig['writeBack']>;

function findStream(sources: Sources, name: string): NamedStream<StreamConfig> | null {
  return listStreams(sources).find((stream) => stream.name === name) ?? null;
}

/** Returns the write-back settings of a stream; null if it is never written to. */
export function findWriteBack(sources: Sources, stream: string): WriteBack | null {
  return findStream(sources, stream)?.config.writeBack ?? null;
}

/** Lists the streams that may be written to. */
export function listOpenStreams(sources: Sources): readonly string[] {
  return listStreams(sources).flatMap(({ name, config }) => (config.writeBack == null ? [] : [name]));
}

/** True if a change to one linked record makes the source receive all of them. */
export function repeatsAllRows(sources: Sources, stream: string): boolean {
  const back = findWriteBack(sources, stream);
  return back !== null && 'rows' in back && back.rows === 'all';
}

/** Explains why a stream accepts no values, and how to change that. */
export function explainClosed(sources: Sources, name: string): readonly [message: string, remedy: string] {
  const stream = findStream(sources, name);
  const closed = stream === null ? undefined : kindOf(stream).closed;
  if (closed !== undefined) return [`\`${name}\` cannot be written to: ${closed[0]}`, closed[1]];
  return [`\`${name}\` may not be written to`, `Add \`write_back:\` to \`${stream?.path.join('.') ?? name}\`.`];
}

/** Explains why a column of a stream accepts no values; null if it does. */
export function whyNotWritable(sources: Sources, name: string, column: string): string | null {
  const stream = findStream(sources, name);
  return stream === null ? 'there is no such stream' : kindOf(stream).whyNotWritable(stream.config, column);
}
