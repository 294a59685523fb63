import { writeColumnRead } from '../model/column-read.js';
import type { Finding } from './inspect.js';
import type { Scope } from './scope.js';

const TERNARY = '`condition ? value : otherwise`';
const IN_QUOTES = 'and put it in quotes, because YAML would otherwise interpret `: `.';
const IF_CALL = /\b(?:if|iif|wenn)\s*\(/i;
const IF_WORDS = /^\s*if\b(.+)\bthen\b(.+)\belse\b(.+)$/di;

/** Advises on `if(…, …, …)` as in a spreadsheet, and on `if … then … else …`. */
export function adviseCondition(text: string, scope: Scope): Finding | null {
  const code = blankTexts(text);
  const call = IF_CALL.exec(code);
  const words = IF_WORDS.exec(code);
  const found = call ?? words;
  if (found === null) return null;
  const proposed = call === null ? fromWords(text, found) : fromCall(text, code, call.index + call[0].length);
  const isRight = proposed !== null && parses(proposed, scope);
  const start = found.index + found[0].search(/\S/);
  return {
    message: 'the expression cannot be read: there is no `if`',
    remedy: `Write ${isRight ? `\`${proposed}\`` : TERNARY}, ${IN_QUOTES}`,
    start,
    end: start + (/^\w+/.exec(text.slice(start))?.[0].length ?? 1),
  };
}

/**
 * Turns an `if(…)` call into a CEL condition; null unless the call has three arguments.
 * @param from offset after the opening bracket
 */
function fromCall(text: string, code: string, from: number): string | null {
  const parts: string[] = [];
  let depth = 0;
  let begin = from;
  for (let at = from; at < code.length; at++) {
    const sign = code[at] ?? '';
    if (/[([{]/.test(sign)) depth++;
    const closes = /[)\]}]/.test(sign);
    if (depth === 0 && (closes || /[,;]/.test(sign))) {
      parts.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
    if (closes && depth-- === 0) break;
  }
  const before = text.slice(0, from).replace(new RegExp(`${IF_CALL.source}$`, 'i'), '');
  const after = text.slice(begin);
  const [condition, value, otherwise] = parts;
  if (parts.length !== 3) return null;
  const ternary = `${condition} ? ${value} : ${otherwise}`;
  return `${before}${after}`.trim() === '' ? ternary : `${before}(${ternary})${after}`;
}

function fromWords(text: string, { indices = [] }: RegExpExecArray): string {
  const [condition, value, otherwise] = indices
    .slice(1)
    .map((range) => (range === undefined ? '' : text.slice(...range).trim()));
  return `${condition} ? ${value} : ${otherwise}`;
}

const HOLE = /\$?\{\{?\s*([\w.?]+)\s*\}?\}/g;

/** Advises on a column in template braces, such as `{{ record.name }}` or `${name}`. */
export function adviseTemplate(text: string, scope: Scope): Finding | null {
  const [hole] = blankTexts(text).matchAll(HOLE);
  if (hole === undefined) return null;
  const proposed = joinParts(text, scope);
  return {
    message: `the expression cannot be read: \`${hole[0]}\` means nothing here`,
    remedy: proposed === null ? 'A column is read by its record and a dot, without braces.' : `Write \`${proposed}\`.`,
    start: hole.index,
    end: hole.index + hole[0].length,
  };
}

/**
 * Writes a template as an expression; null if unclear. Parts around the braces become text, unless they already are an
 * expression.
 */
function joinParts(text: string, scope: Scope): string | null {
  const parts = text.split(HOLE);
  const isExpression = parts.some((part, index) => index % 2 === 0 && /["'+?()]/.test(part));
  const names = parts.map((part, index) => (index % 2 === 1 ? nameColumn(part, scope) : part));
  if (names.includes(null)) return null;
  const proposed = isExpression
    ? names.join('')
    : names
        .map((part, index) => (index % 2 === 1 ? part : JSON.stringify(part)))
        .filter((part) => part !== '""')
        .join(' + ');
  return parses(proposed, scope) ? proposed : null;
}

function nameColumn(inner: string, { variables }: Scope): string | null {
  if (Object.hasOwn(variables, inner.split('.')[0] ?? '')) return inner;
  const [variable, columns] =
    Object.entries({ record: variables.record, ...variables }).find(([, one]) => one && Object.hasOwn(one, inner)) ??
    [];
  return variable === undefined ? null : writeColumnRead(variable, inner, columns?.[inner]?.optional ?? false);
}

function parses(text: string, { environment }: Scope): boolean {
  try {
    environment.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Replaces quoted texts with blanks, so that offsets stay the same. */
export function blankTexts(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?/g, (quoted) => ' '.repeat(quoted.length));
}
