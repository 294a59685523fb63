import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { EvaluationError } from '@marcbachmann/cel-js';
import type { RE2JS } from 're2js';
import { messageOf } from '../base/errors.js';
import { loadPackage } from '../base/load-package.js';
import { nameOfAsciiCase } from './ascii-case.js';

/** A cell may be longer; a pattern is not run over more than this. Characters. */
const MAX_TEXT = 65_536;
const LINEAR = 'matchesLinear';
/** What `optMap` and `optFlatMap` call first: `optional-values.ts`. */
export const ITEMS = 'asItems';

/**
 * CEL specifies RE2 for `matches`, whose time grows with the text alone. The library runs JavaScript's patterns, which
 * backtrack: `a*a*a*b` on one long cell would hang the process, and no signal could end it.
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

/** The library refuses a second function of the same name, so the call in the tree is given the other one. */
export function useLinearMatches(call: ASTNode & { op: 'rcall' }): void {
  call.args[0] = LINEAR;
}

/** In a message of the library, the function under the name that the expression has for it. */
export function nameAsWritten(message: string): string {
  return nameOfAsciiCase(message.replaceAll(LINEAR, 'matches').replaceAll(ITEMS, 'optMap'));
}

/** Why RE2 does not take the pattern; null when it does. */
export function findPatternFault(pattern: string): string | null {
  try {
    compile(pattern);
    return null;
  } catch (error) {
    // The pattern itself is shown beside this.
    return messageOf(error)
      .replace(/^error parsing regexp: /, '')
      .replace(/: `.*$/s, '');
  }
}

function compile(pattern: string): RE2JS {
  return loadPackage<typeof import('re2js')>('re2js').RE2JS.compile(pattern);
}
