import { kindOf, type SourceConfig } from '../connectors/kinds.js';
import { canonicalJson, type Json } from '../model/json.js';
import { sha256 } from '../model/sha256.js';
import type { Config } from './config.js';

/**
 * Computes a SHA-256 over the parts that decide which values, matches and leavers are derived. It leaves out secrets,
 * addresses, paths, limits, guards, times and the import. Moving a folder or renewing a key therefore does not look like an
 * edited mapping.
 */
export function digestConfig(config: Omit<Config, 'text' | 'digest'>): string {
  return sha256(canonicalJson(describeDeciding(config)));
}

/** Returns the deciding parts. They are stored with each run to show later what an edit has changed. */
export function describeDeciding(config: Omit<Config, 'text' | 'digest'>): Json {
  const { policy, industries, tags, drift, conflicts, timezone, maps } = config;
  const mappings = {
    ...config.mappings,
    users: config.users === null ? undefined : { ...config.users, bulkLoad: undefined },
  };
  const sources = Object.fromEntries(
    Object.entries(config.sources).map(([name, source]) => [name, describeShape(source)]),
  );
  // If there are no maps, the text stays the same as in versions without this setting.
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
