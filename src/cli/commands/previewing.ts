import { type Command, Option } from 'commander';
import { addExample } from '../command-options.js';
import type { Console } from '../context.js';
import type { PreviewFlags } from '../run-preview.js';

export function addPreview(program: Command, console: Console): void {
  const example = 'talent-sync preview --daemon https://sync.example.com --tenant acme --config acme.yaml --markdown';
  addExample(program.command('preview'), example)
    .description(
      'compare the plan under an edited configuration with the current one; calls neither the sources nor the service',
    )
    .requiredOption('-c, --config <file>', 'the edited configuration')
    .option('--against <file>', 'the current configuration, next to the state', 'talent-sync.yaml')
    .option('--json', 'print one JSON document on stdout; logs go to stderr')
    .addOption(new Option('--markdown', 'print a comment for a pull request').conflicts('json'))
    .option('--values', 'list changes that only the edited configuration makes, with their values')
    .addOption(
      new Option(
        '--daemon <url>',
        'ask the daemon whose operator pages are at this address, with the token in TALENT_SYNC_TOKEN',
      ).conflicts('against'),
    )
    .option('--tenant <name>', 'the tenant of that daemon, if it has several')
    .action(async (flags: PreviewFlags) => (await import('../run-preview.js')).runPreview(console, flags));
  program
    .command('preview-apart', { hidden: true })
    .description('derive one preview in a process of its own')
    .action(async () => (await import('../run-preview-apart.js')).runPreviewApart(console));
}
