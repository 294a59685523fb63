import type { SourceConfig } from '../connectors/kinds.js';
import { canonicalJson, isJsonObject, type Json, type JsonObject, objectOf } from '../model/json.js';
import type { Config } from './config.js';

/**
 * The configuration of an earlier run, as far as it decides: its mapping over the folders, addresses and secrets of now.
 * A source that is not there any more cannot be read, which shows when something is mapped from it.
 *
 * @param deciding what `describeDeciding` gave then
 */
export function restoreConfig(now: Config, deciding: JsonObject, digest: string): Config {
  const { sources: then, ...parts } = deciding;
  const shapes = objectOf(then);
  const sources = Object.fromEntries(
    Object.entries(now.sources).map(([name, source]) => [name, restoreSource(source, shapes[name])]),
  );
  // The parts were made of a checked configuration by this program; one that an older program kept is judged by whoever
  // compiles it.
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
 * Where two descriptions differ, as paths of the configuration file: `users.fields.title.en`, `users.leaver.grace`.
 * A part that is wholly new or gone is named once, by its root.
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

/** As it is written: `afterMissingReads` is `after_missing_reads`, and the rules of a field are with the field. */
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
