import type { ASTNode } from '@marcbachmann/cel-js';
import { dayNumber, endOfDay } from '../model/day-number.js';
import { compilePart } from './expression.js';
import { listChildren } from './list-children.js';
import type { Scope } from './scope.js';

/** A test with a result that changes at most once as days pass. `holdsLast` is the result after the change. */
interface DayTest {
  readonly run: () => unknown;
  readonly holdsLast: boolean;
}

/** Says how long the results of some expressions for a record stay valid, as far as they depend on `today`. */
export interface Lasting {
  /** True if any of the expressions depends on `today`. */
  readonly isDated: boolean;
  /**
   * The number of the last day with the same results for the shown record; null if the results stay the same on every
   * later day.
   */
  until(today: Date): number | null;
}

const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** The year 2500. A test that has not changed by then is treated as constant. */
const FAR = dayNumber(Date.UTC(2500, 0, 1));
const END_OF_FAR = endOfDay(FAR);

/**
 * Finds tests such as `record.end < today` and `today - duration("720h") >= record.start`. In these tests, `today` or a
 * value that grows with it is on one side only. The result of such a test changes once, so the results for a record stay
 * valid until the first change. Any other use of `today` may give a different result the next day.
 */
export function findLasting(scope: Scope, texts: readonly string[]): Lasting {
  const found = new Map<string, DayTest>();
  const isFound = texts.every((text) => noteTests(scope.parse(text).ast, text, { scope, tests: found }));
  // null if an expression uses `today` in any other way.
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
  found: { readonly scope: Scope; readonly tests: Map<string, DayTest> },
): boolean {
  if (!asksForToday(node)) return true;
  // A test inside a list macro cannot run on its own, because it uses the variable of the macro.
  if (node.op === 'rcall' && node.args[2].some(asksForToday)) return false;
  const holdsLast = turnOf(node);
  if (holdsLast === null) {
    const children = listChildren(node);
    return children.length > 0 && children.every((child) => noteTests(child, text, found));
  }
  const test = text.slice(node.start, node.end);
  const run = compilePart(found.scope, test);
  if (run !== null) found.tests.set(test, { run, holdsLast });
  return run !== null;
}

/** The result of a test once the growing side is the greater one; null for any other node. */
function turnOf(node: ASTNode): boolean | null {
  if (!ORDERS.has(node.op)) return null;
  const [one, other] = listChildren(node);
  if (one === undefined || other === undefined) return null;
  const asksForGreater = node.op.startsWith('>') ? one : other;
  const isOn = (side: ASTNode, opposite: ASTNode): boolean => growsWithDays(side) && !asksForToday(opposite);
  if (isOn(one, other)) return asksForGreater === one;
  return isOn(other, one) ? asksForGreater === other : null;
}

/** True for `today`, `string(today)`, `today + duration("24h")`, and similar values that grow with the day. */
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

/** The number of the last day before the result of any test changes. */
function findTurn(tests: readonly DayTest[], scope: Scope, today: Date): number | null {
  const isOpen = ({ run, holdsLast }: DayTest): boolean => answerOf(run) === !holdsLast;
  // A test that has changed, or that fails because of the record, gives the same result on every later day.
  const open = tests.filter(isOpen);
  const isSameOn = (day: Date): boolean => {
    scope.setToday(day);
    return open.every(isOpen);
  };
  if (open.length === 0 || isSameOn(END_OF_FAR)) return null;
  let [same, other] = [dayNumber(today), FAR];
  while (other - same > 1) {
    const between = (same + other) >> 1;
    if (isSameOn(endOfDay(between))) same = between;
    else other = between;
  }
  return same;
}

/** Returns `failed` if the test fails because of the record; such a test fails on every day. */
function answerOf(test: () => unknown): unknown {
  try {
    return test();
  } catch {
    return 'failed';
  }
}
