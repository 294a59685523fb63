import type { ASTNode } from '@marcbachmann/cel-js';
import { dayNumber, endOfDay } from '../model/day-number.js';
import { compilePart } from './expression.js';
import { listChildren } from './list-children.js';
import type { Scope } from './scope.js';

/** A test that changes at most once as days pass. `holdsLast` says if it is true from then on. */
interface DayTest {
  readonly run: () => unknown;
  readonly holdsLast: boolean;
}

/** How long the results of some expressions for a record stay valid, as far as they depend on `today`. */
export interface Lasting {
  /** True if any of them depends on it. */
  readonly isDated: boolean;
  /** Number of the last day on which they give the same for the record that the scope shows; null: on every later day. */
  until(today: Date): number | null;
}

const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** A test that has not changed by this day, in the year 2500, is not asked again. */
const FAR = dayNumber(Date.UTC(2500, 0, 1));
const END_OF_FAR = endOfDay(FAR);

/**
 * Finds tests such as `record.end < today` and `today - duration("720h") >= record.start`: `today`, or a value that grows with it, is
 * on one side only. Such a test changes once, on one day, so the results for a record stay valid until the first test changes. Any
 * other use of `today` may give another result the next day.
 */
export function findLasting(scope: Scope, texts: readonly string[]): Lasting {
  const found = new Map<string, DayTest>();
  const isFound = texts.every((text) => noteTests(scope.parse(text).ast, text, { scope, tests: found }));
  // null if `today` is used in any other way.
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
  // An expression for each item of a list uses names that only the list knows.
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

/** The value of a test after its change, when the growing side is the greater one; null for any other node. */
function turnOf(node: ASTNode): boolean | null {
  if (!ORDERS.has(node.op)) return null;
  const [one, other] = listChildren(node);
  if (one === undefined || other === undefined) return null;
  const asksForGreater = node.op.startsWith('>') ? one : other;
  const isOn = (side: ASTNode, opposite: ASTNode): boolean => growsWithDays(side) && !asksForToday(opposite);
  if (isOn(one, other)) return asksForGreater === one;
  return isOn(other, one) ? asksForGreater === other : null;
}

/** True for `today`, `string(today)`, `today + duration("24h")`, and combinations of them. */
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

/** The last day before any of the tests changes. */
function findTurn(tests: readonly DayTest[], scope: Scope, today: Date): number | null {
  const isOpen = ({ run, holdsLast }: DayTest): boolean => answerOf(run) === !holdsLast;
  // A test that has changed, or that fails because of the record, gives the same on every later day.
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

/** Returns `failed` if the test fails because of the record, which it then does on every day. */
function answerOf(test: () => unknown): unknown {
  try {
    return test();
  } catch {
    return 'failed';
  }
}
