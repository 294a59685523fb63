import type { Command } from 'commander';

/** What of a command as it is typed (`holds ack ID --until 30d`) the program does not have: its name, or flags. */
export function findUnknown(program: Command, typed: string): readonly string[] {
  const words = typed.split(/[;|)]/)[0]?.trim().split(/\s+/) ?? [];
  let command = program;
  const named: string[] = [];
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
    named.push(word);
  }
  // A command of commands does nothing by itself, but for `sandbox`.
  if (command.commands.length > 0 && command.options.length === 0) return [words.slice(0, named.length + 1).join(' ')];
  const known = new Set(['--help', ...command.options.flatMap(({ long, short }) => [long, short])]);
  return [...typed.matchAll(/(?<![\w-])--?[a-z][a-z-]*/g)].flatMap(([flag]) => (known.has(flag) ? [] : [flag]));
}
