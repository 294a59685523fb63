/**
 * A fenced block of a page. Readers do not see the words behind its language, which say how tests use the block:
 *
 * - `file=NAME`: the block is that file, written into the reader's folder
 * - `into=NAME`: YAML that is added to that file, key by key
 * - `part-of=config/full.yaml`: YAML that gives a valid configuration when added to that one; `#sources.hr` behind it
 * names
 *   the key
 * - `in=NAME`: typed into another terminal, where its last command keeps running
 * - `exit=0,4`: the exit codes of its commands; 0 without it
 * - `needs=docker`: not run without this program
 * - `no-run: why`: only for people
 *
 * A `console` block has commands after `$ ` and their output; every line of an `sh` block is a command.
 */
export interface Fence {
  readonly line: number;
  readonly language: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The reason for not running it, if it gives one. */
  readonly noRun: string | null;
  /** The text without the indentation of a list. */
  readonly text: string;
}

const FENCE = /^( *)```(\w*)(?: (.*))?$/;

export function readFences(page: string): readonly Fence[] {
  const fences: Fence[] = [];
  const lines = page.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', language = '', info = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (!FENCE.test(lines[at] ?? '')) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: the block has no end`);
    const text = lines.slice(at + 1, end).map((line) => `${line.slice(indent.length)}\n`);
    fences.push({ line: at + 1, language, ...readInfo(info), text: text.join('') });
    at = end;
  }
  return fences;
}

function readInfo(info: string): Pick<Fence, 'attributes' | 'noRun'> {
  const [before = '', noRun = null] = info.split(/ *no-run: /);
  const words = before.split(' ').filter((word) => word !== '');
  return { attributes: Object.fromEntries(words.map(readWord)), noRun };
}

function readWord(word: string): readonly [string, string] {
  const [, name = '', value = ''] = /^(file|into|part-of|in|exit|needs)=(\S+)$/.exec(word) ?? [];
  if (name === '') throw new Error(`\`${word}\` is no attribute of a block`);
  return [name, value];
}

/** A command as typed, and its output according to the page. */
export interface TypedCommand {
  readonly line: number;
  readonly command: string;
  /** null: an `sh` block does not show the output of its commands. */
  readonly shown: string | null;
}

export function readCommands({ language, line, text }: Fence): readonly TypedCommand[] {
  const lines = text.split('\n').slice(0, -1);
  const commands: { line: number; command: string; shown: string | null }[] = [];
  let isOpen = false;
  for (const [index, raw] of lines.entries()) {
    const last = commands.at(-1);
    const typed = language === 'sh' ? raw : raw.startsWith('$ ') ? raw.slice(2) : null;
    if (last !== undefined && isOpen) last.command += `\n${raw}`;
    else if (typed === null && last !== undefined) last.shown += `${raw}\n`;
    else if (typed !== null && typed.trim() !== '')
      commands.push({ line: line + 1 + index, command: typed, shown: language === 'sh' ? null : '' });
    isOpen = (isOpen || typed !== null) && raw.endsWith('\\');
  }
  return commands;
}
