import { type ASTNode, serialize } from '@marcbachmann/cel-js';
import type { Columns } from '../model/column.js';
import type { SourceRecord } from '../model/source.js';
import { compileExpression, type Expression } from './expression.js';
import { type Finding, inspectExpression } from './inspect.js';
import { createScope, type Scope } from './scope.js';

/** The two sides of an equality join, each as the text that records are looked up by; null when a record has none. */
export interface JoinKeys {
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
 * Reads `idp.x == hr.y && …`, either way round, each side any expression over one source.
 * Only equality is taken: it can be looked up by key, where anything else would compare every row with every other.
 */
export function parseJoin(text: string, existence: JoinSide, enriching: JoinSide, timezone: string): ParsedJoin {
  const both = createJoinScope([existence, enriching], timezone);
  let tree: ASTNode;
  try {
    tree = both.environment.parse(text).ast;
  } catch {
    return refuse([...compileExpression(both, text, 'bool').findings]);
  }
  const inspected = inspectExpression(tree, both);
  if (inspected.findings.length > 0) return refuse(inspected.findings);

  const scopes = {
    existence: createJoinScope([existence], timezone),
    enriching: createJoinScope([enriching], timezone),
  };
  const existenceParts: Expression[] = [];
  const enrichingParts: Expression[] = [];
  for (const equality of splitAnd(tree)) {
    const sides = equality.op === '==' ? equality.args.map((node) => ({ node, source: readSource(node, both) })) : [];
    const left = sides.find(({ source }) => source === existence.source);
    const right = sides.find(({ source }) => source === enriching.source);
    if (left === undefined || right === undefined) {
      return refuse([
        {
          message: `\`${text.slice(equality.start, equality.end)}\` does not compare \`${enriching.source}\` with \`${existence.source}\``,
          remedy: SHAPE,
          start: equality.start,
          end: equality.end,
        },
      ]);
    }
    const ofExistence = compileSide(scopes.existence, left.node);
    const ofEnriching = compileSide(scopes.enriching, right.node);
    if (ofExistence.expression === null || ofEnriching.expression === null) {
      return refuse([...ofExistence.findings, ...ofEnriching.findings]);
    }
    if (baseType(ofExistence.type) !== baseType(ofEnriching.type)) {
      return refuse([
        {
          message: `the join compares ${baseType(ofExistence.type)} with ${baseType(ofEnriching.type)}, which are never equal`,
          remedy: 'Declare both columns with the same type, or convert one side with `string(…)`.',
          start: equality.start,
          end: equality.end,
        },
      ]);
    }
    existenceParts.push(ofExistence.expression);
    enrichingParts.push(ofEnriching.expression);
  }
  return {
    keys: {
      ofExistence: (record) => readKey(scopes.existence, existence.source, existenceParts, record),
      ofEnriching: (record) => readKey(scopes.enriching, enriching.source, enrichingParts, record),
    },
    findings: [],
  };
}

function refuse(findings: readonly Finding[]): ParsedJoin {
  return { keys: null, findings };
}

/** In a join a plain read of an absent cell is no mistake: such a record joins nothing. */
function createJoinScope(sides: readonly JoinSide[], timezone: string): Scope {
  const sources = sides.map(({ source, columns }) => {
    const present = Object.entries(columns).map(([name, column]) => [name, { ...column, optional: false }] as const);
    return { name: source, columns: Object.fromEntries(present), named: true, enriching: false };
  });
  return createScope(sources, null, timezone);
}

function splitAnd(node: ASTNode): readonly ASTNode[] {
  return node.op === '&&' ? node.args.flatMap(splitAnd) : [node];
}

/** The only source a side reads, or null when it reads none or both. */
function readSource(node: ASTNode, scope: Scope): string | null {
  const sources = new Set(inspectExpression(node, scope).references.map(({ variable }) => variable));
  const [only] = sources;
  return sources.size === 1 && only !== undefined ? only : null;
}

/** Rewritten from its tree: a node's range leaves out the brackets that are before its first part. */
function compileSide(scope: Scope, node: ASTNode): ReturnType<typeof compileExpression> {
  const compiled = compileExpression(scope, serialize(node), 'key');
  if (compiled.expression !== null) return compiled;
  const findings = compiled.findings.map((finding) => ({ ...finding, start: node.start, end: node.end }));
  return { expression: null, type: null, findings };
}

function baseType(type: string): string {
  return /^optional<(.+)>$/.exec(type)?.[1] ?? type;
}

function readKey(scope: Scope, source: string, parts: readonly Expression[], record: SourceRecord): string | null {
  scope.show(source, record.cells);
  const values: string[] = [];
  for (const part of parts) {
    const value = runOrAbsent(part);
    if (value === undefined || value === '') return null;
    values.push(String(value));
  }
  return values.length === 1 ? (values[0] ?? null) : JSON.stringify(values);
}

/** A side that fails (an absent cell, `substring` beyond the end) names no partner, so the record joins nothing. */
function runOrAbsent(part: Expression): unknown {
  try {
    return part.run();
  } catch {
    return undefined;
  }
}
