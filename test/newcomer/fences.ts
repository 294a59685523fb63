/**
 * A fenced block of a page. What comes behind its language is invisible to readers and tells tests what to do with it:
 *
 * - `file=NAME`: the block is that file, written into the folder where the reader is
 * - `into=NAME`: YAML that is added to that file, key by key
 * - `part-of=config/full.yaml`: YAML that makes a valid configuration once it is added to that one; `#sources.hr` behind it
 *   says under which key
 * - `in=NAME`: typed into another terminal, where its last command goes on
 * - `exit=0,4`: the exit codes of its commands; 0 without it
 * - `needs=docker`: a program without which it is not run
 * - `no-run: why`: for people alone
 *
 * A `console` block has commands behind `$ ` and what they print; every line of an `sh` block is a command.
 */
export interface Fence {
  readonly line: number;
  readonly language: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Why it is not run, where it says so. */
  readonly noRun: string | null;
  /** Without the indentation that a list gives it. */
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

/** A command as it is typed, and what the page shows that it prints. */
export interface TypedCommand {
  readonly line: number;
  readonly command: string;
  /** null: an `sh` block shows nothing of what its commands print. */
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
