import { type Cell, type DynamicsData, type DynamicsRow, ENTITIES, type EntitySet } from './dynamics-data.js';
import { malformed } from './dynamics-errors.js';

const FORMATTED = 'OData.Community.Display.V1.FormattedValue';
const LOOKUP_NAME = 'Microsoft.Dynamics.CRM.lookuplogicalname';

const STATES: Readonly<Record<EntitySet, readonly string[]>> = {
  accounts: ['Active', 'Inactive'],
  contacts: ['Active', 'Inactive'],
  opportunities: ['Open', 'Won', 'Lost'],
  systemusers: [],
};

export interface Shape {
  readonly set: EntitySet;
  /** All columns when null; the key is always included. */
  readonly select: readonly string[] | null;
  readonly expand: readonly { readonly name: string; readonly select: readonly string[] | null }[];
  /** The names from Prefer: odata.include-annotations; a star stands for any. */
  readonly annotations: readonly string[];
}

export function readShape(data: DynamicsData, set: EntitySet, query: URLSearchParams, annotations: string): Shape {
  const expand = readExpand(set, query.get('$expand') ?? '');
  const select = query.get('$select');
  const shape = { set, select: select === null ? null : splitNames(select), expand };
  checkColumns(data, set, shape.select ?? []);
  for (const one of expand) checkColumns(data, ENTITIES[set].navigation[one.name]?.[1] ?? set, one.select ?? []);
  return { ...shape, annotations: annotations.split(',') };
}

export function checkColumns(data: DynamicsData, set: EntitySet, names: readonly string[]): void {
  for (const path of names) {
    const [first = '', rest] = path.split('/');
    const to = rest === undefined ? undefined : ENTITIES[set].navigation[first]?.[1];
    if (rest !== undefined && to !== undefined) checkColumns(data, to, [rest]);
    else if (!data.isColumn(set, path)) {
      throw malformed(
        `Could not find a property named '${path}' on type 'Microsoft.Dynamics.CRM.${ENTITIES[set].name}'.`,
      );
    }
  }
}

function splitNames(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}

/** Reads, for example, owninguser($select=fullname),parentaccountid. */
function readExpand(set: EntitySet, text: string): Shape['expand'] {
  return (text.match(/[^,(]+(?:\([^)]*\))?/g) ?? []).map((one) => {
    const [, name = '', inner] = /^\s*(\w+)(?:\(\$select=([^)]*)\))?\s*$/.exec(one) ?? [];
    if (ENTITIES[set].navigation[name] === undefined) throw malformed(`Could not expand '${one}'.`);
    return { name, select: inner === undefined ? null : splitNames(inner) };
  });
}

export function show(data: DynamicsData, shape: Shape, row: DynamicsRow): Record<string, unknown> {
  const { key, navigation } = ENTITIES[shape.set];
  const shown: Record<string, unknown> = { '@odata.etag': `W/"${row.version}"` };
  const names = shape.select === null ? Object.keys(row.columns) : [...new Set([...shape.select, key])];
  for (const name of names) {
    const value = row.columns[name] ?? null;
    annotate(data, shape, name, value, shown);
    shown[name] = value;
  }
  for (const { name, select } of shape.expand) {
    const [column, set] = navigation[name] ?? [];
    const other = set === undefined ? undefined : data.find(set, String(row.columns[column ?? '']));
    const inner = { set: set ?? shape.set, select, expand: [], annotations: shape.annotations };
    shown[name] = other === undefined ? null : show(data, inner, other);
  }
  return shown;
}

/** Adds the display text for a number, a time, a state or a referenced row. */
function annotate(data: DynamicsData, shape: Shape, name: string, value: Cell, shown: Record<string, unknown>): void {
  const asked = (annotation: string) =>
    shape.annotations.some(
      (one) => one === annotation || (one.endsWith('*') && annotation.startsWith(one.slice(0, -1))),
    );
  if (value === null) return;
  const target = Object.values(ENTITIES[shape.set].navigation).find(([column]) => column === name)?.[1];
  const set = target ?? (name === '_ownerid_value' ? 'systemusers' : undefined);
  if (set !== undefined && asked(LOOKUP_NAME)) shown[`${name}@${LOOKUP_NAME}`] = ENTITIES[set].name;
  const words = set === undefined ? format(shape.set, name, value) : nameOf(data, set, value);
  if (words !== null && asked(FORMATTED)) shown[`${name}@${FORMATTED}`] = words;
}

function nameOf(data: DynamicsData, set: EntitySet, id: Cell): string | null {
  const columns = data.find(set, String(id))?.columns;
  return columns === undefined ? null : String(columns.name ?? columns.fullname ?? '');
}

function format(set: EntitySet, name: string, value: Cell): string | null {
  if (name === 'statecode') return STATES[set][Number(value)] ?? null;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return value.toLocaleString('en-US');
  const isTime = /^\d{4}-\d{2}-\d{2}T/.test(String(value));
  return isTime ? new Date(String(value)).toLocaleString('en-US', { timeZone: 'UTC' }) : null;
}
