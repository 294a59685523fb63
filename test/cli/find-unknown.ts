import type { Command } from 'commander';

/**
 * Returns the parts of a typed command (`holds ack ID --until 30d`) that the program does not know: its name, or flags.
 */
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
  // A command with subcommands does nothing by itself, except `sandbox`.
  if (command.commands.length > 0 && command.options.length === 0) return [words.slice(0, named.length + 1).join(' ')];
  const known = new Set(['--help', ...command.options.flatMap(({ long, short }) => [long, short])]);
  return [...typed.matchAll(/(?<![\w-])--?[a-z][a-z-]*/g)].flatMap(([flag]) => (known.has(flag) ? [] : [flag]));
}
