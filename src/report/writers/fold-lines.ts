import { displayWidth, stripPaint } from './style.js';

/** A first column wider than this has nothing set in behind it. */
const WIDEST_NAME = 26;
const HANG = 4;
/** With the blanks before it, which may align columns. What is in back ticks is there to be copied, and stays whole. */
const WORD = / *(?:`[^`]*`|[^\s`]|`)+/g;
/** So is a command at the end of a line. */
const COMMAND = /(?:^\s*|: )talent-sync /;

/**
 * A text for a terminal: lines that are too long go on at a word, set in behind the first column where there is one, as of
 * `State    /var/lib/acme`.
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
