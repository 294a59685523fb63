import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { EvaluationError } from '@marcbachmann/cel-js';

/**
 * The maximum number of comprehension steps in one evaluation. Three nested lists of some thousand items would hang the
 * process.
 */
const MOST_STEPS = 200_000;
/** The longest text that `replace` may produce, in characters. No field has a longer value. */
const MOST_TEXT = 4_194_304;
const TALLIED = 'tallied';

/** The steps of the current evaluation. One counter is enough, because evaluations are synchronous and never nested. */
let steps = 0;

export function beginTally(): void {
  steps = 0;
}

export function registerTally(environment: Environment): void {
  for (const type of ['list<T>', 'map']) {
    environment.registerFunction(`${type}.${TALLIED}(): ${type}`, (items: unknown) => {
      steps += countItems(items);
      if (steps <= MOST_STEPS) return items;
      throw new EvaluationError(`the expression goes through more than ${MOST_STEPS} items of lists`);
    });
  }
}

function countItems(items: unknown): number {
  if (Array.isArray(items)) return items.length;
  if (items instanceof Map || items instanceof Set) return items.size;
  return typeof items === 'object' && items !== null ? Object.keys(items).length : 0;
}

interface Comprehension {
  readonly args: { iterable: ASTNode };
}

/**
 * Makes `map`, `filter`, `all`, `exists` and `exists_one` count their items. The library expands these macros while it
 * parses.
 */
export function useTally(call: ASTNode, environment: Environment): void {
  const { alternate } = (call as unknown as { readonly meta: { readonly alternate?: Comprehension } }).meta;
  if (alternate?.args.iterable === undefined) return;
  const counted = environment.parse(`[].${TALLIED}()`).ast as ASTNode & { op: 'rcall' };
  counted.args[1] = alternate.args.iterable;
  alternate.args.iterable = counted;
}

export function replaceAll(text: string, from: string, to: string): string {
  // An empty text matches before each character and at the end.
  const most = from === '' ? text.length + 1 : text.length / from.length;
  if (text.length + most * to.length > MOST_TEXT) {
    const times = from === '' ? most : text.split(from).length - 1;
    if (text.length + times * (to.length - from.length) > MOST_TEXT)
      throw new EvaluationError(
        `\`replace\` makes texts of up to ${MOST_TEXT} characters, and this one would be longer`,
      );
  }
  return text.replaceAll(from, () => to);
}
