import type { Config } from '../config/config.js';
import type { Entity } from '../model/entity.js';
import { listStreams, type NamedStream } from '../model/stream.js';
import { defect } from './expression.js';
import type { ScopeSource } from './scope.js';

export type StreamShape = NamedStream;

export function findStream(sources: Config['sources'], name: string): StreamShape | null {
  return listStreams(sources).find((stream) => stream.name === name) ?? null;
}

/** Returns a stream. The configuration has checked that it exists. */
export function needStream(sources: Config['sources'], name: string): StreamShape {
  const stream = findStream(sources, name);
  if (stream === null) throw defect(`there is no source ${name}`);
  return stream;
}

/** Lists the sources with rows that complete the records of an entity. */
export function listEnriching(config: Config, entity: Entity): readonly string[] {
  const mapping = config.mappings[entity];
  return mapping !== undefined && 'enrich' in mapping ? Object.keys(mapping.enrich) : [];
}

/** Lists the sources that expressions of an entity see, each by its name and all together as `record`. */
export function listVisible(
  sources: Config['sources'],
  origin: StreamShape,
  enriching: readonly string[],
): readonly ScopeSource[] {
  const first: ScopeSource = { name: origin.name, columns: origin.columns, enriching: false };
  const others = enriching.flatMap((name) => {
    const stream = findStream(sources, name);
    return stream === null ? [] : [{ name, columns: stream.columns, enriching: true }];
  });
  return [first, ...others];
}

/** Lists the sources that `prefer` sees. `prefer` chooses among rows of one source, so it sees only this source. */
export function listVisibleToPrefer(stream: StreamShape): readonly ScopeSource[] {
  return [{ name: stream.name, columns: stream.columns, enriching: false }];
}
