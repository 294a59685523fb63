import { type Command, Option } from 'commander';
import { configured, locking } from './command-options.js';
import type { Console } from './context.js';
import { parseCount } from './parse-options.js';
import type { AuditFlags, ExportFlags, VerifyFlags } from './run-audit.js';
import type { EraseFlags } from './run-audit-erase.js';

/** The log, as commands. */
export function addAudit(program: Command, console: Console): void {
  const audit = program.command('audit').description('the log of every change');
  configured(audit.command('list'), 'talent-sync audit list --who user:jane@example.com --since 30d')
    .description('every entry with its request ids, oldest first')
    .option('--run <run>', 'entries of one run')
    .option('--who <object>', 'entries about one object, as user:jane@example.com or jane@example.com')
    .option('--since <time>', 'from then on: 2026-11-20, 2026-11-20T08:00:00Z, or 7d ago')
    .option('--last <n>', 'the newest n entries', parseCount)
    .action(async (flags: AuditFlags) => (await import('./run-audit.js')).runAuditList(console, flags));
  configured(audit.command('show <entry>'), 'talent-sync audit show 384')
    .description('all that an entry tells: by its number, or those of a run or a change by its id')
    .action(async (what: string, flags) => (await import('./run-audit.js')).runAuditShow(console, what, flags));
  configured(audit.command('export'), 'talent-sync audit export --from 2026-11-01 --out audit.jsonl')
    .description('the log as a stream, one entry a line')
    .addOption(
      new Option('--format <format>', 'one JSON document a line, or a table')
        .choices(['jsonl', 'csv'])
        .default('jsonl'),
    )
    .option('--from <time>', 'from then on: 2026-11-20, 2026-11-20T08:00:00Z, or 7d ago')
    .option('--to <time>', 'before then')
    .option('--run <run>', 'entries of one run')
    .option('--out <file>', 'a file that is not there yet; stdout without it')
    .action(async (flags: ExportFlags) => (await import('./run-audit.js')).runAuditExport(console, flags));
  configured(audit.command('verify'), 'talent-sync audit verify --head 9f8c2b41d07a')
    .description('walk the hash chain')
    .option('--head <hash>', 'a head noted earlier, which must still be in it')
    .action(async (flags: VerifyFlags) => (await import('./run-audit.js')).runAuditVerify(console, flags));
  locking(
    audit.command('erase <person>'),
    'talent-sync audit erase jane@example.com --reason "erasure request 4711" --yes',
  )
    .description('take a person out of everything that is kept; only tells what, without --yes')
    .requiredOption('--reason <text>', 'why, for the audit; names a case, not the person')
    .option('--yes', 'erase; without it nothing is changed')
    .action(async (person: string, flags: EraseFlags) =>
      (await import('./run-audit-erase.js')).runAuditErase(console, person, flags),
    );
}
