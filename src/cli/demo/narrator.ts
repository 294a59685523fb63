import { createStyle, toTerminal, wrapItems } from '../../report/writers/style.js';

const WIDTH = 96;

/** The line above a chapter. */
export function renderHeading(title: string, color: boolean): string {
  return createStyle(color).bold(`── ${title} `.padEnd(WIDTH, '─'));
}

/** Tells a story on a stream: chapters, paragraphs, and command lines above their output. */
export interface Narrator {
  chapter(title: string): Promise<void>;
  /** A paragraph, wrapped. */
  say(text: string): Promise<void>;
  /** Lines as they are, set in. */
  quote(lines: readonly string[]): Promise<void>;
  /** One of them, of a list that grows. */
  line(text: string): Promise<void>;
  command(words: readonly string[]): Promise<void>;
  /** Lines that a command has printed, and a note on those that are left out. */
  output(lines: readonly string[], note: string | null): Promise<void>;
  blank(): Promise<void>;
}

export function createNarrator(stream: NodeJS.WritableStream, program: string, color: boolean): Narrator {
  const style = createStyle(color);
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => void stream.write(toTerminal(text), () => resolve()));
  let chapters = 0;
  return {
    chapter(title) {
      chapters += 1;
      return write(`${renderHeading(`${chapters}. ${title}`, color)}\n\n`);
    },
    say: (text) => write(`${wrapItems(text.split(/\s+/), ' ', WIDTH).join('\n')}\n\n`),
    quote: (lines) => write(`${lines.map((line) => `    ${line}\n`).join('')}\n`),
    line: (text) => write(`    ${text}\n`),
    command: (words) => write(`${style.good('$')} ${style.bold([program, ...words.map(quoteWord)].join(' '))}\n`),
    // Their colours are those of the command itself.
    output: async (lines, note) => {
      await new Promise<void>((resolve) => void stream.write(`${lines.join('\n')}\n`, () => resolve()));
      await write(note === null ? '\n' : `${style.dim(`    ${note}`)}\n\n`);
    },
    blank: () => write('\n'),
  };
}

/** For a POSIX shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
