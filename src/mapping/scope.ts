import type { ASTNode, Environment, ParseResult } from '@marcbachmann/cel-js';
import type { Columns, ColumnTypeName } from '../model/column.js';
import { type LookupMaps, NO_MAPS } from '../model/lookup-maps.js';
import type { Cell } from '../model/source.js';
import { CellsView, UnionView, type UnknownTracker } from './cells-view.js';
import { createEnvironment } from './functions.js';
import { listChildren } from './list-children.js';
import { registerLookup } from './lookup.js';
import { useVariable } from './rewrite-nodes.js';

/** CEL's names of the column types. A cell contains the JavaScript value that the library uses for the type. */
const CEL_TYPES: Readonly<Record<ColumnTypeName, string>> = {
  string: 'string',
  int: 'int',
  number: 'double',
  bool: 'bool',
  date: 'google.protobuf.Timestamp',
  datetime: 'google.protobuf.Timestamp',
  list: 'list<string>',
  map: 'map<string, dyn>',
};

export interface ScopeSource {
  /** The name of the source or stream in the configuration. */
  readonly name: string;
  readonly columns: Columns;
  /** True for an enriching source. It may have no row for a record, so each of its columns is optional. */
  readonly enriching: boolean;
}

/** One column of a variable, as expressions see the column. */
export interface VisibleColumn {
  readonly type: ColumnTypeName;
  readonly optional: boolean;
  readonly ignoresCase?: boolean;
  /** True if the column declares its own words for nothing. */
  readonly saysEmpty?: boolean;
  /** The sources of the column's values, in order of precedence. */
  readonly sources: readonly string[];
}
export type Variables = Readonly<Record<string, Readonly<Record<string, VisibleColumn>>>>;

/**
 * The variables that a set of expressions can read. The expressions are compiled once for the scope; `show` then moves
 * all of them to the next record.
 */
export interface Scope {
  readonly environment: Environment;
  readonly variables: Variables;
  readonly context: Readonly<Record<string, unknown>>;
  readonly maps: LookupMaps;
  readonly tracker: UnknownTracker;
  /** The IANA time zone for dates. */
  readonly timezone: string;
  show(source: string, cells: Readonly<Record<string, Cell>> | null | 'unknown'): void;
  setToday(today: Date): void;
  /** True if an expression has read `today` since the day was set, so its result may differ tomorrow. */
  isDated(): boolean;
  /** @throws ParseError of the library */
  parse(text: string): ParseResult;
  view(variable: string): { get(column: string): Cell | undefined } | undefined;
}

/** @param union name of the variable that joins all sources (`record`); null if neither this variable nor `today` exists */
export function createScope(
  sources: readonly ScopeSource[],
  union: string | null,
  timezone: string,
  maps: LookupMaps = NO_MAPS,
): Scope {
  const environment = createEnvironment(timezone);
  const tracker: UnknownTracker = { source: null, leaves: [], noted: null, heard: [] };
  const views = new Map<string, CellsView>();
  let [today, isDated]: [Date | undefined, boolean] = [undefined, false];
  const context: Record<string, unknown> = {
    maps: registerLookup(environment, maps),
    get today() {
      isDated = true;
      return today;
    },
  };
  const variables: Record<string, Readonly<Record<string, VisibleColumn>>> = {};

  for (const source of sources) {
    // Each source needs its own class, because the library finds a value's declared type by its constructor.
    const View = class extends CellsView {};
    const view = new View(source.name, tracker);
    views.set(source.name, view);
    const columns = joinColumns([source]);
    variables[source.name] = columns;
    context[source.name] = view;
    declareVariable(environment, source.name, View, columns);
  }
  if (union !== null) {
    const columns = joinColumns(sources);
    const owners: Record<string, readonly CellsView[]> = Object.create(null);
    for (const [name, column] of Object.entries(columns)) {
      owners[name] = column.sources.flatMap((source) => views.get(source) ?? []);
    }
    const View = class extends UnionView {};
    variables[union] = columns;
    context[union] = new View(owners);
    declareVariable(environment, union, View, columns);
  }
  // The result of a join or a protection must not change from one day to the next.
  if (union !== null) environment.registerVariable('today', CEL_TYPES.date);
  return {
    environment,
    variables,
    context,
    tracker,
    timezone,
    maps,
    show: (source, cells) => views.get(source)?.show(cells),
    parse(text) {
      const parsed = environment.parse(text);
      useStreamNames(parsed.ast, variables);
      return parsed;
    },
    setToday(day) {
      today = day;
      isDated = false;
    },
    isDated: () => isDated,
    view: (variable) => {
      const view = context[variable];
      return view instanceof Map ? view : undefined;
    },
  };
}

type ViewClass = new (...args: never[]) => Map<string, Cell>;

function declareVariable(
  environment: Environment,
  name: string,
  View: ViewClass,
  columns: Readonly<Record<string, VisibleColumn>>,
): void {
  const fields = Object.fromEntries(Object.entries(columns).map(([key, column]) => [key, CEL_TYPES[column.type]]));
  const type = `columns_of_${name.replace('.', '_of_')}`;
  environment.registerType(type, { ctor: View, fields });
  environment.registerVariable(name, type);
}

/** Makes `hr.people` read a separate variable, although it is written like a column of `hr`. */
function useStreamNames(node: ASTNode, variables: Variables): void {
  if (node.op === '.' && node.args[0].op === 'id') {
    const name = `${node.args[0].args}.${node.args[1]}`;
    if (Object.hasOwn(variables, name)) useVariable(node, name);
  }
  for (const child of listChildren(node)) useStreamNames(child, variables);
}

function pickShown({
  type,
  ignoresCase,
  empty,
}: Columns[string]): Pick<VisibleColumn, 'type' | 'ignoresCase' | 'saysEmpty'> {
  const shown = ignoresCase === true ? { type, ignoresCase } : { type };
  return empty === undefined ? shown : { ...shown, saysEmpty: true };
}

/** Joins a column that several sources declare if they agree on its type. Otherwise only the first source counts. */
function joinColumns(sources: readonly ScopeSource[]): Readonly<Record<string, VisibleColumn>> {
  const joined: Record<string, VisibleColumn> = Object.create(null);
  for (const source of sources) {
    for (const [name, column] of Object.entries(source.columns)) {
      const optional = column.optional || source.enriching;
      const before = joined[name];
      if (before === undefined) joined[name] = { ...pickShown(column), optional, sources: [source.name] };
      else if (before.type === column.type) {
        joined[name] = {
          ...before,
          optional: before.optional && optional,
          sources: [...before.sources, source.name],
        };
      }
    }
  }
  return joined;
}
