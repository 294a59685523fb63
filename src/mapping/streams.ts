import type { Config } from '../config/config.js';
import type { Entity } from '../model/entity.js';
import { listStreams, type NamedStream } from '../model/stream.js';
import { defect } from './expression.js';
import type { ScopeSource } from './scope.js';

export type StreamShape = NamedStream;

export function findStream(sources: Config['sources'], name: string): StreamShape | null {
  return listStreams(sources).find((stream) => stream.name === name) ?? null;
}

/** One that the configuration has checked to be there. */
export function needStream(sources: Config['sources'], name: string): StreamShape {
  const stream = findStream(sources, name);
  if (stream === null) throw defect(`there is no source ${name}`);
  return stream;
}

/** The sources whose rows complete the records of its origin. */
export function listEnriching(config: Config, entity: Entity): readonly string[] {
  const mapping = config.mappings[entity];
  return mapping !== undefined && 'enrich' in mapping ? Object.keys(mapping.enrich) : [];
}

/**
 * What the expressions of an entity see for the records of one stream. Users see every source by name too;
 * customers and projects only `record`, since a stream's name has a dot in it.
 */
export function listVisible(
  sources: Config['sources'],
  origin: StreamShape,
  enriching: readonly string[],
  named: boolean,
): readonly ScopeSource[] {
  const first: ScopeSource = { name: origin.name, columns: origin.columns, named, enriching: false };
  const others = enriching.flatMap((name) => {
    const stream = findStream(sources, name);
    return stream === null ? [] : [{ name, columns: stream.columns, named, enriching: true }];
  });
  return [first, ...others];
}

/** `prefer` chooses among rows of one source, so it sees that source alone. */
export function listVisibleToPrefer(stream: StreamShape): readonly ScopeSource[] {
  return [{ name: stream.name, columns: stream.columns, named: !stream.name.includes('.'), enriching: false }];
}
