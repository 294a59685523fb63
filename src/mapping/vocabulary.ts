import type { ASTNode } from '@marcbachmann/cel-js';
import { compileExpression, type Expression } from './expression.js';
import { inspectExpression } from './inspect.js';
import { listChildren } from './list-children.js';
import type { Scope } from './scope.js';

/** An operand with text from a row that an expression compares with fixed words, using `==`, `!=` or `in`. */
export interface WordUse {
  /** The operand as written in the configuration, such as `record.status`. */
  readonly operand: string;
  /** The columns that the operand reads, such as `hr.Status`. */
  readonly reads: readonly string[];
  /** The words in the expressions. */
  readonly named: readonly string[];
  /** The words in `leaver.when`; null if `leaver.when` does not read the operand. */
  readonly ofLeavers: readonly string[] | null;
}

/** A word use with the expression that reads its operand from the shown record. */
export interface WordReader extends WordUse {
  readonly expression: Expression;
}

/** Matches dates and numbers, which are not vocabulary. */
const FIGURES = /^[\d\s.,:;/+TZ-]*$/;

/** True if a text is a word and not a date or a number, because only words have spellings that can change. */
export function isWord(text: string): boolean {
  return !FIGURES.test(text);
}

/**
 * Finds the operands of `leaver.when` and `scope`, and the words that `others` compare with the same operands. Leaves
 * out operands that are only compared with the empty text, dates or numbers.
 */
export function findVocabulary(
  scope: Scope,
  texts: { readonly scope: string | null; readonly leaver: string | null; readonly others: readonly string[] },
): readonly WordReader[] {
  const [ofScope, ofLeavers] = [listNamed(scope, texts.scope), listNamed(scope, texts.leaver)];
  const ofOthers = texts.others.map((text) => listNamed(scope, text));
  return [...new Set([...ofScope.keys(), ...ofLeavers.keys()])].flatMap((operand) => {
    const { expression } = compileExpression(scope, operand, 'text');
    if (expression === null || !readsTextAlone(scope, operand)) return [];
    const leaving = ofLeavers.get(operand) ?? null;
    const named = new Set([
      ...(ofScope.get(operand) ?? []),
      ...(leaving ?? []),
      ...ofOthers.flatMap((one) => [...(one.get(operand) ?? [])]),
    ]);
    const { reads } = expression;
    return [{ operand, reads, named: [...named], ofLeavers: leaving === null ? null : [...leaving], expression }];
  });
}

/** Operand → the words that an expression compares it with. */
function listNamed(scope: Scope, text: string | null): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>();
  if (text === null) return named;
  walk(scope.parse(text).ast, (operand, words) => {
    const name = text.slice(operand.start, operand.end);
    named.set(name, new Set([...(named.get(name) ?? []), ...words]));
  });
  return named;
}

function walk(node: ASTNode, take: (operand: ASTNode, words: readonly string[]) => void): void {
  if (node.op === '==' || node.op === '!=') {
    const [left, right] = node.args;
    for (const [one, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const words = wordsIn([other]);
      if (words !== null) take(one, words);
    }
  }
  if (node.op === 'in' && node.args[1].op === 'list') {
    const words = wordsIn(node.args[1].args);
    if (words !== null) take(node.args[0], words);
  }
  for (const child of listChildren(node)) walk(child, take);
}

/** The fixed words in the nodes; null if a node is not a fixed text, or if no text is a word. */
function wordsIn(nodes: readonly ASTNode[]): readonly string[] | null {
  const texts = nodes.flatMap(({ op, args }) => (op === 'value' && typeof args === 'string' ? [args] : []));
  const words = texts.filter(isWord);
  return texts.length < nodes.length || words.length === 0 ? null : texts;
}

/**
 * True if an operand reads text columns only. Dates, numbers and lists have no words, even after a conversion. An
 * operand that reads no column never changes.
 */
function readsTextAlone(scope: Scope, operand: string): boolean {
  const { references } = inspectExpression(scope.parse(operand).ast, scope);
  return (
    references.length > 0 &&
    references.every(({ variable, column }) => scope.variables[variable]?.[column]?.type === 'string')
  );
}
