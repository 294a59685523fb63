import { displayWidth, stripPaint } from './style.js';

/** Maximum width of a first column to which the following lines are indented. */
const WIDEST_NAME = 26;
const HANG = 4;
/** A word and the blanks before it, which may align columns. Text in backticks is not split, because people copy it. */
const WORD = / *(?:`[^`]*`|[^\s`]|`)+/g;
/** A command at the end of a line, which is also not split. */
const COMMAND = /(?:^\s*|: )talent-sync /;

/**
 * Folds long lines of a text for a terminal at word boundaries. If a line has a first column, as in `State /var/lib/acme`,
 * its continuation lines are indented to the second column.
 */
export function foldLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (displayWidth(line) <= width || COMMAND.test(stripPaint(line)) ? [line] : foldLine(line, width)))
    .join('\n');
}

function foldLine(line: string, width: number): readonly string[] {
  const hang = ' '.repeat(findHang(stripPaint(line), width));
  const lines: string[] = [];
  let current = '';
  for (const [word] of line.matchAll(WORD)) {
    if (current.trim() !== '' && displayWidth(current + word) > width) {
      lines.push(current);
      current = hang + word.trimStart();
    } else current += word;
  }
  return [...lines, current];
}

function findHang(line: string, width: number): number {
  const name = displayWidth(/^\s*\S+(?: \S+)*? {2,}(?=\S)/.exec(line)?.[0] ?? '');
  const indent = line.length - line.trimStart().length;
  return name > indent && name <= Math.min(WIDEST_NAME, width / 2) ? name : indent + HANG;
}
