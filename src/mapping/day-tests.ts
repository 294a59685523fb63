import type { ASTNode } from '@marcbachmann/cel-js';
import { dayNumber, endOfDay } from '../model/day-number.js';
import { compilePart } from './expression.js';
import { listChildren } from './inspect.js';
import type { Scope } from './scope.js';

/** Every use of `today` in some expressions, as tests that turn at most once as days go by; null where there is another. */
type DayTests = readonly (() => unknown)[] | null;

/** For how long what some expressions gave of a record stands, as far as they go by `today`. */
export interface Lasting {
  /** Whether any of them does. */
  readonly isDated: boolean;
  /** Number of the last day on which they give the same of the record that the scope shows; null: on every later one. */
  until(today: Date): number | null;
}

const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** What has not turned by this day, in the year 2500, is not asked about again. */
const FAR = dayNumber(Date.UTC(2500, 0, 1));
const END_OF_FAR = endOfDay(FAR);

/**
 * `record.end < today`, `today - duration("720h") >= record.start`: `today`, or what grows with it, on one side, and nothing of
 * it on the other. Whether such a test holds turns once, on one day, and what they make of a record stands until the first of
 * them turns. Of whatever else is done with `today` nothing is known of the next day.
 */
export function findLasting(scope: Scope, texts: readonly string[]): Lasting {
  const found = new Map<string, () => unknown>();
  const isFound = texts.every((text) => noteTests(scope.environment.parse(text).ast, text, { scope, tests: found }));
  const tests = isFound ? [...found.values()] : null;
  return {
    isDated: tests === null || tests.length > 0,
    until(today) {
      if (!scope.isDated()) return null;
      const last = tests === null ? dayNumber(today) : findTurn(tests, scope, today);
      scope.setToday(today);
      return last;
    },
  };
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
  if (node.op === 'call') return node.args[0] === 'string' && node.args[1].every(growsWithDays);
  if (node.op !== '+' && node.op !== '-') return false;
  const [one, other] = node.args;
  return growsWithDays(one) && !asksForToday(other);
}

function asksForToday(node: ASTNode): boolean {
  return (node.op === 'id' && node.args === 'today') || listChildren(node).some(asksForToday);
}

/** The last day before any of the tests turns. */
function findTurn(tests: NonNullable<DayTests>, scope: Scope, today: Date): number | null {
  scope.setToday(today);
  const answers = tests.map(answerOf);
  const isSameOn = (day: Date): boolean => {
    scope.setToday(day);
    return tests.every((test, index) => answerOf(test) === answers[index]);
  };
  if (isSameOn(END_OF_FAR)) return null;
  let [same, other] = [dayNumber(today), FAR];
  while (other - same > 1) {
    const between = (same + other) >> 1;
    if (isSameOn(endOfDay(between))) same = between;
    else other = between;
  }
  return same;
}

/** It fails by what is in the record, on every day. */
function answerOf(test: () => unknown): unknown {
  try {
    return test();
  } catch {
    return 'failed';
  }
}
