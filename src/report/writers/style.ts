import { randomBytes } from 'node:crypto';
import { cleanLine } from '../../model/clean-text.js';
import type { Tone } from '../sections/kinds.js';

/**
 * Replaces the escape character until the text is printed. The replacement is random, so no data can contain it and become
 * a colour.
 */
const PAINT = `\ue000${randomBytes(9).toString('base64url')}:`;

/** Terminal colours by meaning. Plain text if colours are disabled. */
export type Style = Readonly<Record<Tone | 'bold' | 'dim', (text: string) => string>>;

/** The look of text on a terminal. */
export interface TerminalLook {
  readonly style: Style;
  readonly width: number;
}

export function createStyle(color: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    color ? `${PAINT}${open}m${text}${PAINT}${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    good: paint(32, 39),
    warn: paint(33, 39),
    bad: paint(31, 39),
    plain: (text) => text,
    accent: paint(36, 39),
  };
}

/** Restores the colours of a text for a terminal. All other escape sequences have been removed before. */
export function toTerminal(text: string): string {
  return text.replaceAll(PAINT, '\u001b[');
}

/** Cleans text that another process wrote for a terminal. Only colours remain of its escape sequences. */
export function fromTerminal(text: string): string {
  return text.replaceAll(COLOUR, `${PAINT}$1m`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a colour.
const COLOUR = /\u001b\[(\d{1,2})m/g;

/** Joins lines of a text for people. Data in a line cannot break the line. */
export function joinLines(lines: readonly string[]): string {
  return lines.map(cleanLine).join('\n');
}

/** A text for people in which data cannot break a line. */
export function worded(strings: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return strings.map((text, i) => text + (i < values.length ? cleanLine(String(values[i])) : '')).join('');
}

/** The warnings that apply, one line each. */
export function listWarnings(warnings: readonly (string | false)[]): readonly string[] {
  return warnings.filter((text) => text !== false).map((text) => `! ${text}`);
}

/** Lists the first few items, and a line with the number of the others. */
export function listFirst<T>(
  all: readonly T[],
  most: number,
  show: (one: T) => readonly string[],
  tellMore: (rest: number) => string,
): readonly string[] {
  const lines = all.slice(0, most).flatMap(show);
  return all.length > most ? [...lines, tellMore(all.length - most)] : lines;
}

/** Text for one line of a terminal, truncated to `width` columns. */
export function clip(text: string, width: number): string {
  const line = cleanLine(text.replace(/ +/g, ' '));
  if (line.length * 2 <= width || displayWidth(line) <= width) return line;
  let [end, columns] = [0, 0];
  for (const character of line) {
    columns += displayWidth(character);
    if (columns > width - 1) break;
    end += character.length;
  }
  return `${line.slice(0, end)}…`;
}

/** East Asian wide characters (UAX #11), limited to those common in names. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{20000}-\u{3fffd}]/u;
const WITHOUT_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

const PAINTS = new RegExp(`${PAINT}\\d+m`, 'g');

export function stripPaint(text: string): string {
  return text.replaceAll(PAINTS, '');
}

/** The number of columns that a text needs on a terminal, without its colours. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of stripPaint(text)) if (!WITHOUT_WIDTH.test(character)) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** `padEnd` by columns instead of characters, which aligns lists with names in several scripts. */
export function padDisplay(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Joins items into as few lines as the width allows. The order stays the same. */
export function wrapItems(items: readonly string[], separator: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: string | null = null;
  for (const item of items) {
    const longer: string = line === null ? item : `${line}${separator}${item}`;
    if (line !== null && displayWidth(longer) > width) {
      lines.push(line);
      line = item;
    } else line = longer;
  }
  return line === null ? lines : [...lines, line];
}

/** Maximum line length. Longer lines are not easier to read, even on a wider terminal. */
const WIDEST = 120;
/** Line length in a file or a log. */
const OF_A_FILE = 98;
const NARROWEST = 40;

/** The line length for a number of terminal columns; null if there is no terminal. */
export function chooseWidth(columns: number | null): number {
  return Math.max(NARROWEST, Math.min(columns ?? OF_A_FILE, WIDEST));
}
