import { Argument, Command, Option } from 'commander';
import { VERSION } from '../version.js';
import { addExample, type CommandMaker, createCommandMaker } from './command-options.js';
import type { CompletedShell } from './completion.js';
import type { Console } from './context.js';
import type { DemoFlags } from './demo.js';
import {
  collect,
  parseCompletedCodes,
  parseCount,
  parseCountries,
  parseFormat,
  parseLanguage,
  parseNumber,
  parsePort,
  parseRate,
  parseReport,
  parseTime,
} from './parse-options.js';
import type { SampleFlags } from './run-check-sample.js';
import type { DaemonFlags } from './run-daemon.js';
import type { InitFlags } from './run-init.js';
import type { TryFlags } from './run-try.js';
import type { SandboxFlags } from './sandbox.js';
import type { SeedFlags } from './sandbox-seed.js';

const DEFAULT_COUNTRIES = ['no', 'se', 'de'];

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
  const commands = createCommandMaker(program, console);
  const describe = (group: string, description: string): Command => program.command(group).description(description);
  addInit(program, console);
  addTry(program, console);
  addPlanning(commands, console);
  addApplying(commands);
  addDaemon(program, console);
  addLooking(commands);
  addHolds(createCommandMaker(describe('holds', 'what is set aside, and what a person may decide'), console));
  addLinks(commands);
  addNotify(createCommandMaker(describe('notify', 'messages about what needs a person'), console));
  addMirror(createCommandMaker(describe('mirror', 'the local copy of what the service holds'), console));
  addAudit(createCommandMaker(describe('audit', 'the log of every change'), console));
  addState(
    createCommandMaker(describe('state', 'what the worker remembers: links, journal, audit, approvals'), console),
  );
  addExport(createCommandMaker(describe('export', 'what is known, in a file for other programs and people'), console));
  addSandbox(program, console);
  addDemo(program, console);
  addShellCompletion(program, console);
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

const REPORT = 'write a report too: a file ending in .html, .md or .csv, or a format; may be repeated';

function addInit(program: Command, console: Console): void {
  addExample(program.command('init'), 'talent-sync init --sample drop/hr/employees-2026-06-15.csv')
    .description('write a configuration to start from, with the columns of sample files')
    .option('--sample <file>', 'an export of people, or of the CRM: CSV, JSON or NDJSON; may be repeated', collect, [])
    .option('--people <file>', 'the sample that has the people, where that cannot be told')
    .option('--customers <file>', 'the one that has the customers')
    .option('--projects <file>', 'the one that has the projects')
    .option('--column <name=header>', 'what a column means, as email=Kontakt; may be repeated', collect)
    .option(
      '--country <code>',
      'country of all, as de, or of a name in the file, as Tyskland=de; may be repeated',
      collect,
    )
    .option('--language <code>', 'language of titles and names, as de')
    .option('--left <words>', 'words of the status that say that somebody has left, with commas', collect)
    .option(
      '--service <address>',
      'address of the talent service; asked for its offices where the key is set',
      'https://acme.example.com',
    )
    .option('--out <file>', 'where to write it', 'talent-sync.yaml')
    .option('--force', 'write over a file that is there')
    .option('--yes', 'ask nothing, and take every guess')
    .option('--json', 'machine output alone on stdout')
    .action(async (flags: InitFlags) => (await import('./run-init.js')).runInit(console, flags));
}

function addTry(program: Command, console: Console): void {
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
      (await import('./run-try.js')).runTry(console, { ...flags, ...(expression === undefined ? {} : { expression }) }),
    );
}

function addPlanning({ configured, locking }: CommandMaker, console: Console): void {
  locking('check', 'talent-sync check --config acme.yaml')
    .description('prove configuration, sources, key and rights, as far as reading can')
    .option('--sample <file>', 'check that file alone, as a source would read it; asks nothing of the service')
    .option('--source <name>', 'the source of the sample, as hr or crm.deals; by its pattern without it')
    .action(async (flags: SampleFlags) => (await import('./run-check.js')).runCheck(console, flags));
  const plan = 'talent-sync plan --config acme.yaml --only user:jane@example.com';
  locking('plan', plan, async () => (await import('./run-plan.js')).runPlan)
    .description('derive and save what would be done; sends reads only')
    .option('--only <object>', 'plan one object and what it needs, as user:jane@example.com')
    .option('--as-of <date>', 'the day that expressions see as today, as 2026-11-20')
    .option('--full', 'read the whole account again, whether it is due or not')
    .option('--all', 'print every change, not the first few of each kind')
    .option('--detailed-exitcode', 'exit with 2 when the plan has changes')
    .option('--report <file>', REPORT, parseReport);
  const approve = 'talent-sync approve --guard users.deactivate --reason "site closed, ticket 4711"';
  configured('approve [plan]', approve, async () => (await import('./run-approve.js')).runApprove)
    .description('let what a guard holds pass; without a plan, of the newest one')
    .option('--guard <guard>', 'all that this guard holds, as users.deactivate')
    .option('--action <action>', 'all of this action, as users.deactivate')
    .option('--who <object>', 'one object, as user:jane@example.com')
    .option('--reason <text>', 'why, for the audit')
    .option('--expires <time>', 'how long it holds, as 2h; `plan.expires` without it', parseTime)
    .option('--list', 'the approvals that are in force')
    .option('--revoke <approval>', 'take one back, by its id');
}

function addApplying({ locking }: CommandMaker): void {
  const apply = locking(
    'apply [plan]',
    'talent-sync apply p20261120T131500Z-1f3a9c',
    async () => (await import('./run-apply.js')).runApply,
  ).description('carry out a saved plan, as far as it is still derived; without a plan, the newest one');
  const sync = locking(
    'sync',
    'talent-sync sync --config acme.yaml --json',
    async () => (await import('./run-apply.js')).runSync,
  ).description('plan and apply in one run');
  for (const command of [apply, sync]) {
    addCompletion(
      command
        .option('--only <object>', 'one object and what it needs')
        .option('--as-of <date>', 'the day that expressions see as today')
        .option('--full', 'read the whole account again')
        .option('--ignore-quiet-hours', 'write also within `quiet_hours`'),
    ).option('--report <file>', REPORT, parseReport);
  }
  const undo = 'talent-sync undo r20261120T131500123Z-1f3a9c --plan';
  addCompletion(
    locking('undo [run]', undo, async () => (await import('./run-undo.js')).runUndo)
      .description('take back what a run did, as far as nobody has moved it since')
      .option('--only <object>', 'what the run did to one object, as user:jane@example.com')
      .option('--plan', 'save the plan and send nothing; `apply` carries it out')
      .option('--reason <text>', 'why, for the audit')
      .option('--full', 'read the whole account again')
      .option('--all', 'print every change, not the first few of each kind')
      .option('--unpin <object>', 'let what was undone of an object be done again by the next run'),
  );
}

function addShellCompletion(program: Command, console: Console): void {
  addExample(program.command('completion'), 'talent-sync completion bash > /etc/bash_completion.d/talent-sync')
    .description('what a shell reads to complete commands and options')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: CompletedShell) => {
      const { buildCompletion } = await import('./completion.js');
      const { print } = await import('./print.js');
      await print(console.stdout, buildCompletion(program, shell));
      console.setExitCode(0);
    });
}

function addCompletion(command: Command): Command {
  const meaning = 'exit codes that count as completed and become 0, as 3,4';
  return command.option('--complete-on <codes>', meaning, parseCompletedCodes);
}

function addLinks({ locking }: CommandMaker): void {
  const link = 'talent-sync link users N100 5f0c1a9e2b7d4c3a --reason "hired again"';
  locking('link <entity> <key> <id>', link, async () => (await import('./run-link.js')).runLink)
    .description('let the record of a key stand for an object of the service')
    .option('--reason <text>', 'why, for the audit');
  const unlink = 'talent-sync unlink users N100';
  locking('unlink <entity> <key>', unlink, async () => (await import('./run-link.js')).runUnlink)
    .description('take the link of a key off; it is not matched again by itself')
    .option('--reason <text>', 'why, for the audit');
}

function addLooking({ configured, locking }: CommandMaker): void {
  const explain = 'talent-sync explain user jane@example.com';
  locking('explain <kind> <who>', explain, async () => (await import('./run-explain.js')).runExplain)
    .description('the whole path of one person, customer or project; writes nothing')
    .option('--as-of <date>', 'the day that expressions see as today');
  const status = 'talent-sync status --json';
  configured('status', status, async () => (await import('./run-status.js')).runStatus).description(
    'last runs, what waits, and how fresh everything is',
  );
  configured('runs [run]', 'talent-sync runs --last 50', async () => (await import('./run-runs.js')).runRuns)
    .description('the last runs, or the whole document that one of them ended with')
    .option('--last <n>', 'the newest n runs', parseCount, 20);
}

function addMirror({ configured, locking }: CommandMaker): void {
  const refresh = 'talent-sync mirror refresh --full';
  locking('refresh', refresh, async () => (await import('./run-mirror.js')).runMirrorRefresh)
    .description('bring it up to date')
    .option('--full', 'read the whole account again');
  const status = 'talent-sync mirror status';
  configured('status', status, async () => (await import('./run-mirror.js')).runMirrorStatus).description(
    'what it holds, without asking the service',
  );
}

function addHolds({ configured }: CommandMaker): void {
  const list = 'talent-sync holds list --json';
  configured('list', list, async () => (await import('./run-holds.js')).runHoldsList)
    .description('what waits: guards, holds, conflicts, refusals, sources; each cause once, with ids')
    .option('--all', 'every hold by itself, not each cause once');
  const show = 'talent-sync holds show 3f9c2b41d07a';
  configured('show <id>', show, async () => (await import('./run-holds.js')).runHoldsShow).description(
    'one of them: where, why, what to do',
  );
  const resolve = 'talent-sync holds resolve 3f9c2b41d07a --take service --reason "asked her"';
  configured('resolve <id>', resolve, async () => (await import('./run-holds.js')).runHoldsResolve)
    .description('say which side of a conflict is right, or that a held record is the one it looks like')
    .option('--take <side>', 'source or service')
    .option('--relink', 'they are the same: link the record to the object')
    .option('--reason <text>', 'why, for the audit');
  const ack = 'talent-sync holds ack 3f9c2b41d07a --reason "agreed with sales" --until 30d';
  configured('ack <id>', ack, async () => (await import('./run-ack.js')).runHoldsAck)
    .description('leave one as it is: it is still listed, and no longer makes a run end with 4')
    .option('--reason <text>', 'why, for the audit')
    .option('--until <time>', 'a day, a time, or how long as 30d; without it until something else is held')
    .option('--revoke', 'take the acknowledgement back');
}

function addNotify({ configured }: CommandMaker): void {
  const test = 'talent-sync notify test --channel ops';
  configured('test', test, async () => (await import('./run-notify.js')).runNotifyTest)
    .description('send a test message to each channel, and show what was answered')
    .option('--channel <name>', 'to that one alone');
  const list = 'talent-sync notify list --json';
  configured('list', list, async () => (await import('./run-notify.js')).runNotifyList).description(
    'what goes on, what waits in the outbox of each channel, and what failed',
  );
}

function addDaemon(program: Command, console: Console): void {
  addExample(program.command('daemon'), 'talent-sync daemon --config ./tenants --host 0.0.0.0 --port 8080')
    .description('stay, and run every tenant by its own schedule')
    .option('-c, --config <path>', "the tenant's configuration, or a folder of one file per tenant", 'talent-sync.yaml')
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
    .action(async (flags: DaemonFlags) => {
      // A reload asked for so early asks for nothing: every file is yet to be read. Unheard, it would end the process.
      process.on('SIGHUP', () => undefined);
      // Before all else is loaded: as process 1 of a container, a signal that nobody listens for is lost.
      const stop = (await import('./stop-signal.js')).listenForStop(console);
      await (await import('./run-daemon.js')).runDaemon(console, flags, stop);
    });
}

function addAudit({ configured, locking }: CommandMaker): void {
  const list = 'talent-sync audit list --who user:jane@example.com --since 30d';
  configured('list', list, async () => (await import('./run-audit.js')).runAuditList)
    .description('every entry with its request ids, oldest first')
    .option('--run <run>', 'entries of one run')
    .option('--who <object>', 'entries about one object, as user:jane@example.com or jane@example.com')
    .option('--since <time>', 'from then on: 2026-11-20, 2026-11-20T08:00:00Z, or 7d ago')
    .option('--last <n>', 'the newest n entries', parseCount);
  configured(
    'show <entry>',
    'talent-sync audit show 384',
    async () => (await import('./run-audit.js')).runAuditShow,
  ).description('all details of an entry, by its number, or of all entries of a run or change, by its id');
  const toFile = 'talent-sync audit export --from 2026-11-01 --out audit.jsonl';
  const formats = ['jsonl', 'csv'] as const;
  configured('export', toFile, async () => (await import('./run-audit.js')).runAuditExport)
    .description('the log as a stream, one entry per line')
    .addOption(
      new Option('--format <format>', 'one JSON document a line, or a table').choices(formats).default('jsonl'),
    )
    .option('--from <time>', 'from then on: 2026-11-20, 2026-11-20T08:00:00Z, or 7d ago')
    .option('--to <time>', 'before then')
    .option('--run <run>', 'entries of one run')
    .option('--out <file>', 'a file that is not there yet; stdout without it');
  const verify = 'talent-sync audit verify --head 9f8c2b41d07a';
  configured('verify', verify, async () => (await import('./run-audit.js')).runAuditVerify)
    .description('walk the hash chain')
    .option('--head <hash>', 'a head noted earlier, which must still be in it');
  const erase = 'talent-sync audit erase jane@example.com --reason "erasure request 4711" --yes';
  locking('erase <person>', erase, async () => (await import('./run-audit-erase.js')).runAuditErase)
    .description('remove a person from everything that is stored; without --yes only shows what would go')
    .requiredOption('--reason <text>', 'why, for the audit; names a case, not the person')
    .option('--yes', 'erase; without it nothing is changed');
}

function addState({ configured, locking }: CommandMaker): void {
  const backup = 'talent-sync state backup /backup/acme.db';
  configured('backup [file]', backup, async () => (await import('./run-state.js')).runStateBackup).description(
    'copy it in one consistent piece, also during a run; into its own folder without a file',
  );
  const restore = 'talent-sync state restore /backup/acme.db';
  locking('restore <file>', restore, async () => (await import('./run-state.js')).runStateRestore).description(
    'put a backup in its place; what is there now is kept beside',
  );
}

function addExport({ configured, locking }: CommandMaker): void {
  const report = 'talent-sync export report run --format html --out run.html';
  configured('report [kind] [id]', report, async () => (await import('./run-export-report.js')).runExportReport)
    .description('a plan or a run as a page, for a ticket, or for a spreadsheet; the newest one without an id')
    .option('--format <format>', 'html, md or csv; without it, that of the ending of --out', parseFormat)
    .option('--out <file>', 'where to; `reports/` in the state folder by default, - for stdout')
    .option('--bom', 'begin a CSV with the mark by which Excel knows UTF-8')
    .option('--plain', 'a CSV for programs: every cell as it is, also what a spreadsheet would run');
  const delivery = 'talent-sync export delivery skills';
  locking(
    'delivery <report>',
    delivery,
    async () => (await import('./run-export-delivery.js')).runExportDelivery,
  ).description('run one of the `reports:` now, and deliver it to its place');
  const people = 'talent-sync export csv-import --out people.csv --separator ";"';
  locking('csv-import', people, async () => (await import('./run-export-import.js')).runExportImport)
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
    .option('--full', 'read the whole account again');
}

function addSandbox(program: Command, console: Console): void {
  const sandbox = addExample(
    program.command('sandbox'),
    'talent-sync sandbox --fixture account.json --port 8080 --rate 10/1',
  )
    .description('run the talent service in one process, for demos, tests and integrators without an account')
    .option('--port <number>', 'port to listen on; 0 takes any free one', parsePort, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--fixture <file>', 'JSON file with what the account holds at first')
    .option('--state <file>', 'SQLite file that keeps the account; without it everything is in memory')
    .option('--clock <time>', "ISO 8601 time from which the account's clock runs")
    .option('--rate <n/s>', 'rate limit: so many requests per so many seconds, like 10/1', parseRate)
    .option('--import-dir <folder>', 'folder whose CSV files are imported, as if they had come by SFTP')
    .option('--control-key <key>', 'key of the control API; a random one without it')
    .action(async (flags: SandboxFlags) => (await import('./sandbox.js')).runSandbox(console, flags));
  addSeed(sandbox, console);
}

function addSeed(sandbox: Command, console: Console): void {
  addExample(sandbox.command('seed'), 'talent-sync sandbox seed --users 200 --countries no,se,de --dir ./company')
    .description('make up a company: the same one for the same options, as a fixture, or as a folder to plan in')
    .option('--users <number>', 'people', parseNumber, 200)
    .option('--customers <number>', 'customers', parseNumber, 40)
    .option('--projects <number>', 'reference projects', parseNumber, 120)
    .option('--proposals <number>', 'proposals; one for every ten projects by default', parseNumber)
    .option(
      '--countries <codes>',
      'where it has offices; the first has the most people',
      parseCountries,
      DEFAULT_COUNTRIES,
    )
    .option('--seed <number>', 'another one makes another company', parseNumber, 1)
    .addOption(new Option('--cvs <how>', 'what CVs hold').choices(['full', 'short', 'none']).default('full'))
    .option('--images', 'give each person a picture', false)
    .option('--out <file>', 'the fixture, - for stdout', '-')
    .option('--dir <folder>', 'a new folder instead: the fixture, files of HR and the CRM, and a configuration')
    .action(async (flags: SeedFlags) => (await import('./sandbox-seed.js')).runSandboxSeed(console, flags));
}

function addDemo(program: Command, console: Console): void {
  addExample(program.command('demo'), 'talent-sync demo --dir ./demo')
    .description('run the whole story on a made-up consultancy, against the embedded sandbox')
    .option('--dir <folder>', 'where to put it; a new temporary folder by default')
    .option('--stay', 'go on after the story, with the account in a browser and commands to try, until Ctrl-C')
    .option('--serve <folder>', 'start the services of a demo that has ended again, until Ctrl-C')
    .action(async (flags: DemoFlags) => (await import('./demo.js')).runDemo(console, flags, buildProgram));
}
