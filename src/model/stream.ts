import type { Columns } from './column.js';

/** Settings that every readable stream of a source has. */
export interface StreamBasics {
  readonly key: string;
  readonly columns: Columns;
  readonly prefer: string | null;
}

/** A source is a single stream or has several named ones. */
export type SourceBasics = { readonly type: string } & (
  | StreamBasics
  | { readonly streams: Readonly<Record<string, StreamBasics>> }
);

export type StreamOf<Source> = Source extends { readonly streams: Readonly<Record<string, infer Stream>> }
  ? Stream
  : Source;

/** A configured stream with its name in expressions: a source (`hr`), or a stream of a source (`crm.companies`). */
export interface NamedStream<Config = StreamBasics> extends StreamBasics {
  readonly name: string;
  /** Type of the source. */
  readonly type: string;
  /** Path in the configuration. */
  readonly path: readonly string[];
  readonly config: Config;
}

export function listStreams<Source extends SourceBasics>(
  sources: Readonly<Record<string, Source>>,
): readonly NamedStream<StreamOf<Source>>[] {
  return Object.entries(sources).flatMap(([source, config]) => {
    const { type } = config;
    if (!('streams' in config)) return [nameStream<Source>(source, type, ['sources', source], config)];
    return Object.entries(config.streams).map(([stream, one]) =>
      nameStream<Source>(`${source}.${stream}`, type, ['sources', source, 'streams', stream], one),
    );
  });
}

function nameStream<Source>(
  name: string,
  type: string,
  path: readonly string[],
  config: StreamBasics,
): NamedStream<StreamOf<Source>> {
  const { key, columns, prefer } = config;
  return { name, type, path, key, columns, prefer, config: config as StreamOf<Source> };
}
