import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { EvaluationError } from '@marcbachmann/cel-js';
import type { RE2JS } from 're2js';
import { messageOf } from '../base/errors.js';
import { loadPackage } from '../base/load-package.js';
import { nameOfAsciiCase } from './ascii-case.js';

/** The longest text that a pattern runs on, in characters; a cell may be longer. */
const MAX_TEXT = 65_536;
const LINEAR = 'matchesLinear';
/** The name of the function that `optMap` and `optFlatMap` call first (`optional-values.ts`). */
export const ITEMS = 'asItems';

/**
 * Runs `matches` with RE2, as CEL specifies; its running time grows linearly with the text. The library uses JavaScript
 * patterns, which backtrack. With `a*a*a*b` on one long cell, the process would hang, and no signal could stop it.
 */
export function registerLinearMatches(environment: Environment): void {
  const compiled = new Map<string, RE2JS>();
  environment.registerFunction(`string.${LINEAR}(string): bool`, (text: string, pattern: string) => {
    if (text.length > MAX_TEXT) {
      throw new EvaluationError(
        `\`matches\` reads texts of up to ${MAX_TEXT} characters, and this one has ${text.length}`,
      );
    }
    let program = compiled.get(pattern);
    if (program === undefined) {
      program = compile(pattern);
      compiled.set(pattern, program);
    }
    return program.matcher(text).find();
  });
}

/** Renames the call in the tree to the linear function, because the library rejects a second function of the same name. */
export function useLinearMatches(call: ASTNode & { op: 'rcall' }): void {
  call.args[0] = LINEAR;
}

/** Replaces internal function names in a message of the library with the names used in expressions. */
export function nameAsWritten(message: string): string {
  return nameOfAsciiCase(message.replaceAll(LINEAR, 'matches').replaceAll(ITEMS, 'optMap'));
}

/** The reason why RE2 rejects the pattern; null if RE2 accepts it. */
export function findPatternFault(pattern: string): string | null {
  try {
    compile(pattern);
    return null;
  } catch (error) {
    // The pattern is removed from the message, because the message is shown next to the pattern.
    return messageOf(error)
      .replace(/^error parsing regexp: /, '')
      .replace(/: `.*$/s, '');
  }
}

function compile(pattern: string): RE2JS {
  return loadPackage<typeof import('re2js')>('re2js').RE2JS.compile(pattern);
}
