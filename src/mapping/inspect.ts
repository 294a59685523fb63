import type { ASTNode } from '@marcbachmann/cel-js';
import { adviseName } from '../model/nearest.js';
import { findPatternFault, useLinearMatches } from './linear-patterns.js';
import type { Scope, Variables } from './scope.js';
import { useTally } from './tally.js';

/** What is wrong with an expression, with offsets into its text. */
export interface Finding {
  readonly message: string;
  readonly remedy: string;
  readonly start: number;
  readonly end: number;
}

/** A column an expression reads, and how. */
export interface ColumnReference {
  readonly variable: string;
  readonly column: string;
  /** `plain` fails on an absent cell; `optional` is `.?`; `tested` is inside `has()`. */
  readonly access: 'plain' | 'optional' | 'tested';
  readonly start: number;
  readonly end: number;
}

/**
 * Walks the tree for what the library's own check lets through: misspelt columns behind `.?`, `[?…]` and `has()`,
 * plain reads of cells that may be absent (they would fail record by record), and patterns that cannot be run. `matches` is
 * given its linear engine on the way, and comprehensions their bound.
 */
export function inspectExpression(
  tree: ASTNode,
  scope: Scope,
): { readonly references: readonly ColumnReference[]; readonly findings: readonly Finding[] } {
  const references: ColumnReference[] = [];
  const findings: Finding[] = [];
  walk(tree, false);

  const tested = new Set(references.filter(({ access }) => access === 'tested').map(nameOf));
  for (const reference of references) {
    const finding = checkReference(reference, scope.variables, tested.has(nameOf(reference)));
    if (finding !== null) findings.push(finding);
  }
  return { references, findings };

  function walk(node: ASTNode, inHas: boolean): void {
    const found = columnOf(node, scope.variables);
    if (found !== null) {
      if (typeof found.column === 'string') {
        references.push({ ...found, column: found.column, access: accessOf(node, inHas), ...range(node) });
      } else {
        findings.push({
          message: `a column of \`${found.variable}\` is chosen while the expression runs`,
          remedy: `Name the column itself, as in \`${found.variable}["name"]\`, so that it can be checked.`,
          ...range(node),
        });
        walk(found.column, false);
      }
      return;
    }
    if (node.op === 'id' && node.args in scope.variables) {
      findings.push({
        message: `\`${node.args}\` is a whole record, not a value`,
        remedy: `Name one of its columns, as in \`${node.args}.${Object.keys(scope.variables[node.args] ?? {})[0] ?? 'name'}\`.`,
        ...range(node),
      });
    }
    if (node.op === 'rcall') readCall(node);
    const has = node.op === 'call' && node.args[0] === 'has';
    for (const child of listChildren(node)) walk(child, has);
  }

  function readCall(node: ASTNode & { readonly op: 'rcall' }): void {
    if (node.args[0] === 'matches') {
      const finding = checkPattern(node.args[2][0], node);
      if (finding !== null) findings.push(finding);
      useLinearMatches(node);
    }
    useTally(node, scope.environment);
  }
}

function accessOf({ op }: ASTNode, inHas: boolean): ColumnReference['access'] {
  if (inHas) return 'tested';
  return op === '.?' || op === '[?]' ? 'optional' : 'plain';
}

function nameOf(reference: ColumnReference): string {
  return `${reference.variable}.${reference.column}`;
}

function range(node: ASTNode): { start: number; end: number } {
  return { start: node.start, end: node.end };
}

function columnOf(
  node: ASTNode,
  variables: Variables,
): { readonly variable: string; readonly column: string | ASTNode } | null {
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return null;
  const owner = node.args[0];
  if (owner.op !== 'id' || !Object.hasOwn(variables, owner.args)) return null;
  const key = node.args[1];
  if (typeof key === 'string') return { variable: owner.args, column: key };
  return { variable: owner.args, column: key.op === 'value' && typeof key.args === 'string' ? key.args : key };
}

export function listChildren(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}

function checkReference(reference: ColumnReference, variables: Variables, tested: boolean): Finding | null {
  const { variable, column, access, start, end } = reference;
  const columns = variables[variable] ?? {};
  const visible = columns[column];
  if (visible === undefined) {
    const names = Object.keys(columns);
    const declare = `Columns: ${names.join(', ')}. Declare the column under the source's \`columns\` to use it.`;
    const message = `\`${variable}\` has no column \`${column}\``;
    return { message, remedy: adviseName(column, names, declare), start, end };
  }
  if (access !== 'plain' || !visible.optional || tested) return null;
  const read = /^[A-Za-z_]\w*$/.test(column) ? `${variable}.?${column}` : `${variable}[?${JSON.stringify(column)}]`;
  return {
    message: `\`${variable}.${column}\` can be absent, and reading it plainly would fail for such records`,
    remedy: `Write \`${read}\` (absent stays empty) or \`${read}.orValue(…)\`, or test it with \`has(${variable}.${column})\`.`,
    start,
    end,
  };
}

/** The pattern is a fixed text, so that it is checked once, when the configuration loads. */
function checkPattern(pattern: ASTNode | undefined, call: ASTNode): Finding | null {
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    return {
      message: 'the pattern of `matches` is not a text',
      remedy: 'Write the pattern in quotes.',
      ...range(call),
    };
  }
  const fault = findPatternFault(pattern.args);
  if (fault === null) return null;
  return {
    message: `\`${pattern.args}\` is not a pattern that \`matches\` can run: ${fault}`,
    remedy:
      'Write it in RE2 syntax (https://github.com/google/re2/wiki/Syntax), which has no look-around and no back references.',
    ...range(pattern),
  };
}
