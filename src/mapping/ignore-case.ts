import type { ASTNode } from '@marcbachmann/cel-js';
import { callMethod } from './rewrite-nodes.js';

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', 'in']);
const CALLS: ReadonlySet<string> = new Set(['startsWith', 'endsWith', 'contains']);

/**
 * Makes comparisons of addresses and user names ignore case: `@board.example.com` also matches
 * `Chair@Board.Example.com`. The comparison in the tree changes, but its type does not.
 *
 * @param isFolded true for a node that reads a column with addresses or user names
 */
export function compareWithoutCase(node: ASTNode, isFolded: (node: ASTNode) => boolean): void {
  if (node.op === 'rcall') foldCall(node, isFolded);
  else if (COMPARISONS.has(node.op)) foldSides(node, node.args as ASTNode[], isFolded);
}

function foldCall(node: ASTNode & { readonly op: 'rcall' }, isFolded: (node: ASTNode) => boolean): void {
  const [name, receiver, given] = node.args as [string, ASTNode, ASTNode[]];
  const [first] = given;
  if (first === undefined || ![receiver, first].some(isFolded)) return;
  // A pattern gets a flag that makes its engine ignore case.
  if (name === 'matches' && first.op === 'value') Object.assign(first, { args: `(?i)${String(first.args)}` });
  if (!CALLS.has(name)) return;
  Object.assign(node.args, [name, fold(node, receiver), [fold(node, first)]]);
}

function foldSides(node: ASTNode, sides: ASTNode[], isFolded: (node: ASTNode) => boolean): void {
  if (!sides.flatMap(itemsOf).some(isFolded)) return;
  for (const [at, side] of sides.entries()) {
    if (side.op === 'list') for (const [place, item] of side.args.entries()) side.args[place] = fold(node, item);
    else if (node.op !== 'in' || at === 0) sides[at] = fold(node, side);
  }
}

function itemsOf(side: ASTNode): readonly ASTNode[] {
  return side.op === 'list' ? side.args : [side];
}

function fold(node: ASTNode, operand: ASTNode): ASTNode {
  if (operand.op === 'value' && typeof operand.args !== 'string') return operand;
  return callMethod(node, operand, 'lower');
}
