import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { EvaluationError } from '@marcbachmann/cel-js';
import type { RE2JS } from 're2js';
import { messageOf } from '../base/errors.js';
import { loadPackage } from '../base/load-package.js';
import { nameOfAsciiCase } from './ascii-case.js';

/** In characters. A cell may be longer, but a pattern does not run on more than this. */
const MAX_TEXT = 65_536;
const LINEAR = 'matchesLinear';
/** Name of the function that `optMap` and `optFlatMap` call first: `optional-values.ts`. */
export const ITEMS = 'asItems';

/**
 * CEL specifies RE2 for `matches`, whose time grows only with the text. The library runs JavaScript's patterns, which backtrack:
 * `a*a*a*b` on one long cell would hang the process, and no signal could stop it.
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

/** The library rejects a second function of the same name, so the call in the tree gets the other name. */
export function useLinearMatches(call: ASTNode & { op: 'rcall' }): void {
  call.args[0] = LINEAR;
}

/** Gives the functions in a message of the library the names that the expression has for them. */
export function nameAsWritten(message: string): string {
  return nameOfAsciiCase(message.replaceAll(LINEAR, 'matches').replaceAll(ITEMS, 'optMap'));
}

/** Why RE2 does not accept the pattern; null if it does. */
export function findPatternFault(pattern: string): string | null {
  try {
    compile(pattern);
    return null;
  } catch (error) {
    // The pattern is removed from the message, which is shown next to it.
    return messageOf(error)
      .replace(/^error parsing regexp: /, '')
      .replace(/: `.*$/s, '');
  }
}

function compile(pattern: string): RE2JS {
  return loadPackage<typeof import('re2js')>('re2js').RE2JS.compile(pattern);
}
