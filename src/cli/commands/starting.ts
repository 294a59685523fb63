import { Argument, type Command, Option } from 'commander';
import { addExample } from '../command-options.js';
import type { CompletedShell } from '../completion.js';
import type { Console } from '../context.js';
import { collect, parseCount } from '../parse-options.js';
import type { InitFlags } from '../run-init.js';
import type { TryFlags } from '../run-try.js';

export function addInit(program: Command, console: Console): void {
  const command = addExample(program.command('init'), 'talent-sync init --sample drop/hr/employees-2026-06-15.csv')
    .description('write a configuration to start from, with the columns of sample files or of an HR system')
    .addOption(
      new Option('--sample <file>', 'an export of people, or from the CRM: CSV, JSON or NDJSON; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--source <preset>', 'an HR system or directory that is asked for its people, such as personio')
    .option(
      '--secret <part=place>',
      'a part of its login: client_id=env:NAME or key=file:PATH; may be repeated',
      collect,
    )
    .option('--base-url <address>', 'its address, where each customer has one of its own')
    .option('--people <file>', 'the sample that has the people, if init does not find it')
    .option('--customers <file>', 'the sample that has the customers')
    .option('--projects <file>', 'the sample that has the projects')
    .option('--column <name=header>', 'the column of a field, such as email=Kontakt; may be repeated', collect)
    .option(
      '--country <code>',
      'country of everybody, such as de, or of a name in the file: Tyskland=de; may be repeated',
      collect,
    )
    .option('--language <code>', 'language of titles and names, such as de')
    .option('--office <place>', 'the office of everybody, such as no/Oslo')
    .option('--dates <order>', 'what comes first in dates such as 03/04/2026: day or month')
    .option('--left <words>', 'words of the status for people who have left, separated by commas', collect)
    .option(
      '--service <address>',
      'address of the talent service; the account is read if the key is set',
      'https://acme.example.com',
    )
    .option('--out <file>', 'the file to write', 'talent-sync.yaml')
    .option('--force', 'overwrite an existing file')
    .option('--yes', 'ask nothing: doubtful lines stay comments, and new people wait')
    .option('--json', 'machine output alone on stdout')
    .action(async (flags: InitFlags) => (await import('../run-init.js')).runInit(console, flags));
  const refuse = (file: string): never =>
    command.error(`error: \`init\` writes a new configuration: name it with --out ${file}`);
  command.addOption(new Option('-c, --config <file>').argParser(refuse).hideHelp());
}

export function addTry(program: Command, console: Console): void {
  const example = `talent-sync try 'record["Company name"].trim()' --sample companies.csv --row 3`;
  addExample(program.command('try [expression]'), example)
    .description('show what an expression yields for rows of a file or source; without one, for each line typed')
    .option('-c, --config <file>', "the tenant's configuration", 'talent-sync.yaml')
    .option('--sample <file>', 'rows of that file; without it those that the source has now')
    .option('--source <name>', 'the source, as hr or crm.deals; the one that has the people without it')
    .option('--row <n>', 'the nth row alone', parseCount)
    .option('--key <key>', 'the row of that key alone')
    .option('--json', 'machine output alone on stdout')
    .action(async (expression: string | undefined, flags: TryFlags) =>
      (await import('../run-try.js')).runTry(console, {
        ...flags,
        ...(expression === undefined ? {} : { expression }),
      }),
    );
}

export function addShellCompletion(program: Command, console: Console): void {
  addExample(program.command('completion'), 'talent-sync completion bash > /etc/bash_completion.d/talent-sync')
    .description('what a shell reads to complete commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: CompletedShell) => {
      const { buildCompletion } = await import('../completion.js');
      const { print } = await import('../print.js');
      await print(console.stdout, buildCompletion(program, shell));
      console.setExitCode(0);
    });
}
