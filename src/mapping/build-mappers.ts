import type { Config } from '../config/config.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import { createMapper, type Mapper } from './mapper.js';
import { createWriteBackMapper, type WriteBackMapper } from './write-back.js';

/** A mapper for each entity that is mapped. */
export function buildMappers(config: Config): Readonly<Partial<Record<Entity, Mapper>>> {
  const mapped = ENTITIES.filter((entity) => config.mappings[entity] !== undefined);
  return Object.fromEntries(mapped.map((entity) => [entity, createMapper(config, entity)]));
}

/** And one the other way round for each that is written back. */
export function buildWriteBackMappers(config: Config): Readonly<Partial<Record<Entity, WriteBackMapper>>> {
  const mapped = ENTITIES.filter((entity) => (config.mappings[entity]?.writeBack ?? []).length > 0);
  return Object.fromEntries(mapped.map((entity) => [entity, createWriteBackMapper(config, entity)]));
}
