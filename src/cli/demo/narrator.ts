import { createStyle, toTerminal, wrapItems } from '../../report/writers/style.js';

const WIDTH = 96;

export function renderHeading(title: string, color: boolean): string {
  return createStyle(color).bold(`── ${title} `.padEnd(WIDTH, '─'));
}

/** Writes a story to a stream: chapters, paragraphs, and command lines with their output. */
export interface Narrator {
  chapter(title: string): Promise<void>;
  /** A wrapped paragraph. */
  say(text: string): Promise<void>;
  /** Verbatim lines, indented. */
  quote(lines: readonly string[]): Promise<void>;
  /** Adds one line to a quote that is still being written. */
  line(text: string): Promise<void>;
  command(words: readonly string[]): Promise<void>;
  /** Lines of a command's output, and a note about omitted lines. */
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
    // Keep the colours of the command's output.
    output: async (lines, note) => {
      await new Promise<void>((resolve) => void stream.write(`${lines.join('\n')}\n`, () => resolve()));
      await write(note === null ? '\n' : `${style.dim(`    ${note}`)}\n\n`);
    },
    blank: () => write('\n'),
  };
}

/** Quotes a word for a POSIX shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
