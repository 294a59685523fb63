import { Command, Option } from 'commander';
import { VERSION } from '../version.js';
import { addAudit } from './audit-commands.js';
import { configured, locking } from './command-options.js';
import type { Console } from './context.js';
import type { DemoFlags } from './demo.js';
import {
  collect,
  parseCompletedCodes,
  parseCount,
  parseFormat,
  parseLanguage,
  parsePort,
  parseReport,
  parseTime,
} from './parse-options.js';
import type { AckFlags } from './run-ack.js';
import type { ApplyFlags } from './run-apply.js';
import type { ApproveFlags } from './run-approve.js';
import type { CheckFlags } from './run-check.js';
import type { DaemonFlags } from './run-daemon.js';
import type { ExplainFlags } from './run-explain.js';
import type { PeopleExportFlags } from './run-export-import.js';
import type { ExportReportFlags } from './run-export-report.js';
import type { ResolveFlags } from './run-holds.js';
import type { InitFlags } from './run-init.js';
import type { LinkFlags } from './run-link.js';
import type { PlanFlags } from './run-plan.js';
import type { RunsFlags } from './run-runs.js';
import type { UndoFlags } from './run-undo.js';
import { sandboxCommand } from './sandbox.js';
import { listenForStop } from './stop-signal.js';

const EXIT_CODES = `
Exit codes, the first that applies:
  1  could not run: configuration, a source or the service
  4  some records failed or are held for their own fault, or a source is not whole
  3  changes wait for an approval, a conflict or the next run
  2  the plan has changes (plan --detailed-exitcode only)
  0  done
`;

/** Every command with its options and an example; what a command does is loaded when it is called. */
export function buildProgram(console: Console): Command {
  const program = new Command('talent-sync')
    .description('Keeps a talent service equal to what HR, the identity provider and the CRM say.')
    .version(VERSION)
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(--help shows the options and an example)');
  configureOutput(program, console);
  program.exitOverride((error) => {
    console.setExitCode(error.exitCode === 0 ? 0 : 1);
    throw error;
  });
  addInit(program, console);
  addPlanning(program, console);
  addApplying(program, console);
  addDaemon(program, console);
  addLooking(program, console);
  addAudit(program, console);
  addState(program, console);
  addExport(program, console);
  program.addCommand(configureOutput(sandboxCommand(console), console));
  program
    .command('demo')
    .description('run the whole story on a made-up consultancy, against the embedded sandbox')
    .option('--dir <folder>', 'where to put it; a new temporary folder by default')
    .option('--serve <folder>', 'start the services of a demo that has ended again, until Ctrl-C')
    .addHelpText('after', '\nExample:\n  talent-sync demo --dir ./demo\n')
    .action(async (flags: DemoFlags) => (await import('./demo.js')).runDemo(console, flags, buildProgram));
  return program;
}

/** Help, and what is wrong with a command line, which it quotes. */
function configureOutput(command: Command, { stdout, stderr }: Console): Command {
  return command.configureOutput({
    // Loaded when there is something to clean: help, which has to be there at once, holds nothing but our own words.
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void import('./print.js').then(({ print }) => print(stderr, text)),
  });
}

function addInit(program: Command, console: Console): void {
  program
    .command('init')
    .description('write a configuration to start from, with the columns of sample files')
    .option('--sample <file>', 'an export of people, or of the CRM: CSV, JSON or NDJSON; may be repeated', collect, [])
    .option('--service <address>', 'address of the talent service', 'https://acme.example.com')
    .option('--out <file>', 'where to write it', 'talent-sync.yaml')
    .option('--force', 'write over a file that is there')
    .option('--json', 'machine output alone on stdout')
    .addHelpText('after', '\nExample:\n  talent-sync init --sample drop/hr/employees-2026-06-15.csv\n')
    .action(async (flags: InitFlags) => (await import('./run-init.js')).runInit(console, flags));
}

function addPlanning(program: Command, console: Console): void {
  locking(program.command('check'), 'talent-sync check --config acme.yaml')
    .description('prove configuration, sources, key and rights, as far as reading can')
    .option('--sample <file>', 'check that file alone, as a source would read it; asks nothing of the service')
    .option('--source <name>', 'the source of the sample, as hr or crm.deals; by its pattern without it')
    .action(async (flags: CheckFlags) => (await import('./run-check.js')).runCheck(console, flags));
  locking(program.command('plan'), 'talent-sync plan --config acme.yaml --only user:jane@example.com')
    .description('derive and save what would be done; sends reads only')
    .option('--only <object>', 'plan one object and what it needs, as user:jane@example.com')
    .option('--as-of <date>', 'the day that expressions see as today, as 2026-11-20')
    .option('--full', 'read the whole account again, whether it is due or not')
    .option('--all', 'print every change, not the first few of each kind')
    .option('--detailed-exitcode', 'exit with 2 when the plan has changes')
    .option(
      '--report <file>',
      'write a report too: a file ending in .html, .md or .csv, or a format; may be repeated',
      parseReport,
    )
    .action(async (flags: PlanFlags) => (await import('./run-plan.js')).runPlan(console, flags));
  configured(
    program.command('approve [plan]'),
    'talent-sync approve --guard users.deactivate --reason "site closed, ticket 4711"',
  )
    .description('let what a guard holds pass; without a plan, of the newest one')
    .option('--guard <guard>', 'all that this guard holds, as users.deactivate')
    .option('--action <action>', 'all of this action, as users.deactivate')
    .option('--who <object>', 'one object, as user:jane@example.com')
    .option('--reason <text>', 'why, for the audit')
    .option('--expires <time>', 'how long it holds, as 2h; `plan.expires` without it', parseTime)
    .option('--list', 'the approvals that are in force')
    .option('--revoke <approval>', 'take one back, by its id')
    .action(async (plan: string | undefined, flags: ApproveFlags) =>
      (await import('./run-approve.js')).runApprove(console, plan, flags),
    );
}

function addApplying(program: Command, console: Console): void {
  locking(program.command('apply [plan]'), 'talent-sync apply p20261120T131500Z-1f3a9c')
    .description('carry out a saved plan, as far as it is still derived; without a plan, the newest one')
    .option('--only <object>', 'one object and what it needs')
    .option('--as-of <date>', 'the day that expressions see as today')
    .option('--full', 'read the whole account again')
    .option('--ignore-quiet-hours', 'write also within `quiet_hours`')
    .option('--complete-on <codes>', 'exit codes that count as completed and become 0, as 3,4', parseCompletedCodes)
    .option(
      '--report <file>',
      'write a report too: a file ending in .html, .md or .csv, or a format; may be repeated',
      parseReport,
    )
    .action(async (plan: string | undefined, flags: ApplyFlags) =>
      (await import('./run-apply.js')).runApply(console, plan, flags),
    );
  locking(program.command('sync'), 'talent-sync sync --config acme.yaml --json')
    .description('plan and apply in one run')
    .option('--only <object>', 'one object and what it needs')
    .option('--as-of <date>', 'the day that expressions see as today')
    .option('--full', 'read the whole account again')
    .option('--ignore-quiet-hours', 'write also within `quiet_hours`')
    .option('--complete-on <codes>', 'exit codes that count as completed and become 0, as 3,4', parseCompletedCodes)
    .option(
      '--report <file>',
      'write a report too: a file ending in .html, .md or .csv, or a format; may be repeated',
      parseReport,
    )
    .action(async (flags: ApplyFlags) => (await import('./run-apply.js')).runSync(console, flags));
  locking(program.command('undo [run]'), 'talent-sync undo r20261120T131500123Z-1f3a9c --plan')
    .description('take back what a run did, as far as nobody has moved it since')
    .option('--only <object>', 'what the run did to one object, as user:jane@example.com')
    .option('--plan', 'save the plan and send nothing; `apply` carries it out')
    .option('--reason <text>', 'why, for the audit')
    .option('--full', 'read the whole account again')
    .option('--all', 'print every change, not the first few of each kind')
    .option('--unpin <object>', 'let what was undone of an object be done again by the next run')
    .option('--complete-on <codes>', 'exit codes that count as completed and become 0, as 3,4', parseCompletedCodes)
    .action(async (run: string | undefined, flags: UndoFlags) =>
      (await import('./run-undo.js')).runUndo(console, run, flags),
    );
}

function addLinks(program: Command, console: Console): void {
  locking(
    program.command('link <entity> <key> <id>'),
    'talent-sync link users N100 5f0c1a9e2b7d4c3a --reason "hired again"',
  )
    .description('let the record of a key stand for an object of the service')
    .option('--reason <text>', 'why, for the audit')
    .action(async (entity: string, key: string, id: string, flags: LinkFlags) =>
      (await import('./run-link.js')).runLink(console, entity, key, id, flags),
    );
  locking(program.command('unlink <entity> <key>'), 'talent-sync unlink users N100')
    .description('take the link of a key off; it is not matched again by itself')
    .option('--reason <text>', 'why, for the audit')
    .action(async (entity: string, key: string, flags: LinkFlags) =>
      (await import('./run-link.js')).runUnlink(console, entity, key, flags),
    );
}

function addLooking(program: Command, console: Console): void {
  locking(program.command('explain <kind> <who>'), 'talent-sync explain user jane@example.com')
    .description('the whole path of one person, customer or project; writes nothing')
    .option('--as-of <date>', 'the day that expressions see as today')
    .action(async (kind: string, who: string, flags: ExplainFlags) =>
      (await import('./run-explain.js')).runExplain(console, kind, who, flags),
    );
  configured(program.command('status'), 'talent-sync status --json')
    .description('last runs, what waits, and how fresh everything is')
    .action(async (flags) => (await import('./run-status.js')).runStatus(console, flags));
  configured(program.command('runs [run]'), 'talent-sync runs --last 50')
    .description('the last runs, or the whole document that one of them ended with')
    .option('--last <n>', 'the newest n runs', parseCount, 20)
    .action(async (run: string | undefined, flags: RunsFlags) =>
      (await import('./run-runs.js')).runRuns(console, run, flags),
    );
  addHolds(program, console);
  addLinks(program, console);
  const mirror = program.command('mirror').description('the local copy of what the service holds');
  locking(mirror.command('refresh'), 'talent-sync mirror refresh --full')
    .description('bring it up to date')
    .option('--full', 'read the whole account again')
    .action(async (flags) => (await import('./run-mirror.js')).runMirrorRefresh(console, flags));
  configured(mirror.command('status'), 'talent-sync mirror status')
    .description('what it holds, without asking the service')
    .action(async (flags) => (await import('./run-mirror.js')).runMirrorStatus(console, flags));
}

function addHolds(program: Command, console: Console): void {
  const holds = program.command('holds').description('what is set aside, and what a person may decide');
  configured(holds.command('list'), 'talent-sync holds list --json')
    .description('all that the newest plan or run has set aside, with ids')
    .action(async (flags) => (await import('./run-holds.js')).runHoldsList(console, flags));
  configured(holds.command('show <id>'), 'talent-sync holds show 3f9c2b41d07a')
    .description('one of them: where, why, what to do')
    .action(async (id: string, flags) => (await import('./run-holds.js')).runHoldsShow(console, id, flags));
  configured(
    holds.command('resolve <id>'),
    'talent-sync holds resolve 3f9c2b41d07a --take service --reason "asked her"',
  )
    .description('say which side of a conflict is right, or that a held record is the one it looks like')
    .option('--take <side>', 'source or service')
    .option('--relink', 'they are the same: link the record to the object')
    .option('--reason <text>', 'why, for the audit')
    .action(async (id: string, flags: ResolveFlags) =>
      (await import('./run-holds.js')).runHoldsResolve(console, id, flags),
    );
  configured(holds.command('ack <id>'), 'talent-sync holds ack 3f9c2b41d07a --reason "agreed with sales" --until 30d')
    .description('leave one as it is: it is still listed, and no longer makes a run end with 4')
    .option('--reason <text>', 'why, for the audit')
    .option('--until <time>', 'a day, a time, or how long as 30d; without it until something else is held')
    .option('--revoke', 'take the acknowledgement back')
    .action(async (id: string, flags: AckFlags) => (await import('./run-ack.js')).runHoldsAck(console, id, flags));
}

function addDaemon(program: Command, console: Console): void {
  program
    .command('daemon')
    .description('stay, and run every tenant by its own schedule')
    .option('-c, --config <path>', "the tenant's configuration, or a folder of one file a tenant", 'talent-sync.yaml')
    .option('--host <address>', 'address of /livez, /readyz and /metrics', '127.0.0.1')
    .option('--port <number>', 'port of them; 0 takes any free one', parsePort, 8080)
    .addOption(
      new Option('--grace <time>', 'how long calls in flight may take to end after SIGTERM')
        .argParser(parseTime)
        .default(25_000, '25s'),
    )
    .option('--parallel <n>', 'tenants at work at the same time', parseCount, 4)
    .option('--wait', 'wait for a state that another process holds (the default)', true)
    .option('--no-wait', 'leave when another process holds a state at the start')
    .addHelpText('after', '\nExample:\n  talent-sync daemon --config ./tenants --host 0.0.0.0 --port 8080\n')
    .action(async (flags: DaemonFlags) => {
      // Before anything is loaded: as process 1 of a container, a signal that nobody listens for is lost.
      const stop = listenForStop(console);
      // A reload asked for so early asks for nothing: every file is yet to be read. Unheard, it would end the process.
      process.on('SIGHUP', () => undefined);
      await (await import('./run-daemon.js')).runDaemon(console, flags, stop);
    });
}

function addState(program: Command, console: Console): void {
  const state = program.command('state').description('what the worker remembers: links, journal, audit, approvals');
  configured(state.command('backup [file]'), 'talent-sync state backup /backup/acme.db')
    .description('copy it in one consistent piece, also during a run; into its own folder without a file')
    .action(async (file: string | undefined, flags) =>
      (await import('./run-state.js')).runStateBackup(console, file, flags),
    );
  locking(state.command('restore <file>'), 'talent-sync state restore /backup/acme.db')
    .description('put a backup in its place; what is there now is kept beside')
    .action(async (file: string, flags) => (await import('./run-state.js')).runStateRestore(console, file, flags));
}

function addExport(program: Command, console: Console): void {
  const exporting = program.command('export').description('what is known, in a file for other programs and people');
  configured(exporting.command('report [kind] [id]'), 'talent-sync export report run --format html --out run.html')
    .description('a plan or a run as a page, for a ticket, or for a spreadsheet; the newest one without an id')
    .option('--format <format>', 'html, md or csv; without it, that of the ending of --out', parseFormat)
    .option('--out <file>', 'where to; `reports/` in the state folder by default, - for stdout')
    .option('--bom', 'begin a CSV with the mark by which Excel knows UTF-8')
    .action(async (kind: string | undefined, id: string | undefined, flags: ExportReportFlags) =>
      (await import('./run-export-report.js')).runExportReport(console, kind, id, flags),
    );
  locking(exporting.command('delivery <report>'), 'talent-sync export delivery skills')
    .description('run one of the `reports:` now, and deliver it to its place')
    .action(async (report: string, flags) =>
      (await import('./run-export-delivery.js')).runExportDelivery(console, report, flags),
    );
  locking(exporting.command('csv-import'), 'talent-sync export csv-import --out people.csv --separator ";"')
    .description("the people as the service's own import file, and what that file cannot carry; sends reads only")
    .option('--out <file>', 'where to write it; stdout without it')
    .addOption(new Option('--separator <character>', 'column separator').choices([',', ';']))
    .addOption(
      new Option(
        '--language <code>',
        'language of title and nationality, as en; native for that of the country',
      ).argParser(parseLanguage),
    )
    .addOption(
      new Option(
        '--formulas <how>',
        'cells that begin like a formula: guard (an apostrophe before them, for people), or write (as they are, for an upload)',
      ).choices(['guard', 'write']),
    )
    .option('--as-of <date>', 'the day that expressions see as today')
    .option('--full', 'read the whole account again')
    .action(async (flags: PeopleExportFlags) =>
      (await import('./run-export-import.js')).runExportImport(console, flags),
    );
}
