import { kindOf, type Sources, type StreamConfig } from '../../connectors/kinds.js';
import { listStreams, type NamedStream } from '../../model/stream.js';

type WriteBack = NonNullable<StreamConfig['writeBack']>;

function findStream(sources: Sources, name: string): NamedStream<StreamConfig> | null {
  return listStreams(sources).find((stream) => stream.name === name) ?? null;
}

/** The write-back settings of a stream; null if it is never written to. */
export function findWriteBack(sources: Sources, stream: string): WriteBack | null {
  return findStream(sources, stream)?.config.writeBack ?? null;
}

/** Streams that may be written to. */
export function listOpenStreams(sources: Sources): readonly string[] {
  return listStreams(sources).flatMap(({ name, config }) => (config.writeBack == null ? [] : [name]));
}

/** True if every linked record is written back to a source whenever one of them changes. */
export function repeatsAllRows(sources: Sources, stream: string): boolean {
  const back = findWriteBack(sources, stream);
  return back !== null && 'rows' in back && back.rows === 'all';
}

/** Explains why a stream accepts no values, with a remedy. */
export function explainClosed(sources: Sources, name: string): readonly [message: string, remedy: string] {
  const stream = findStream(sources, name);
  const closed = stream === null ? undefined : kindOf(stream).closed;
  if (closed !== undefined) return [`\`${name}\` cannot be written to: ${closed[0]}`, closed[1]];
  return [`\`${name}\` may not be written to`, `Add \`write_back:\` to \`${stream?.path.join('.') ?? name}\`.`];
}

/** Explains why a column of a stream accepts no value; null if it does. */
export function whyNotWritable(sources: Sources, name: string, column: string): string | null {
  const stream = findStream(sources, name);
  return stream === null ? 'there is no such stream' : kindOf(stream).whyNotWritable(stream.config, column);
}
