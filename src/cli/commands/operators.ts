import { type Command, Option } from 'commander';
import { ROLES } from '../../config/access/roles.js';
import { addExample } from '../command-options.js';
import type { Console } from '../context.js';
import { collect, parseTime } from '../parse-options.js';
import type { OperatorAddFlags } from '../run-operator.js';

/** `operator`: people who may use the operator pages, in addition to those in the configuration. */
export function addOperator(program: Command, console: Console): void {
  const group = program.command('operator').description('people who may use the operator pages');
  const add = (usage: string, example: string): Command =>
    addExample(group.command(usage), example)
      .option(
        '-c, --config <path>',
        "the daemon's configuration, or its folder; by default daemon.yaml or talent-sync.yaml in the current folder",
      )
      .option('--json', 'print one JSON document on stdout; logs go to stderr');
  add('add <who>', 'talent-sync operator add jane@example.com --role approver --tenant acme')
    .description('give a person a token, shown once, and a role')
    .addOption(new Option('--role <role>', 'the role to give').choices(ROLES))
    .addOption(
      new Option('--tenant <name>', 'only for this tenant; may be repeated').argParser(collect).default([], 'all'),
    )
    .option('--pseudonyms', 'show people of the tenant under pseudonyms')
    .addOption(
      new Option('--expires <time>', 'how long the token is valid')
        .argParser(parseTime)
        .default(90 * 86_400_000, '90d'),
    )
    .action(async (who: string, flags: Omit<OperatorAddFlags, 'who'>) =>
      (await import('../run-operator.js')).runOperatorAdd(console, { ...flags, who }),
    );
  add('list', 'talent-sync operator list --json')
    .description('list the people who have a token, a role or a log-in')
    .action(async (flags: OperatorAddFlags) => (await import('../run-operator.js')).runOperatorList(console, flags));
  add('remove <who>', 'talent-sync operator remove jane@example.com')
    .description('end the tokens and log-ins of a person immediately')
    .action(async (who: string, flags: OperatorAddFlags) =>
      (await import('../run-operator.js')).runOperatorRemove(console, { ...flags, who }),
    );
}
