import type { CrmFeedConfig } from '../connectors/crm/feed-config.js';
import type { FileRules } from '../connectors/drop/file-rules.js';
import { canonicalJson, type Json } from '../model/json.js';
import { sha256 } from '../model/sha256.js';
import type { Config, SourceConfig } from './config.js';

/**
 * SHA-256 over what decides which values, matches and leavers are derived. Left out: secrets, addresses, paths, limits,
 * guards, times and the way people travel, so that moving a folder or renewing a key does not look like an edited mapping.
 */
export function digestConfig(config: Omit<Config, 'digest'>): string {
  return sha256(canonicalJson(describeDeciding(config)));
}

/** The deciding parts themselves: what is kept of a run's configuration, to tell later what an edit has done. */
export function describeDeciding(config: Omit<Config, 'digest'>): Json {
  const { policy, industries, tags, drift, conflicts, timezone } = config;
  const mappings = {
    ...config.mappings,
    users: config.users === null ? undefined : { ...config.users, bulkLoad: undefined },
  };
  const sources = Object.fromEntries(
    Object.entries(config.sources).map(([name, source]) => [name, describeShape(source)]),
  );
  return toJson({ policy, sources, mappings, industries, tags, drift, conflicts, timezone });
}

function describeShape(source: SourceConfig): unknown {
  if (source.type !== 'crm') return { type: source.type, ...pickShape(source) };
  const streams = Object.entries(source.streams).map(([name, stream]) => [
    name,
    { ...pickShape(stream), rows: stream.rows, ...('baseUrl' in stream ? pickQuestion(stream) : {}) },
  ]);
  return { type: source.type, streams: Object.fromEntries(streams) };
}

function pickShape(
  source: Pick<Exclude<SourceConfig, { type: 'crm' }>, 'key' | 'columns' | 'prefer'> & { readonly rules?: FileRules },
): object {
  const { key, columns, prefer, rules } = source;
  const aliases = Object.keys(rules?.aliases ?? {}).length === 0 ? {} : { aliases: rules?.aliases };
  return { key, columns, prefer, ...aliases };
}

/** What a feed is asked decides which of its rows there are. */
function pickQuestion({ dialect, path, filter, query, headers, next, total, deleted }: CrmFeedConfig): object {
  return { dialect, path, filter, query, headers, next, total, deleted };
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
