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
    .option('--source <preset>', 'an HR system or directory to read people from, such as personio')
    .option(
      '--secret <part=place>',
      'a part of its login: client_id=env:NAME or key=file:PATH; may be repeated',
      collect,
    )
    .option('--base-url <address>', 'its address, if each customer has its own')
    .option('--people <file>', 'the sample that has the people, if init does not find it')
    .option('--customers <file>', 'the sample that has the customers')
    .option('--projects <file>', 'the sample that has the projects')
    .option('--column <name=header>', 'the column of a field, such as email=Kontakt; may be repeated', collect)
    .option(
      '--country <code>',
      "everyone's country, such as de, or the code for a name in the file: Tyskland=de; may be repeated",
      collect,
    )
    .option('--language <code>', 'language of titles and names, such as de')
    .option('--office <place>', "everyone's office, such as no/Oslo")
    .option('--dates <order>', 'the first part of dates such as 03/04/2026: day or month')
    .option('--left <words>', 'words of the status for people who have left, separated by commas', collect)
    .option(
      '--update <fields>',
      'fields to overwrite although a few people have other values: name, email, title, telephone',
      collect,
    )
    .option(
      '--service <address>',
      'address of the talent service; the account is read if the key is set',
      'https://acme.example.com',
    )
    .option('--out <file>', 'the file to write', 'talent-sync.yaml')
    .option('--force', 'overwrite an existing file')
    .option('--yes', 'ask nothing: doubtful lines stay comments, and new people wait')
    .option('--json', 'print one JSON document on stdout')
    .action(async (flags: InitFlags) => (await import('../run-init.js')).runInit(console, flags));
  const refuse = (file: string): never =>
    command.error(`error: \`init\` writes a new configuration: name it with --out ${file}`);
  command.addOption(new Option('-c, --config <file>').argParser(refuse).hideHelp());
}

export function addTry(program: Command, console: Console): void {
  const example = `talent-sync try 'record["Company name"].trim()' --sample companies.csv --row 3`;
  addExample(program.command('try [expression]'), example)
    .description('show the result of an expression for rows of a file or source, or for each typed line')
    .option('-c, --config <file>', "the tenant's configuration", 'talent-sync.yaml')
    .option('--sample <file>', 'rows of that file; without it, the current rows of the source')
    .option('--source <name>', 'the source, such as hr or crm.deals; without it, the one that has the people')
    .option('--row <n>', 'only the nth row', parseCount)
    .option('--key <key>', 'only the row with that key')
    .option('--json', 'print one JSON document on stdout')
    .action(async (expression: string | undefined, flags: TryFlags) =>
      (await import('../run-try.js')).runTry(console, {
        ...flags,
        ...(expression === undefined ? {} : { expression }),
      }),
    );
}

export function addShellCompletion(program: Command, console: Console): void {
  addExample(program.command('completion'), 'talent-sync completion bash > /etc/bash_completion.d/talent-sync')
    .description('print the script with which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: CompletedShell) => {
      const { buildCompletion } = await import('../completion.js');
      const { print } = await import('../print.js');
      await print(console.stdout, buildCompletion(program, shell));
      console.setExitCode(0);
    });
}
