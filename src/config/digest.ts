import { kindOf, type SourceConfig } from '../connectors/kinds.js';
import { canonicalJson, type Json } from '../model/json.js';
import { sha256 } from '../model/sha256.js';
import type { Config } from './config.js';

/**
 * SHA-256 over everything that decides which values, matches and leavers are derived. Secrets, addresses, paths, limits,
 * guards, times and the import are left out, so that moving a folder or renewing a key does not look like an edited mapping.
 */
export function digestConfig(config: Omit<Config, 'text' | 'digest'>): string {
  return sha256(canonicalJson(describeDeciding(config)));
}

/** The deciding parts, which are stored with a run to show later what an edit has changed. */
export function describeDeciding(config: Omit<Config, 'text' | 'digest'>): Json {
  const { policy, industries, tags, drift, conflicts, timezone, maps } = config;
  const mappings = {
    ...config.mappings,
    users: config.users === null ? undefined : { ...config.users, bulkLoad: undefined },
  };
  const sources = Object.fromEntries(
    Object.entries(config.sources).map(([name, source]) => [name, describeShape(source)]),
  );
  // Without maps, the text is the same as before the setting existed.
  const named = Object.keys(maps).length === 0 ? {} : { maps };
  return toJson({ policy, sources, mappings, industries, tags, drift, conflicts, timezone, ...named });
}

function describeShape(source: SourceConfig): unknown {
  const { type } = source;
  const kind = kindOf(source);
  if (!('streams' in source)) return { type, ...kind.describeDeciding(source) };
  const streams = Object.entries(source.streams).map(([name, stream]) => [name, kind.describeDeciding(stream)]);
  return { type, streams: Object.fromEntries(streams) };
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
