import { type Command, Option } from 'commander';
import { ACTIONS } from '../../model/entity.js';
import { ENTRY_KINDS } from '../../store/audit/entry-kinds.js';
import type { CommandMaker } from '../command-options.js';
import { parseCount, parseFormat, parseLanguage } from '../parse-options.js';

export function addAudit({ asking, configured, locking }: CommandMaker): void {
  const list = 'talent-sync audit list --who user:jane@example.com --since 30d';
  const listing = asking('list', list, async () => (await import('../run-audit.js')).runAuditList).description(
    'list every entry with its request ids, oldest first',
  );
  addChoices(listing)
    .option('--since <time>', 'from then on: 2026-11-20, 2026-11-20T08:00:00Z, or how long ago, such as 7d')
    .option('--to <time>', 'before then')
    .option('--last <n>', 'the newest n entries', parseCount)
    .option('--counts', 'also count changes by entity and action, and other entries');
  asking(
    'show <entry>',
    'talent-sync audit show 384',
    async () => (await import('../run-audit.js')).runAuditShow,
  ).description('show all details of an entry, by its number, or of all entries of a run or change, by its id');
  const toFile = 'talent-sync audit export --from 2026-11-01 --out audit.jsonl';
  const formats = ['jsonl', 'csv'] as const;
  const exporting = configured('export', toFile, async () => (await import('../run-audit.js')).runAuditExport);
  addChoices(exporting.description('stream the log, one entry per line'))
    .addOption(
      new Option('--format <format>', 'one JSON document per line, or a table').choices(formats).default('jsonl'),
    )
    .option('--from <time>', 'from then on: 2026-11-20, 2026-11-20T08:00:00Z, or how long ago, such as 7d')
    .option('--to <time>', 'before then')
    .option('--out <file>', 'a new file; by default stdout');
  const verify = 'talent-sync audit verify --head 9f8c2b41d07a';
  asking('verify', verify, async () => (await import('../run-audit.js')).runAuditVerify)
    .description('verify that the audit log is intact')
    .option('--head <hash>', 'a head noted earlier, which must still be in the chain');
  const erase = 'talent-sync audit erase jane@example.com --reason "erasure request 4711" --yes';
  locking('erase <person>', erase, async () => (await import('../run-audit-erase.js')).runAuditErase, 'hold all')
    .description('erase a person from all stored data; without --yes, only show what it would erase')
    .requiredOption('--reason <text>', 'why, for the audit log; name a case, not the person')
    .option('--yes', 'erase; otherwise nothing is changed');
}

/** Options that filter the entries to list or export. */
function addChoices(command: Command): Command {
  return command
    .option('--run <run>', 'entries of one run')
    .option('--who <object>', 'entries about one object: user:jane@example.com, jane@example.com or "Jane Doe"')
    .option('--by <name>', 'entries that this person decided, started or approved')
    .addOption(new Option('--kind <kind>', 'entries of one kind').choices(ENTRY_KINDS))
    .option('--entity <entity>', 'entries about one kind of object, such as users or projects')
    .addOption(new Option('--action <action>', 'changes of one kind').choices(ACTIONS))
    .option('--field <field>', 'changes of one field, such as title');
}

export function addState({ configured, locking }: CommandMaker): void {
  const backup = 'talent-sync state backup /backup/acme.db';
  configured('backup [file]', backup, async () => (await import('../run-state.js')).runStateBackup).description(
    'write a consistent backup of the state, even during a run; by default into backups/ of the state folder',
  );
  const restore = 'talent-sync state restore /backup/acme.db';
  locking('restore <file>', restore, async () => (await import('../run-state.js')).runStateRestore).description(
    'replace the state with a backup; the current state is kept in backups/',
  );
  const push = 'talent-sync state push --config tenants/acme.yaml';
  locking('push', push, async () => (await import('../run-state-remote.js')).runStatePush, 'by itself').description(
    'move the state to the PostgreSQL of daemon.yaml, where any daemon can work with it',
  );
  const pull = 'talent-sync state pull --config tenants/acme.yaml';
  locking('pull', pull, async () => (await import('../run-state-remote.js')).runStatePull, 'by itself').description(
    'move the state from PostgreSQL back to the folder of its configuration',
  );
  const move = 'talent-sync state move --to https://acme.example.com';
  locking('move', move, async () => (await import('../run-state-move.js')).runStateMove)
    .description(
      'move the state to another host name of the same account: look up linked people there, and keep links, approvals and the audit log',
    )
    .requiredOption('--to <url>', 'the new address of the account');
}

export function addExport({ configured, locking }: CommandMaker): void {
  const report = 'talent-sync export report run --format html --out run.html';
  configured('report [kind] [id]', report, async () => (await import('../run-export-report.js')).runExportReport)
    .description('write a plan or a run as a page, for a ticket or for a spreadsheet; by default the newest one')
    .option('--format <format>', 'html, md or csv; by default, the extension of --out decides', parseFormat)
    .option('--out <file>', 'the file to write; by default in `reports/` of the state folder, - for stdout')
    .option('--bom', 'add a byte order mark to a CSV, so that Excel recognises UTF-8')
    .option('--plain', 'a CSV for programs: every cell unchanged, also formulas that a spreadsheet would run');
  const delivery = 'talent-sync export delivery skills';
  locking(
    'delivery <report>',
    delivery,
    async () => (await import('../run-export-delivery.js')).runExportDelivery,
  ).description('run one of the `deliveries:` now; its schedule stays the same');
  const people = 'talent-sync export csv-import --out people.csv --separator ";"';
  locking('csv-import', people, async () => (await import('../run-export-import.js')).runExportImport)
    .description("write the people as the service's own import file, and list the missing data; sends only reads")
    .option('--out <file>', 'the file to write; by default stdout')
    .addOption(new Option('--separator <character>', 'column separator').choices([',', ';']))
    .addOption(
      new Option(
        '--language <code>',
        "language of title and nationality, such as en; native for that of the person's country",
      ).argParser(parseLanguage),
    )
    .addOption(
      new Option(
        '--formulas <how>',
        'cells that begin like a formula: guard (put an apostrophe before them, for people), or write (leave them unchanged, for an upload)',
      ).choices(['guard', 'write']),
    )
    .option('--as-of <date>', 'the day that expressions see as today')
    .option('--full', 'read the entire account again');
}
