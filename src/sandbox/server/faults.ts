import * as z from 'zod';

/**
 * A fault, by its kind:
 * - `status`: responds with that status, without doing the work
 * - `html`: responds with an HTML error page; 502 unless `status` is set
 * - `reset_before`: closes the connection without doing the work
 * - `reset_after`: does and commits the work, then closes the connection without a response
 * - `truncate`: does the work, and sends half of the body
 * - `delay`: waits `ms`, then continues normally
 * - `hang`: does nothing until the client gives up, or closes after `ms`
 * - `drop_field`: silently ignores `fields`
 */
export const FaultRule = z.strictObject({
  method: z.string().optional(),
  /** A prefix of path and query, or a regular expression if it begins with `^`. */
  path: z.string().refine(isPathTest, 'is not a regular expression').default('/'),
  times: z.int().min(1).default(1),
  /** Number of matching requests that the fault skips first. */
  skip: z.int().min(0).default(0),
  kind: z.enum(['status', 'reset_before', 'reset_after', 'hang', 'delay', 'truncate', 'html', 'drop_field']),
  status: z.int().min(400).max(599).optional(),
  /** Value of Retry-After: integer seconds or any text. Without it, the header is not sent. */
  retry_after: z.union([z.int().min(0), z.string()]).optional(),
  ms: z.int().min(0).optional(),
  /** Paths in the JSON body, such as `user.telephone`. */
  fields: z.array(z.string()).default([]),
});
export type FaultRule = z.output<typeof FaultRule>;
export type FaultRuleInput = z.input<typeof FaultRule>;

interface Armed {
  readonly rule: FaultRule;
  readonly isPath: (path: string) => boolean;
  left: number;
  skip: number;
}

/** Rules in the order in which they were added. Each request uses the first matching rule. */
export class Faults {
  #armed: Armed[] = [];

  add(...rules: readonly FaultRuleInput[]): void {
    for (const input of rules) {
      const rule = FaultRule.parse(input);
      this.#armed.push({ rule, isPath: buildPathTest(rule.path), left: rule.times, skip: rule.skip });
    }
  }

  clear(): void {
    this.#armed = [];
  }

  list(): readonly FaultRule[] {
    return this.#armed.map(({ rule, left, skip }) => ({ ...rule, times: left, skip }));
  }

  /** Returns the fault for a request and counts it as used. `path` includes the query. */
  take(method: string, path: string): FaultRule | undefined {
    for (const armed of this.#armed) {
      if (armed.rule.method !== undefined && armed.rule.method.toUpperCase() !== method) continue;
      if (!armed.isPath(path)) continue;
      if (armed.skip > 0) {
        armed.skip -= 1;
        return undefined;
      }
      armed.left -= 1;
      if (armed.left === 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return armed.rule;
    }
    return undefined;
  }
}

function isPathTest(path: string): boolean {
  try {
    buildPathTest(path);
    return true;
  } catch {
    return false;
  }
}

function buildPathTest(path: string): (path: string) => boolean {
  if (!path.startsWith('^')) return (candidate) => candidate.startsWith(path);
  const expression = new RegExp(path);
  return (candidate) => expression.test(candidate);
}
