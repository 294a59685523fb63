import type { TypeError as CelTypeError, ParseError, ParseResult } from '@marcbachmann/cel-js';
import { EvaluationError, Optional } from '@marcbachmann/cel-js';
import { messageOf, SyncError } from '../base/errors.js';
import { explainType } from './explain-type.js';
import { explainUnreadable } from './explain-unreadable.js';
import { type Finding, inspectExpression } from './inspect.js';
import { nameAsWritten } from './linear-patterns.js';
import type { Scope } from './scope.js';
import { beginTally } from './tally.js';
import { explainMismatch, type Want } from './wanted.js';

/** A compiled expression. It runs on the record that its scope currently shows. */
export interface Expression {
  readonly text: string;
  /** The sources that the expression can read, in the order of its columns. */
  readonly sources: readonly string[];
  /** The columns that the expression reads, as `source.column`. */
  readonly reads: readonly string[];
  /** True if each column that the expression reads declares its own words for nothing. */
  readonly saysEmpty: boolean;
  /** The fixed texts in the expression and in the maps that it refers to. */
  readonly texts: ReadonlySet<string>;
  /** Returns the value, or undefined if it is absent. Throws the library's EvaluationError. */
  run(): unknown;
}

export type Compiled =
  | { readonly expression: Expression; readonly type: string; readonly findings: readonly [] }
  | { readonly expression: null; readonly type: null; readonly findings: readonly Finding[] };

export function compileExpression(scope: Scope, text: string, want: Want): Compiled {
  let program: ParseResult;
  try {
    program = scope.parse(text);
  } catch (error) {
    return notCompiled([explainUnreadable(error as ParseError, text, scope)]);
  }
  // The inspection comes before the library's check, because this check marks the tree and reports only its first error.
  const { references, findings, texts } = inspectExpression(program.ast, scope);
  if (findings.length > 0) return notCompiled(findings);
  const check = program.check();
  if (!check.valid || check.type === undefined) {
    const error = check.error as CelTypeError;
    return notCompiled([explainType({ summary: nameAsWritten(error.summary), range: error.range }, text, scope)]);
  }
  const mismatch = explainMismatch(check.type, want, text);
  if (mismatch !== null) return notCompiled([mismatch]);

  const columns = references.map(({ variable, column }) => ({ column, ...scope.variables[variable]?.[column] }));
  const reads = columns.flatMap(({ column, sources = [] }) => sources.map((source) => `${source}.${column}`));
  return {
    expression: {
      text,
      sources: [...new Set(columns.flatMap(({ sources = [] }) => sources))],
      reads: [...new Set(reads)],
      saysEmpty: columns.every(({ saysEmpty }) => saysEmpty === true),
      texts: new Set(texts),
      run: createRunner(program, scope),
    },
    type: check.type,
    findings: [],
  };
}

/** Compiles a part of a valid expression; null if the part is not valid by itself. */
export function compilePart(scope: Scope, text: string): (() => unknown) | null {
  const program = scope.parse(text);
  return program.check().valid ? createRunner(program, scope) : null;
}

/** Compiles an expression that was checked when the configuration was loaded, so a failure here is a defect. */
export function compileChecked(scope: Scope, path: string, text: string, want: Want): Expression {
  const { expression, findings } = compileExpression(scope, text, want);
  if (expression === null) throw defect(`${path}: ${findings[0]?.message ?? 'the expression cannot be compiled'}`);
  return expression;
}

export function defect(message: string): SyncError {
  return new SyncError('SYNC_INTERNAL', {
    message,
    remedy:
      'The configuration should have been rejected when it was loaded: report this defect with the configuration.',
  });
}

function notCompiled(findings: readonly Finding[]): Compiled {
  return { expression: null, type: null, findings };
}

/**
 * Returns a function that runs the expression. Most expressions are a single column; reading the column directly takes a
 * tenth of the time.
 */
function createRunner(program: ParseResult, scope: Scope): () => unknown {
  const tree = program.ast;
  if ((tree.op === '.' || tree.op === '.?') && tree.args[0].op === 'id') {
    const view = scope.view(tree.args[0].args);
    const column = tree.args[1];
    if (view !== undefined) return () => view.get(column);
  }
  const context = scope.context;
  return () => {
    beginTally();
    const value: unknown = program(context);
    if (!(value instanceof Optional)) return value ?? undefined;
    return value.hasValue() ? (value.value() ?? undefined) : undefined;
  };
}

/** True if the expression yields true; false for any other result and for a failure. */
export function isTrueOf(expression: Pick<Expression, 'run'>): boolean {
  try {
    return expression.run() === true;
  } catch {
    return false;
  }
}

/** The reason for a failed evaluation, in one line. */
export function explainFailure(error: unknown): string {
  if (error instanceof EvaluationError) return error.summary;
  return messageOf(error);
}
