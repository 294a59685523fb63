import type { ASTNode } from '@marcbachmann/cel-js';
import type { ColumnTypeName } from '../model/column.js';
import { writeColumnRead } from '../model/column-read.js';
import { adviseName } from '../model/nearest.js';
import { findAsciiCompared, useAsciiCase } from './ascii-case.js';
import { compareWithoutCase } from './ignore-case.js';
import { findPatternFault, useLinearMatches } from './linear-patterns.js';
import { listChildren } from './list-children.js';
import { useFieldAccess } from './rewrite-nodes.js';
import type { Scope, Variables } from './scope.js';
import { useTally } from './tally.js';

/** A problem in an expression, with offsets into its text. */
export interface Finding {
  readonly message: string;
  readonly remedy: string;
  readonly start: number;
  readonly end: number;
}

/** A column that an expression reads, and the kind of access. */
export interface ColumnReference {
  readonly variable: string;
  readonly column: string;
  /** `plain` fails on an absent cell; `optional` is `.?`; `tested` is inside `has()`. */
  readonly access: 'plain' | 'optional' | 'tested';
  readonly start: number;
  readonly end: number;
}

/**
 * Finds errors that the library's own check accepts: misspelt columns behind `.?`, `[?…]` and `has()`, plain reads of
 * cells that may be absent (they fail record by record), and invalid patterns.
 *
 * It also changes the tree. `matches` gets the linear engine, comprehensions get a limit, and comparisons of addresses
 * ignore case.
 */
export function inspectExpression(
  tree: ASTNode,
  scope: Scope,
): {
  readonly references: readonly ColumnReference[];
  readonly findings: readonly Finding[];
  readonly texts: readonly string[];
} {
  const found: Found = { scope, references: [], findings: [], texts: [] };
  walk(tree, false, found);
  const { references, findings } = found;
  const tested = new Set(references.filter(({ access }) => access === 'tested').map(nameOf));
  for (const reference of references) {
    const finding = checkReference(reference, scope.variables, tested.has(nameOf(reference)));
    if (finding !== null) findings.push(finding);
  }
  return { references, findings, texts: found.texts };
}

interface Found {
  readonly scope: Scope;
  readonly references: ColumnReference[];
  readonly findings: Finding[];
  /** The fixed texts of the expression and of the maps that it refers to. */
  readonly texts: string[];
}

function walk(node: ASTNode, inHas: boolean, found: Found): void {
  const { variables } = found.scope;
  const read = columnOf(node, variables);
  if (read !== null) {
    noteColumn(node, read, inHas, found);
    return;
  }
  if (node.op === 'id' && node.args in variables) {
    const [name, column] = Object.entries(variables[node.args] ?? {})[0] ?? ['name', null];
    found.findings.push({
      message: `\`${node.args}\` is a complete record, not a value`,
      remedy: `Name one of its columns, as in \`${writeColumnRead(node.args, name, column?.optional)}\`.`,
      ...range(node),
    });
  }
  noteMap(node, found);
  if (node.op === 'value' && typeof node.args === 'string') found.texts.push(node.args);
  const compared = findAsciiCompared(node, found.scope.maps, listChildren);
  if (compared !== null) found.findings.push({ ...compared, ...range(node) });
  compareWithoutCase(node, (one) => ignoresCase(one, variables));
  if (node.op === 'rcall') noteCall(node, found);
  const has = node.op === 'call' && node.args[0] === 'has';
  for (const child of listChildren(node)) walk(child, has, found);
}

function ignoresCase(node: ASTNode, variables: Variables): boolean {
  const read = columnOf(node, variables);
  return typeof read?.column === 'string' && variables[read.variable]?.[read.column]?.ignoresCase === true;
}

function noteColumn(node: ASTNode, { owner, variable, column }: ColumnRead, inHas: boolean, found: Found): void {
  if (typeof column === 'string') {
    found.references.push({ variable, column, access: accessOf(node, inHas), ...range(node) });
    useFieldAccess(node, owner, column);
    return;
  }
  found.findings.push({
    message: `a column of \`${variable}\` is chosen while the expression runs`,
    remedy: `Name the column itself, as in \`${variable}["name"]\`, so that it can be checked.`,
    ...range(node),
  });
  walk(column, false, found);
}

function noteMap(node: ASTNode, { scope: { maps }, findings, texts }: Found): void {
  if (node.op !== '.' || node.args[0].op !== 'id' || node.args[0].args !== 'maps') return;
  const [, name] = node.args;
  if (Object.hasOwn(maps, name)) {
    texts.push(...Object.values(maps[name] ?? {}));
    return;
  }
  const otherwise = `Add it to the configuration, as in \`maps: { ${name}: { Germany: de } }\`.`;
  const remedy = adviseName(name, Object.keys(maps), otherwise, (near) => `\`maps.${near}\``);
  findings.push({ message: `there is no map \`${name}\``, remedy, ...range(node) });
}

function noteCall(node: ASTNode & { readonly op: 'rcall' }, { scope, findings }: Found): void {
  if (node.args[0] === 'matches') {
    const finding = checkPattern(node.args[2][0], node);
    if (finding !== null) findings.push(finding);
    useLinearMatches(node);
  }
  useAsciiCase(node);
  useTally(node, scope.environment);
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

/** A variable and the column read from it, as a name or as an expression that yields the name. */
interface ColumnRead {
  readonly owner: ASTNode;
  readonly variable: string;
  readonly column: string | ASTNode;
}

export function columnOf(node: ASTNode, variables: Variables): ColumnRead | null {
  if (node.op !== '.' && node.op !== '.?' && node.op !== '[]' && node.op !== '[?]') return null;
  const owner = node.args[0];
  if (owner.op !== 'id' || !Object.hasOwn(variables, owner.args)) return null;
  const key = node.args[1];
  const read = { owner, variable: owner.args };
  if (typeof key === 'string') return { ...read, column: key };
  return { ...read, column: key.op === 'value' && typeof key.args === 'string' ? key.args : key };
}

/** Replacements that messages suggest for an absent value. */
export const REPLACEMENTS: Readonly<Record<ColumnTypeName, string>> = {
  string: '""',
  int: '0',
  number: '0.0',
  bool: 'false',
  date: 'today',
  datetime: 'today',
  list: '[]',
  map: '{}',
};

function checkReference(reference: ColumnReference, variables: Variables, tested: boolean): Finding | null {
  const { variable, column, access, start, end } = reference;
  const columns = variables[variable] ?? {};
  const visible = columns[column];
  if (visible === undefined) {
    const names = Object.keys(columns);
    const declare = `Columns: ${names.join(', ')}. Declare the column under the source's \`columns\` to use it.`;
    const message = `\`${variable}\` has no column \`${column}\``;
    const show = (near: string): string => `\`${writeColumnRead(variable, near, columns[near]?.optional)}\``;
    return { message, remedy: adviseName(column, names, declare, show), start, end };
  }
  if (access !== 'plain' || !visible.optional || tested) return null;
  const otherwise = REPLACEMENTS[visible.type];
  const [plain, read] = [false, true].map((isOptional) => writeColumnRead(variable, column, isOptional));
  return {
    message: `\`${plain}\` can be absent, and reading it plainly would fail for such records`,
    remedy: `Write \`${read}\` (absent stays empty) or \`${read}.orValue(${otherwise})\`, or test it with \`has(${plain})\`.`,
    start,
    end,
  };
}

/** Checks a pattern. It must be a fixed text, so that it is checked only once, when the configuration is loaded. */
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
    message: `this is not a pattern that \`matches\` can run: ${fault}`,
    remedy:
      'Write it in RE2 syntax (https://github.com/google/re2/wiki/Syntax), which has no look-around and no back references.',
    ...range(pattern),
  };
}
