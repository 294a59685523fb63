import type { TraceStep } from '../../mapping/trace.js';
import { canonicalJson } from '../../model/json.js';
import { clip, displayWidth, type TerminalLook } from '../writers/style.js';
import { fold } from '../writers/terminal-blocks.js';

/** `path  expression → value` if it fits on a line. Otherwise the value is below the expression. */
export function showStep(name: string, step: TraceStep, look: TerminalLook, rule = ''): readonly string[] {
  const { style, width } = look;
  const value = showResult(step);
  const expression = step.expression.replace(/\s+/g, ' ').trim();
  const used = displayWidth(name) + 2;
  const line = `${expression} → ${value}`;
  if (used + displayWidth(line) + rule.length <= width)
    return [`${name}  ${style.dim(`${expression} →`)} ${value}${style.dim(rule)}`];
  const [first = '', ...others] = fold(expression, used, look);
  return [
    `${name}  ${style.dim(first.trimStart())}`,
    ...others.map(style.dim),
    `${' '.repeat(used)}${style.dim('→')} ${clip(value, width - used - 2 - rule.length)}${style.dim(rule)}`,
  ];
}

function showResult({ result }: TraceStep): string {
  switch (result.kind) {
    case 'value':
      return result.value === null || result.value === '' ? '(empty)' : clip(canonicalJson(result.value), 200);
    case 'absent':
      return `(empty: ${result.clears === true ? 'to be cleared' : 'left unchanged'})`;
    case 'unknown':
      return `unknown while ${result.source} is not read completely`;
    case 'error':
      return `error: ${result.reason}`;
  }
}
