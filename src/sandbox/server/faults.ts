import * as z from 'zod';

/**
 * What a fault does to a request:
 * `status` answers with that status and does no work · `html` answers an HTML error page (502 unless `status` says
 * otherwise) · `reset_before` closes the connection without doing the work · `reset_after` does and commits the work,
 * then closes without an answer · `truncate` does the work and sends half of the body · `delay` waits `ms`, then goes
 * on as usual · `hang` does nothing for ever, or for `ms`, then closes · `drop_field` does the work as if `fields` had
 * not been sent, and says nothing.
 */
export const FaultRule = z.strictObject({
  method: z.string().optional(),
  /** A prefix of path and query; one that starts with `^` is a regular expression. */
  path: z.string().refine(isPathTest, 'is no regular expression').default('/'),
  times: z.int().min(1).default(1),
  /** Matching requests let through first. */
  skip: z.int().min(0).default(0),
  kind: z.enum(['status', 'reset_before', 'reset_after', 'hang', 'delay', 'truncate', 'html', 'drop_field']),
  status: z.int().min(400).max(599).optional(),
  /** Whole seconds, or any text; absent sends no Retry-After at all. */
  retry_after: z.union([z.int().min(0), z.string()]).optional(),
  ms: z.int().min(0).optional(),
  /** Paths into the JSON body, like `user.telephone`. */
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

/** The rules in the order they were added; the first that matches a request is used up by one. */
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

  /** The fault for a request, taken from the list; `path` with its query. */
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
