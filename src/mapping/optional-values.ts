import { type ASTNode, type Environment, Optional } from '@marcbachmann/cel-js';
import { ITEMS } from './linear-patterns.js';
import { callMethod, mapItems, prepareTemplates } from './rewrite-nodes.js';

/**
 * Registers the functions of CEL's optional values that the library lacks: `record.?x.optMap(v, v.lowerAscii())`,
 * `optFlatMap`, and `optional.ofNonZeroValue("")`. An optional value is converted to a list with at most one item, so
 * that the library's own `map` checks the types. Also registers `list.first()` and `list.last()`, which are absent for
 * an empty list.
 */
export function registerOptionalValues(environment: Environment): void {
  prepareTemplates();
  environment.registerFunction(`optional<A>.${ITEMS}(): list<A>`, (value: Optional) =>
    value.hasValue() ? [value.value()] : [],
  );
  environment.registerFunction('list<A>.first(): optional<A>', (items: readonly unknown[]) => optionalOf(items[0]));
  environment.registerFunction('list<A>.last(): optional<A>', (items: readonly unknown[]) => optionalOf(items.at(-1)));
  environment.registerFunction(
    'list<optional<A>>.firstPresent(): optional<A>',
    ([item]: readonly Optional[]) => item ?? Optional.none(),
  );
  environment.registerFunction('OptionalNamespace.ofNonZeroValue(A): optional<A>', (_: unknown, value: unknown) =>
    isZero(value) ? Optional.none() : Optional.of(value),
  );
  registerMacro(environment, 'optMap', 'first');
  registerMacro(environment, 'optFlatMap', 'firstPresent');
}

interface MacroCall {
  readonly ast: ASTNode;
  readonly receiver: ASTNode;
  readonly args: readonly [ASTNode, ASTNode];
}

/** Registers a macro that turns `x.NAME(v, value)` into `x.asItems().map(v, value).END()`. */
function registerMacro(environment: Environment, name: string, end: string): void {
  environment.registerFunction(`optional.${name}(ast, ast): dyn`, ({ ast, receiver, args }: MacroCall) => {
    const [variable, value] = args;
    // If `variable` is not a name, the library's check rejects it as an unknown variable.
    const items = callMethod(ast, receiver, ITEMS);
    return { callAst: callMethod(ast, mapItems(ast, items, variable.op === 'id' ? variable.args : '', value), end) };
  });
}

function optionalOf(value: unknown): Optional {
  return value === undefined || value === null ? Optional.none() : Optional.of(value);
}

function isZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) {
    return !(value instanceof Date) && (value instanceof Map ? value.size : Object.keys(value).length) === 0;
  }
  return value === '' || value === 0 || value === 0n || value === false || value === null;
}
