import type { Config } from '../config/config.js';
import type { Column, ColumnTypeName } from '../model/column.js';
import { type Entity, wordFor } from '../model/entity.js';
import { FIELDS, type FieldShape } from '../model/fields.js';
import { isJsonObject, type Json, type Values } from '../model/json.js';
import { ignoresCase } from '../model/person-fields.js';
import type { Cell, CellItem } from '../model/source.js';
import { inspectExpression } from './inspect.js';
import { createScope, type Scope } from './scope.js';

/** An object of the service as `write_back` expressions see it. */
export interface ServiceObject {
  /** null for a planned object, which gets its id when the service creates it. */
  readonly id: string | null;
  readonly active: boolean;
  /** The values in the names of the model, as the mirror stores them. */
  readonly values: Values;
  /** The e-mail addresses of the people who have this reference project on their CVs. */
  readonly people: readonly string[];
}

const TYPES: Readonly<Partial<Record<FieldShape, ColumnTypeName>>> = {
  text: 'string',
  industry: 'string',
  reference: 'string',
  integer: 'int',
  flag: 'bool',
  names: 'list',
  references: 'list',
  multilingual: 'map',
  tags: 'map',
  tag_sets: 'map',
  custom_fields: 'map',
};

/** A column that is not a field. `given`: the service sets the value when it creates the object. */
interface Extra {
  readonly type: ColumnTypeName;
  readonly given?: true;
  /** True if the value may change although the object does not. */
  readonly moving?: true;
  read(object: ServiceObject, baseUrl: string): Cell | undefined;
}

const COMMON: Readonly<Record<string, Extra>> = {
  id: { type: 'string', given: true, read: ({ id }) => id ?? undefined },
  active: { type: 'bool', read: ({ active }) => active },
};

const EXTRAS: Readonly<Partial<Record<Entity, Readonly<Record<string, Extra>>>>> = {
  users: {
    cv_id: { type: 'string', given: true, read: ({ values }) => scalarText(values.default_cv_id) },
    cv_link: {
      type: 'string',
      given: true,
      read: ({ values }, baseUrl) => linkTo(baseUrl, 'cv', values.default_cv_id),
    },
    office_name: { type: 'string', read: ({ values }) => scalarText(partOf(values.office, 'name')) },
    country_code: { type: 'string', read: ({ values }) => scalarText(partOf(values.office, 'country')) },
  },
  projects: {
    customer_id: { type: 'string', given: true, read: ({ values }) => scalarText(values.customer_id) },
    people: { type: 'list', moving: true, read: ({ people }) => people },
  },
  // The address of a proposal in the service (spec, Proposals).
  proposals: {
    link: { type: 'string', given: true, read: ({ id }, baseUrl) => linkTo(baseUrl, 'proposal', id) },
  },
};

function linkTo(baseUrl: string, kind: string, id: Json | undefined): string {
  return typeof id === 'string' ? `${baseUrl}/redirect/to/${kind}?id=${encodeURIComponent(id)}` : '';
}

function extrasOf(entity: Entity): Readonly<Record<string, Extra>> {
  return { ...COMMON, ...EXTRAS[entity] };
}

/**
 * Creates the scope for expressions on service objects. Texts, lists and maps are always present, even if empty. Numbers
 * and flags that the service leaves empty are absent.
 */
export function createObjectScope(entity: Entity, { timezone, maps }: Pick<Config, 'timezone' | 'maps'>): Scope {
  const columns: Record<string, Column> = {};
  for (const [name, field] of Object.entries(FIELDS[entity])) {
    const type = TYPES[field.shape];
    if (type !== undefined) columns[name] = { ...columnOf(type), ignoresCase: ignoresCase(field) };
  }
  for (const [name, { type }] of Object.entries(extrasOf(entity))) columns[name] = columnOf(type);
  return createScope([{ name: wordFor(entity), columns, enriching: false }], null, timezone, maps);
}

function columnOf(type: ColumnTypeName): Column {
  return { type, optional: type === 'int' || type === 'bool', format: null, trueWords: null, separator: ';' };
}

/** Makes the expressions of a scope read the next object. */
export function showObject(scope: Scope, entity: Entity, object: ServiceObject, baseUrl: string): void {
  const cells: Record<string, Cell> = {};
  const put = (name: string, cell: Cell | undefined): void => {
    if (cell !== undefined) cells[name] = cell;
  };
  for (const [name, { shape }] of Object.entries(FIELDS[entity])) {
    const type = TYPES[shape];
    if (type !== undefined) put(name, cellOf(type, object.values[name]));
  }
  for (const [name, extra] of Object.entries(extrasOf(entity))) put(name, extra.read(object, baseUrl));
  scope.show(wordFor(entity), cells);
}

const EMPTY: Readonly<Partial<Record<ColumnTypeName, Cell>>> = { string: '', list: [], map: {} };

function cellOf(type: ColumnTypeName, value: Json | undefined): Cell | undefined {
  if (value === undefined || value === null) return EMPTY[type];
  if (type === 'int') return typeof value === 'number' ? BigInt(Math.trunc(value)) : undefined;
  if (type === 'string') return scalarText(value);
  if (type === 'list') return Array.isArray(value) ? (value as readonly CellItem[]) : [String(value)];
  return value as Cell;
}

function scalarText(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function partOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/** Tests if an expression depends on values that the service sets when it creates an object with these values. */
export function restsOnGiven(scope: Scope, entity: Entity, text: string): (values: Values) => boolean {
  if (listExtras(scope, entity, text).some(({ given }) => given === true)) return () => true;
  const named = listColumns(scope, text);
  const filled = Object.entries(FIELDS[entity]).flatMap(([name, { given, neverEmpty }]) =>
    (given ?? neverEmpty) === true && named.includes(name) ? [name] : [],
  );
  return (values) => filled.some((name) => (values[name] ?? null) === null);
}

/** True if an expression depends on values that may change although the object does not. */
export function restsOnOthers(scope: Scope, entity: Entity, text: string): boolean {
  return listExtras(scope, entity, text).some(({ moving }) => moving === true);
}

function listExtras(scope: Scope, entity: Entity, text: string): readonly Extra[] {
  const extras = extrasOf(entity);
  return listColumns(scope, text).flatMap((column) => extras[column] ?? []);
}

function listColumns(scope: Scope, text: string): readonly string[] {
  return inspectExpression(scope.parse(text).ast, scope).references.map(({ column }) => column);
}
