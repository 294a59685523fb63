import { type ASTNode, serialize } from '@marcbachmann/cel-js';
import type { Columns } from '../model/column.js';
import type { SourceRecord } from '../model/source.js';
import { compileExpression, type Expression } from './expression.js';
import { type Finding, inspectExpression } from './inspect.js';
import { createScope, type Scope } from './scope.js';

/** Returns the lookup key of a record on each side of an equality join; null if the record has no key. */
export interface JoinKeys {
  /** The columns of both sides, as `source.column`. */
  readonly reads: readonly string[];
  ofExistence(record: SourceRecord): string | null;
  ofEnriching(record: SourceRecord): string | null;
}

export interface JoinSide {
  readonly source: string;
  readonly columns: Columns;
}

export type ParsedJoin =
  | { readonly keys: JoinKeys; readonly findings: readonly [] }
  | { readonly keys: null; readonly findings: readonly Finding[] };

const SHAPE =
  'A join compares the two sources for equality, as in `idp.externalId == hr.employee_id`; `&&` joins several.';

/**
 * Parses `idp.x == hr.y && …`, in either order, with any expression over one source on each side. Only equality is
 * accepted, because it allows a lookup by key. Any other comparison would compare every pair of rows.
 */
export function parseJoin(text: string, existence: JoinSide, enriching: JoinSide, timezone: string): ParsedJoin {
  const both = createJoinScope([existence, enriching], timezone);
  let tree: ASTNode;
  try {
    tree = both.parse(text).ast;
  } catch {
    return notParsed(compileExpression(both, text, 'bool').findings);
  }
  const { findings, references } = inspectExpression(tree, both);
  if (findings.length > 0) return notParsed(findings);

  const sides = {
    both,
    existence: { name: existence.source, scope: createJoinScope([existence], timezone) },
    enriching: { name: enriching.source, scope: createJoinScope([enriching], timezone) },
  };
  const pairs: JoinPair[] = [];
  for (const equality of splitAnd(tree)) {
    const pair = compileEquality(equality, sides, text);
    if (Array.isArray(pair)) return notParsed(pair);
    pairs.push(pair);
  }
  const existenceParts = pairs.map((pair) => pair.existence);
  const enrichingParts = pairs.map((pair) => pair.enriching);
  return {
    keys: {
      reads: references.flatMap(({ variable, column }) =>
        (both.variables[variable]?.[column]?.sources ?? []).map((source) => `${source}.${column}`),
      ),
      ofExistence: (record) => readKey(sides.existence, existenceParts, record),
      ofEnriching: (record) => readKey(sides.enriching, enrichingParts, record),
    },
    findings: [],
  };
}

/** The two expressions compared by one equality. */
interface JoinPair {
  readonly existence: Expression;
  readonly enriching: Expression;
}

interface Side {
  readonly name: string;
  readonly scope: Scope;
}

interface Sides {
  readonly both: Scope;
  readonly existence: Side;
  readonly enriching: Side;
}

function compileEquality(node: ASTNode, { both, existence, enriching }: Sides, text: string): JoinPair | Finding[] {
  const { start, end } = node;
  const operands = node.op === '==' ? node.args : [];
  const left = operands.find((operand) => readSource(operand, both) === existence.name);
  const right = operands.find((operand) => readSource(operand, both) === enriching.name);
  if (left === undefined || right === undefined) {
    const message = `\`${text.slice(start, end)}\` does not compare \`${enriching.name}\` with \`${existence.name}\``;
    return [{ message, remedy: SHAPE, start, end }];
  }
  const ofExistence = compileSide(existence.scope, left);
  const ofEnriching = compileSide(enriching.scope, right);
  if (ofExistence.expression === null || ofEnriching.expression === null) {
    return [...ofExistence.findings, ...ofEnriching.findings];
  }
  const types = [baseType(ofExistence.type), baseType(ofEnriching.type)] as const;
  if (types[0] !== types[1]) {
    const message = `the join compares ${types[0]} with ${types[1]}, which are never equal`;
    const remedy = 'Declare both columns with the same type, or convert one side with `string(…)`.';
    return [{ message, remedy, start, end }];
  }
  return { existence: ofExistence.expression, enriching: ofEnriching.expression };
}

function notParsed(findings: readonly Finding[]): ParsedJoin {
  return { keys: null, findings };
}

/** Creates the scope of a join. A plain read of an absent cell is not an error in a join, because such a record has no match. */
function createJoinScope(sides: readonly JoinSide[], timezone: string): Scope {
  const sources = sides.map(({ source, columns }) => {
    const present = Object.entries(columns).map(([name, column]) => [name, { ...column, optional: false }] as const);
    return { name: source, columns: Object.fromEntries(present), enriching: false };
  });
  return createScope(sources, null, timezone);
}

function splitAnd(node: ASTNode): readonly ASTNode[] {
  return node.op === '&&' ? node.args.flatMap(splitAnd) : [node];
}

/** The only source that one side of the join reads; null if the side reads no source or both. */
function readSource(node: ASTNode, scope: Scope): string | null {
  const sources = new Set(inspectExpression(node, scope).references.map(({ variable }) => variable));
  const [only] = sources;
  return sources.size === 1 && only !== undefined ? only : null;
}

/** Compiles one side of a join. Its text is serialized from the tree, because the range of a node omits leading brackets. */
function compileSide(scope: Scope, node: ASTNode): ReturnType<typeof compileExpression> {
  const compiled = compileExpression(scope, serialize(node), 'key');
  if (compiled.expression !== null) return compiled;
  const findings = compiled.findings.map((finding) => ({ ...finding, start: node.start, end: node.end }));
  return { expression: null, type: null, findings };
}

function baseType(type: string): string {
  return /^optional<(.+)>$/.exec(type)?.[1] ?? type;
}

function readKey({ name, scope }: Side, parts: readonly Expression[], record: SourceRecord): string | null {
  scope.show(name, record.cells);
  const values: string[] = [];
  for (const part of parts) {
    const value = runOrAbsent(part);
    if (value === undefined || value === '') return null;
    values.push(String(value));
  }
  return values.length === 1 ? (values[0] ?? null) : JSON.stringify(values);
}

/** Runs one part of a key. If the part fails (an absent cell, `substring` beyond the end), the record has no key and no match. */
function runOrAbsent(part: Expression): unknown {
  try {
    return part.run();
  } catch {
    return undefined;
  }
}
