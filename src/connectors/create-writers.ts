import { listStreams } from '../model/stream.js';
import type { WriteBackColumn } from '../model/write-back.js';
import type { ConnectorContext } from './connector.js';
import type { WriterContext } from './kind.js';
import { kindOf, type Sources } from './kinds.js';
import type { SourceWriter } from './source-writer.js';

interface Written {
  readonly sources: Sources;
  /** The columns that are written back, by entity. */
  readonly mappings: Readonly<Record<string, { readonly writeBack: readonly WriteBackColumn[] } | undefined>>;
}

/** Creates a writer for each stream with write-back in the configuration, keyed by the name in expressions. */
export async function createWriters(
  { sources, mappings }: Written,
  context: ConnectorContext,
): Promise<Map<string, SourceWriter>> {
  const columns = Object.values(mappings).flatMap((mapping) => mapping?.writeBack ?? []);
  const writing: WriterContext = {
    ...context,
    listWritten: (stream) => columns.filter(({ source }) => source === stream).map(({ column }) => column),
  };
  const writers = new Map<string, SourceWriter>();
  for (const stream of listStreams(sources)) {
    const writer = await kindOf(stream).createWriter(stream.name, stream.config, writing);
    if (writer !== null) writers.set(stream.name, writer);
  }
  return writers;
}
