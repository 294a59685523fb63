import type { ParseError } from '@marcbachmann/cel-js';
import { writeColumnRead } from '../model/column-read.js';
import { CURLY_QUOTE, explainOddSpace, ODD_SPACE } from '../model/odd-signs.js';
import type { Finding } from './inspect.js';
import { adviseCondition, adviseTemplate, blankTexts } from './other-languages.js';
import type { Scope } from './scope.js';

/** Operators of other languages, with a remedy that shows the spelling for expressions. */
const OPERATORS: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/<>/, 'Write `!=` for "is not".'],
  [/===/, 'Compare with `==`.'],
  [/(?<![=!<>])=(?!=)/, 'Compare with `==`.'],
  [/\band\b/i, 'Write `&&` for "and".'],
  [/\bor\b/i, 'Write `||` for "or".'],
  [/\bnot\b/i, 'Write `!` for "not".'],
  [/\?\?/, 'Write `.orValue("")` after a value that can be absent.'],
  [/(?<!&)&(?!&)/, 'Write `+` between texts, `&&` for "and".'],
  [/(?<!\|)\|(?!\|)/, 'Write `||` for "or".'],
];
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Explains why an expression cannot be parsed, and suggests the most likely correction. */
export function explainUnreadable(error: ParseError, text: string, scope: Scope): Finding {
  const start = error.range?.start ?? 0;
  const summary = error.summary ?? error.message;
  return (
    adviseColumnName(text, scope) ??
    adviseSigns(text) ??
    adviseQuotes(text, summary, start) ??
    adviseCondition(text, scope) ??
    adviseTemplate(text, scope) ??
    adviseOperator(text) ??
    adviseBrackets(text) ??
    adviseBlank(text) ?? {
      message: `the expression cannot be read: ${summary}`,
      remedy: 'Expressions are CEL (https://cel.dev); a fixed text needs quotes of its own, as in \'"no"\'.',
      start,
      end: error.range?.end ?? start,
    }
  );
}

/** Finds a column name that expressions can only read in brackets, as in `record.Company name`. */
function adviseColumnName(text: string, { variables }: Scope): Finding | null {
  for (const [variable, columns] of Object.entries(variables)) {
    for (const [column, { optional }] of Object.entries(columns)) {
      const read = writeColumnRead(variable, column, optional);
      const written = [`${variable}.${column}`, `${variable}.?${column}`].find((one) => text.includes(one));
      if (written === undefined || !read.includes('[')) continue;
      const start = text.indexOf(written);
      const message = 'the expression cannot be read: a name with other characters goes in brackets';
      return { message, remedy: `Write \`${read}\`.`, start, end: start + written.length };
    }
  }
  return null;
}

/** Finds characters that look like a space or a minus sign but are not. */
function adviseSigns(text: string): Finding | null {
  const code = blankTexts(text);
  const space = code.search(ODD_SPACE);
  if (space !== -1) {
    const [message, remedy] = explainOddSpace(code[space] ?? '');
    return { message: `the expression cannot be read: ${message}`, remedy, start: space, end: space + 1 };
  }
  const dash = code.search(/[\u2010-\u2015\u2212]/);
  if (dash === -1) return null;
  const message = `the expression cannot be read: ${text[dash]} is not a minus sign`;
  return { message, remedy: 'Write `-`; a text with a dash goes in quotes.', start: dash, end: dash + 1 };
}

function adviseQuotes(text: string, summary: string, start: number): Finding | null {
  const curly = blankTexts(text).search(CURLY_QUOTE);
  if (curly !== -1) {
    const message = `the expression cannot be read: ${text[curly]} is not a quote`;
    return { message, remedy: 'Write straight quotes, as in `"Oslo"`.', start: curly, end: curly + 1 };
  }
  if (!summary.startsWith('Unterminated')) return null;
  const quote = text[start] ?? '"';
  const message = 'the expression cannot be read: the text that begins here has no closing quote';
  return { message, remedy: `Close it with ${quote}.`, start, end: text.length };
}

function adviseOperator(text: string): Finding | null {
  const code = blankTexts(text);
  for (const [pattern, remedy] of OPERATORS) {
    const found = pattern.exec(code);
    if (found === null) continue;
    const message = `the expression cannot be read: \`${found[0]}\` means nothing here`;
    return { message, remedy, start: found.index, end: found.index + found[0].length };
  }
  return null;
}

function adviseBrackets(text: string): Finding | null {
  const open: number[] = [];
  const at = (index: number, message: string, remedy: string): Finding => ({
    message: `the expression cannot be read: ${message}`,
    remedy,
    start: index,
    end: index + 1,
  });
  for (const [index, sign] of [...blankTexts(text)].entries()) {
    if (sign in CLOSING) open.push(index);
    if (!/[)\]}]/.test(sign)) continue;
    const opened = text[open.pop() ?? -1];
    if (opened === undefined) return at(index, `\`${sign}\` closes nothing`, 'Remove it.');
    if (CLOSING[opened] !== sign)
      return at(index, `\`${sign}\` closes a \`${opened}\``, `Write \`${CLOSING[opened]}\`.`);
  }
  const left = open.pop();
  const sign = text[left ?? -1] ?? '';
  return left === undefined ? null : at(left, `\`${sign}\` is never closed`, `Close it with \`${CLOSING[sign]}\`.`);
}

/** Reports two names in a row, which are most likely one column. */
function adviseBlank(text: string): Finding | null {
  const found = /(\w+)\.\??(\w+(?: +\w+)+)/.exec(blankTexts(text));
  if (found === null) return null;
  const message = 'the expression cannot be read: two names are in a row';
  const remedy = 'If they are one column, put it in brackets and quotes; otherwise put an operator between them.';
  return { message, remedy, start: found.index, end: found.index + found[0].length };
}
