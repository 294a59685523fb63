import { createInterface } from 'node:readline';
import type { Finding } from '../mapping/inspect.js';
import { type Tried, tryExpression } from '../mapping/try-expression.js';
import { cleanLine } from '../model/clean-text.js';
import { excerptAt, underline } from '../model/excerpt.js';
import type { Json } from '../model/json.js';
import { plural } from '../model/plural.js';
import { joinLines } from '../report/writers/style.js';
import { type CommandResult, type Console, printFitted, printing } from './context.js';
import { print } from './print.js';
import { findRows, type RowFlags, type RowsToTry } from './try-rows.js';

export interface TryFlags extends RowFlags {
  readonly expression?: string;
  readonly json?: boolean;
}

/** `try`: shows the result of an expression for rows of a file or source; without an expression, for each typed line. */
export async function runTry(console: Console, flags: TryFlags): Promise<void> {
  await printing(console, flags.json === true, async () => {
    const rows = await findRows(console, flags);
    const { expression } = flags;
    if (expression === undefined) {
      await readLines(console, rows);
      return null;
    }
    return describeTried(expression, rows, tryExpression(expression, rows.records, rows.context));
  });
}

function describeTried(expression: string, { context, at }: RowsToTry, tried: Tried): CommandResult {
  const { type, rows, findings } = tried;
  return {
    json: {
      source: context.source,
      at,
      expression,
      type,
      rows,
      findings: findings.map(({ message, remedy, start, end }) => ({ message, remedy, start, end })),
    },
    text: renderTried(expression, tried),
    exitCode: findings.length > 0 || rows.some(({ failed }) => failed !== null) ? 1 : 0,
  };
}

function renderTried(expression: string, { type, rows, findings }: Tried): string {
  if (type === null) return joinLines(findings.flatMap((finding) => renderFinding(expression, finding)));
  return joinLines(
    rows.map(({ key, line, value, failed }) => {
      const place = `${key}${line === null ? '' : ` (line ${line})`}`;
      return `${cleanLine(place)}: ${failed === null ? showValue(value) : `failed: ${cleanLine(failed)}`}`;
    }),
  );
}

function renderFinding(expression: string, { message, remedy, start, end }: Finding): readonly string[] {
  return [...underline(excerptAt(expression, start, end)), message, `  ${remedy}`];
}

/** Quotes a text, so that blanks at its ends are visible. */
function showValue(value: Json): string {
  if (value === null) return 'absent';
  return JSON.stringify(value);
}

const HELP = 'Type an expression, such as record.x; .columns lists the columns, .exit ends.';

async function readLines(console: Console, rows: RowsToTry): Promise<void> {
  const { stdin = process.stdin, stdout } = console;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const { source, columns } = rows.context;
  if (isTerminal) {
    await printFitted(stdout, `${rows.at}: ${plural(rows.records.length, 'row')} of ${source}. ${HELP}`);
    await print(stdout, '> ');
  }
  const lines = createInterface({ input: stdin, ...(isTerminal ? { output: stdout } : {}) });
  for await (const line of lines) {
    const text = line.trim();
    if (text === '.exit') break;
    if (text === '.columns') await print(stdout, `${Object.keys(columns).map(cleanLine).join('\n')}\n`);
    else if (text !== '') await printFitted(stdout, renderTried(text, tryExpression(text, rows.records, rows.context)));
    if (isTerminal) await print(stdout, '> ');
  }
  lines.close();
}
