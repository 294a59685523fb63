import type { ASTNode } from '@marcbachmann/cel-js';
import { columnOf } from './inspect.js';
import { listChildren } from './list-children.js';
import type { Scope } from './scope.js';

/** Operators that yield true or false, never a text from a row. */
const TRUTHS: ReadonlySet<ASTNode['op']> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', '||', '&&', '!_']);

/**
 * Lists the columns with content that may become part of an expression's result, such as `hr.role`. A column that only
 * selects fixed words, by a condition or as the key of a configured map, is not free.
 */
export function findFreeColumns(scope: Scope, text: string): readonly string[] {
  const found = new Set<string>();
  walk(scope.parse(text).ast, scope, found);
  return [...found];
}

function walk(node: ASTNode, scope: Scope, found: Set<string>): void {
  if (TRUTHS.has(node.op) || isOfMap(node)) return;
  const read = columnOf(node, scope.variables);
  if (typeof read?.column === 'string') {
    const [source = read.variable] = scope.variables[read.variable]?.[read.column]?.sources ?? [];
    found.add(`${source}.${read.column}`);
    return;
  }
  for (const child of reachingResult(node)) walk(child, scope, found);
}

/** The parts of an expression that may contribute to its result. */
function reachingResult(node: ASTNode): readonly ASTNode[] {
  if (node.op === '?:') return node.args.slice(1);
  if (node.op === 'call' && node.args[0] === 'has') return [];
  // The list of `list.filter(one, condition)` becomes the result; the condition does not.
  if (node.op === 'rcall' && node.args[0] === 'filter') return [node.args[1]];
  return listChildren(node);
}

/** True for a value from a configured map, such as `maps.roles[hr.grade]`. */
function isOfMap(node: ASTNode): boolean {
  if (node.op !== '[]' && node.op !== '[?]') return false;
  const [owner] = node.args;
  return typeof owner === 'object' && owner.op === '.' && owner.args[0].op === 'id' && owner.args[0].args === 'maps';
}
