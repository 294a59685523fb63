import type { YamlPath } from '../base/settings/resolving.js';
import { compileExpression } from './expression.js';
import type { Finding } from './inspect.js';
import type { Scope } from './scope.js';
import type { Want } from './wanted.js';

/** An expression of the configuration, its place, and the type that it must yield. */
export interface ExpressionUse {
  readonly path: YamlPath;
  readonly text: string;
  readonly want: Want;
}

/** A problem in an expression, which the configuration reports with its line and column. */
export interface ExpressionProblem extends Finding {
  readonly path: YamlPath;
  readonly text: string;
}

export function checkExpressions(scope: Scope, uses: readonly ExpressionUse[]): readonly ExpressionProblem[] {
  return uses.flatMap(({ path, text, want }) =>
    compileExpression(scope, text, want).findings.map((finding) => ({ ...finding, path, text })),
  );
}
