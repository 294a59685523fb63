import type { SourceConfig } from '../connectors/kinds.js';
import { canonicalJson, isJsonObject, type Json, type JsonObject, objectOf } from '../model/json.js';
import type { Config } from './config.js';

/**
 * Restores the deciding parts of an earlier run's configuration, with current folders, addresses and secrets. A source that
 * no longer exists cannot be read; the mapping that uses it reports that.
 *
 * @param deciding the result of `describeDeciding` at that time
 */
export function restoreConfig(now: Config, deciding: JsonObject, digest: string): Config {
  const { sources: then, ...parts } = deciding;
  const shapes = objectOf(then);
  const sources = Object.fromEntries(
    Object.entries(now.sources).map(([name, source]) => [name, restoreSource(source, shapes[name])]),
  );
  // These parts come from a checked configuration. If an older version stored them, they are checked when they are compiled.
  const restored: Config = { ...now, maps: {}, ...(parts as unknown as Partial<Config>), sources, digest };
  const { users, ...feeds } = restored.mappings;
  const people = users !== undefined && 'existence' in users ? users : null;
  return { ...restored, users: people, streamMappings: feeds as unknown as Config['streamMappings'] };
}

function restoreSource(source: SourceConfig, then: Json | undefined): SourceConfig {
  if (!isJsonObject(then) || then.type !== source.type) return source;
  if (!('streams' in source)) return { ...source, ...then } as SourceConfig;
  const shapes = objectOf(then.streams);
  const streams = Object.entries(source.streams).map(([name, stream]) => {
    const shape = shapes[name];
    return [name, isJsonObject(shape) ? { ...stream, ...shape } : stream];
  });
  return { ...source, streams: Object.fromEntries(streams) } as SourceConfig;
}

/**
 * Lists the differences of two descriptions as paths of the configuration file: `users.fields.title.en`,
 * `users.leaver.grace`. An added or removed part is named once, by its root.
 */
export function listEditedPaths(before: Json, now: Json): readonly string[] {
  const paths = new Set<string>();
  collect(before, now, [], paths);
  return [...paths].sort();
}

function collect(before: Json | undefined, now: Json | undefined, path: readonly string[], paths: Set<string>): void {
  if (canonicalJson(before ?? null) === canonicalJson(now ?? null)) return;
  if (!isJsonObject(before) || !isJsonObject(now)) {
    paths.add(namePath(path));
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    collect(before[name], now[name], [...path, name], paths);
  }
}

/**
 * Converts names to the form of the file: `afterMissingReads` becomes `after_missing_reads`, and rules get the path of their
 * field.
 */
function namePath([root = '', ...rest]: readonly string[]): string {
  const path = root === 'mappings' ? rest : [root, ...rest];
  const [entity = '', part = '', leaf] = path;
  if (part === 'rules' && leaf !== undefined) return `${entity}.fields.${leaf}`;
  if (part === 'fields' || entity === 'sources') return path.join('.');
  return path.map(writeName).join('.');
}

function writeName(name: string): string {
  return name.replace(/Ms$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
