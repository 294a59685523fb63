import type { ASTNode } from '@marcbachmann/cel-js';
import { edgesOfMonth, type Term } from '../model/term.js';
import { compilePart } from './expression.js';
import { listChildren } from './inspect.js';
import type { Scope } from './scope.js';

/** Every use of `today` in some expressions, as tests that turn at most once as days go by; null where there is another. */
export type DayTests = readonly (() => unknown)[] | null;

const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/**
 * `record.end < today`, `today - duration("720h") >= record.start`: `today`, or what grows with it, on one side, and nothing of
 * it on the other. Whether such a test holds turns once, on one day: where it holds at both ends of a month, or at neither, it
 * is the same on every day between.
 */
export function findDayTests(scope: Scope, texts: readonly string[]): DayTests {
  const tests = new Map<string, () => unknown>();
  const isFound = texts.every((text) => noteTests(scope.environment.parse(text).ast, text, { scope, tests }));
  return isFound ? [...tests.values()] : null;
}

function noteTests(
  node: ASTNode,
  text: string,
  found: { readonly scope: Scope; readonly tests: Map<string, () => unknown> },
): boolean {
  if (!asksForToday(node)) return true;
  // What is done with each item of a list has names that only the list knows.
  if (node.op === 'rcall' && node.args[2].some(asksForToday)) return false;
  if (!isDayTest(node)) {
    const children = listChildren(node);
    return children.length > 0 && children.every((child) => noteTests(child, text, found));
  }
  const test = text.slice(node.start, node.end);
  const run = compilePart(found.scope, test);
  if (run !== null) found.tests.set(test, run);
  return run !== null;
}

function isDayTest(node: ASTNode): boolean {
  if (!ORDERS.has(node.op)) return false;
  const [one, other] = listChildren(node);
  if (one === undefined || other === undefined) return false;
  return (growsWithDays(one) && !asksForToday(other)) || (growsWithDays(other) && !asksForToday(one));
}

/** `today`, `string(today)`, `today + duration("24h")`, and these in each other. */
function growsWithDays(node: ASTNode): boolean {
  if (node.op === 'id') return node.args === 'today';
  if (node.op === 'call') {
    const [only, more] = node.args[1];
    return node.args[0] === 'string' && only !== undefined && more === undefined && growsWithDays(only);
  }
  if (node.op !== '+' && node.op !== '-') return false;
  const [one, other] = node.args;
  return growsWithDays(one) && !asksForToday(other);
}

function asksForToday(node: ASTNode): boolean {
  return (node.op === 'id' && node.args === 'today') || listChildren(node).some(asksForToday);
}

/** For how long what the expressions gave stands, of the record that the scope shows, as far as they go by `today`. */
export function termOf(tests: DayTests, scope: Scope, today: Date): Term {
  if (!scope.isDated()) return 'always';
  if (tests === null) return 'day';
  const [first, last] = edgesOfMonth(today).map((day) => {
    scope.setToday(day);
    return tests.map(answerOf);
  });
  scope.setToday(today);
  return first?.every((answer, index) => answer === last?.[index]) === true ? 'month' : 'day';
}

/** It fails by what is in the record, on every day. */
function answerOf(test: () => unknown): unknown {
  try {
    return test();
  } catch {
    return 'failed';
  }
}
