import type { Config } from '../config/config.js';
import { createDateWriter } from '../model/date-in-zone.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import { removeHidden } from '../model/hidden-signs.js';
import { type Json, leafOf, type Values } from '../model/json.js';
import type { WriteBackColumn } from '../model/write-back.js';
import { compileChecked, type Expression, explainFailure } from './expression.js';
import { RecordFault } from './record-fault.js';
import { createObjectScope, restsOnGiven, restsOnOthers, type ServiceObject, showObject } from './service-object.js';
import { jsonOf } from './values.js';

/** One column that is written back, with a function that says if the service gives its value. */
export interface CompiledWriteBack extends WriteBackColumn {
  /** True if the column depends on values that the service sets when it creates an object with these values. */
  isGiven(values: Values): boolean;
}

/** The values of the columns, in the order of the columns. */
export type WriteBackValues = readonly Json[];

/** Maps objects of the service to the cells that the sources should contain. A mapper is pure. */
export interface WriteBackMapper {
  readonly columns: readonly CompiledWriteBack[];
  /** True if a value may change although the object does not. */
  readonly restsOnOthers: boolean;
  /** Returns the value of each column, null for an empty one, or a fault if a value is unknown. */
  map(object: ServiceObject): WriteBackValues | RecordFault;
}

/** Creates a mapper for each entity that is written back. */
export function buildWriteBackMappers(config: Config): Readonly<Partial<Record<Entity, WriteBackMapper>>> {
  const mapped = ENTITIES.filter((entity) => (config.mappings[entity]?.writeBack ?? []).length > 0);
  return Object.fromEntries(mapped.map((entity) => [entity, createWriteBackMapper(config, entity)]));
}

/** Compiles the write-back of an entity. The configuration has been checked, so a failure here is a defect. */
export function createWriteBackMapper(config: Config, entity: Entity): WriteBackMapper {
  const scope = createObjectScope(entity, config);
  const writeDate = createDateWriter(config.timezone);
  const programs = (config.mappings[entity]?.writeBack ?? []).map((column) => {
    const { value } = column;
    if (value === null) return { column: { ...column, isGiven: () => false }, expression: null };
    const expression = compileChecked(scope, `${entity}.write_back`, value, 'cell');
    return { column: { ...column, isGiven: restsOnGiven(scope, entity, value) }, expression };
  });
  return {
    columns: programs.map(({ column }) => column),
    restsOnOthers: programs.some(({ column }) => column.value !== null && restsOnOthers(scope, entity, column.value)),
    map(object) {
      showObject(scope, entity, object, config.service.baseUrl);
      try {
        return programs.map(({ column, expression }) =>
          expression === null
            ? plain(leafOf(object.values, column.leaf ?? ''), writeDate)
            : run(column, expression, writeDate),
        );
      } catch (error) {
        if (error instanceof RecordFault) return error;
        throw error;
      }
    },
  };
}

function run({ source, column }: CompiledWriteBack, expression: Expression, writeDate: WriteDate): Json {
  try {
    return plain(expression.run(), writeDate);
  } catch (error) {
    throw new RecordFault(
      'SYNC_MAP_EXPRESSION',
      `write_back of ${source}.${column}: \`${expression.text}\` failed: ${explainFailure(error)}`,
      'Make the expression handle such objects, as in `user.title.?en.orValue("")`.',
    );
  }
}

type WriteDate = ReturnType<typeof createDateWriter>;

/**
 * Converts a value to a cell of a source: a day in the tenant's zone, any other moment in UTC, an empty value as null.
 * Removes the characters that reading the source also removes, because they would look like a change in every run.
 */
function plain(given: unknown, writeDate: WriteDate): Json {
  const value = typeof given === 'string' ? removeHidden(given) : given;
  if (value === undefined || value === null || value === '') return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.map((item) => plain(item, writeDate));
  return jsonOf(value, writeDate);
}
