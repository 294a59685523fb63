import type { Command } from 'commander';

/** Options of every command that takes the state for itself. */
export function locking(command: Command, example: string): Command {
  return configured(command, example).option(
    '--wait',
    'wait for another run on the same state, instead of leaving at once',
  );
}

/** Options that every command with a configuration has. */
export function configured(command: Command, example: string): Command {
  return command
    .option('-c, --config <file>', "the tenant's configuration", 'talent-sync.yaml')
    .option('--json', 'machine output alone on stdout; logs on stderr')
    .addHelpText('after', `\nExample:\n  ${example}\n`);
}
