import { createStyle, toTerminal, wrapItems } from '../../report/writers/style.js';

const WIDTH = 96;

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
      const head = `── ${chapters}. ${title} `;
      return write(`${style.bold(head.padEnd(WIDTH, '─'))}\n\n`);
    },
    say: (text) => write(`${wrapItems(text.split(/\s+/), ' ', WIDTH).join('\n')}\n\n`),
    quote: (lines) => write(`${lines.map((line) => `    ${line}\n`).join('')}\n`),
    line: (text) => write(`    ${text}\n`),
    command: (words) => write(`${style.good('$')} ${style.bold([program, ...words.map(quoteWord)].join(' '))}\n`),
    blank: () => write('\n'),
  };
}

/** For a POSIX shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
