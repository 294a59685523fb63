import { readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { asSyncError, SyncError } from '../base/errors.js';
import { hideSecrets } from '../base/secrets/secret.js';
import type { Answers, OpenQuestion } from '../config/sample/answers.js';
import { cleanLine } from '../model/clean-text.js';
import { type Console, fitTo, formatError, printFitted, widthOf } from './context.js';
import { checkCode, readDayOrder, readLanguage, readYesOrNo, splitWords } from './init-answers.js';
import { print } from './print.js';

export interface Asker {
  /** Returns the typed line, or the default in brackets for an empty line. Null at the end of the input. */
  ask(text: string, otherwise?: string): Promise<string | null>;
  /** Repeats the question until the answer is valid. */
  askUntil<T>(text: string, otherwise: string, read: (answer: string) => T | Promise<T>): Promise<T | null>;
  tell(text: string): Promise<void>;
  close(): void;
}

/** Null without a terminal. */
export function openAsker({ stdin, stdout, stderr, exit }: Console): Asker | null {
  if (stdin?.isTTY !== true || stdout.isTTY !== true) return null;
  const lines = createInterface({ input: stdin, output: stdout, completer: completePath });
  const waiting: string[] = [];
  const readers: ((line: string | null) => void)[] = [];
  let isOver = false;
  lines.on('line', (line) => {
    const reader = readers.shift();
    if (reader === undefined) waiting.push(line);
    else reader(line);
  });
  lines.on('close', () => {
    isOver = true;
    for (const reader of readers.splice(0)) reader(null);
  });
  // Nothing is written before the last answer, so it is safe to exit.
  lines.on('SIGINT', () => {
    lines.close();
    exit(128 + constants.signals.SIGINT);
  });
  const next = (): Promise<string | null> => {
    const line = waiting.shift();
    if (line !== undefined || isOver) return Promise.resolve(line ?? null);
    return new Promise((resolve) => readers.push(resolve));
  };
  const ask = async (text: string, otherwise = ''): Promise<string | null> => {
    const question = hideSecrets(`${cleanLine(text)}${otherwise === '' ? '' : ` [${cleanLine(otherwise)}]`}:`);
    const folded = fitTo(widthOf(stdout), question).trimEnd().split('\n');
    await print(
      stdout,
      folded
        .slice(0, -1)
        .map((part) => `${part}\n`)
        .join(''),
    );
    // The question is the prompt, so the question is redrawn before the typed text.
    lines.setPrompt(`${folded.at(-1) ?? ''} `);
    lines.prompt();
    const line = await next();
    return line === null ? null : line.trim() || otherwise;
  };
  return {
    ask,
    askUntil: async (text, otherwise, read) => {
      for (;;) {
        const answer = await ask(text, otherwise);
        if (answer === null) return null;
        try {
          return await read(answer);
        } catch (error) {
          await print(stderr, formatError(asSyncError(error), widthOf(stderr)));
        }
      }
    },
    tell: (text) => printFitted(stdout, text),
    close: () => lines.close(),
  };
}

/** Completes file names with Tab. */
function completePath(line: string): [string[], string] {
  const at = line.lastIndexOf('/') + 1;
  const [folder, begun] = [line.slice(0, at), line.slice(at)];
  try {
    const found = readdirSync(folder === '' ? '.' : folder, { withFileTypes: true })
      .filter(({ name }) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')))
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`);
    return [found, line];
  } catch {
    return [[], line];
  }
}

/** Accepts a column of the file, or an empty answer. */
function checkHeader(text: string, columns: readonly string[]): string {
  if (text === '' || columns.includes(text)) return text;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `There is no column ${JSON.stringify(text)}.`,
    place: '--column',
    remedy: `Name one of ${columns.join(', ')}, or leave it empty if no column has it.`,
  });
}

/** Asks one question and adds the answer to the others; null at the end of the input. */
export function askOne(asker: Asker, question: OpenQuestion, answers: Answers): Promise<Answers | null> {
  const { text, choices, otherwise } = question;
  const shown = choices.length === 0 ? text : `${text} (${choices.join(', ')})`;
  return asker.askUntil(shown, otherwise, (answer) => ({ ...answers, ...readAnswer(question, answer, answers) }));
}

/** @throws SyncError if the answer does not fit the question */
function readAnswer({ flag, about, choices }: OpenQuestion, text: string, answers: Answers): Partial<Answers> {
  const name = about ?? '';
  switch (flag) {
    case '--country':
      return { country: checkCode(text) };
    case '--country NAME=':
      return { countries: { ...answers.countries, [name]: checkCode(text) } };
    case '--language':
      return { language: readLanguage(text) };
    case '--column':
      return { columns: { ...answers.columns, [name]: checkHeader(text, choices) } };
    case '--dates':
      return { dates: readDayOrder(text) };
    case '--left':
      return { left: splitWords(text) };
    case '--update':
      return { updates: { ...answers.updates, [name]: readYesOrNo(text) } };
  }
}
