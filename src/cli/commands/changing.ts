import { type Command, Option } from 'commander';
import type { CommandMaker } from '../command-options.js';
import type { Console } from '../context.js';
import { parseCompletedCodes, parseReport, parseTime } from '../parse-options.js';
import type { CheckFlags } from '../run-check-sample.js';

const REPORT = 'also write a report: a file ending in .html, .md or .csv, or only the format; may be repeated';

export function addPlanning({ asking, locking, ordering }: CommandMaker, console: Console): void {
  locking('check', 'talent-sync check --config acme.yaml')
    .description(
      'verify the configuration, the sources, the API key and its permissions, and show how the sources are understood',
    )
    .option('--sample <file>', 'check only that file, as its source would read it; does not call the service')
    .option(
      '--source <name>',
      'the source of the sample, such as hr or crm.deals; without it, the one whose pattern matches',
    )
    .option('--quick', 'only connect: read neither the sources nor the people of the account')
    .action(async (flags: CheckFlags) => (await import('../run-check.js')).runCheck(console, flags));
  const plan = 'talent-sync plan --config acme.yaml --only user:jane@example.com';
  ordering('plan', plan, async () => (await import('../run-plan.js')).runPlan)
    .description('save the changes that a run would make; sends only reads')
    .option('--only <object>', 'plan only one object and everything it needs, such as user:jane@example.com')
    .option('--as-of <date>', 'the day that expressions see as today, such as 2026-11-20')
    .option('--full', 'read the entire account again, even if no complete read is due')
    .option('--all', 'print every change, not only the first few of each kind')
    .option('--detailed-exitcode', 'exit with 2 if the plan has changes')
    .addOption(duringPause(['daemon']))
    .option('--report <file>', REPORT, parseReport);
  const approve = 'talent-sync approve --guard users.deactivate --reason "site closed, ticket 4711"';
  asking('approve [plan]', approve, async () => (await import('../run-approve.js')).runApprove)
    .description('approve changes that a guard holds; by default those of the newest plan')
    .option('--guard <guard>', 'everything that this guard holds, such as users.deactivate')
    .option('--action <action>', 'all changes of this action, such as users.deactivate')
    .option('--who <object>', 'one object, such as user:jane@example.com')
    .option('--reason <text>', 'why, for the audit log')
    .option('--expires <time>', 'how long it is valid, such as 2h; by default `approvals.expires`', parseTime)
    .option('--list', 'list the valid approvals')
    .option('--revoke <approval>', 'revoke one by its id');
  const decline = 'talent-sync decline --who user:jane@example.com --until 2027-01-01 --reason "stays, ticket 4711"';
  asking('decline [plan]', decline, async () => (await import('../run-decline.js')).runDecline)
    .description('decline changes until the source value changes; by default those of the newest plan')
    .option('--guard <guard>', 'everything that this guard holds, such as users.deactivate')
    .option('--action <action>', 'all changes of this action, such as users.deactivate')
    .option('--who <object>', 'one object, such as user:jane@example.com')
    .option('--field <field>', 'only one field of an update, such as title or title.en')
    .option('--reason <text>', 'why, for the audit log')
    .option(
      '--until <date>',
      'the day or time when it ends, such as 2027-01-01; by default, when the source value changes',
    )
    .option('--list', 'list the valid declines, with their ids')
    .option('--revoke <decline>', 'revoke one by its id');
}

export function addPause({ asking }: CommandMaker): void {
  const pause = 'talent-sync pause --until 2026-12-04 --reason "payroll migration, ticket 4711"';
  asking('pause', pause, async () => (await import('../run-pause.js')).runPause)
    .description(
      'plan and write nothing until a given time; pushes are accepted, and decisions keep the time they have left',
    )
    .requiredOption('--until <date>', 'when it ends: 2026-12-04, or 2026-12-04T08:00 in the time zone of the tenant')
    .requiredOption('--reason <text>', 'why, for the audit log');
  const resume = 'talent-sync resume --reason "payroll is migrated"';
  asking('resume', resume, async () => (await import('../run-pause.js')).runResume)
    .description('end a pause early')
    .requiredOption('--reason <text>', 'why, for the audit log');
}

export function addApplying({ locking, ordering }: CommandMaker): void {
  const apply = locking(
    'apply [plan]',
    'talent-sync apply p20261120T131500Z-1f3a9c',
    async () => (await import('../run-apply.js')).runApply,
  ).description('carry out a saved plan, by default the newest; makes only the changes that the data still calls for');
  const sync = ordering(
    'sync',
    'talent-sync sync --config acme.yaml --json',
    async () => (await import('../run-apply.js')).runSync,
  ).description('plan and apply in one run');
  for (const command of [apply, sync]) {
    addCompletion(
      command
        .option('--only <object>', 'only one object and everything it needs')
        .option('--as-of <date>', 'the day that expressions see as today')
        .option('--full', 'read the entire account again')
        .option('--ignore-quiet-hours', 'also write within `quiet_hours`')
        .addOption(duringPause(command === sync ? ['daemon'] : [])),
    ).option('--report <file>', REPORT, parseReport);
  }
  const undo = 'talent-sync undo r20261120T131500123Z-1f3a9c --plan';
  addCompletion(
    ordering('undo [run]', undo, async () => (await import('../run-undo.js')).runUndo)
      .description('undo a run, except values that have changed since')
      .option('--only <object>', 'only the changes that the run made to one object, such as user:jane@example.com')
      .option('--plan', 'save the plan and send nothing; `apply` carries it out')
      .addOption(
        new Option('--yes', 'with --daemon: carry out the plan, instead of only showing it').conflicts(['plan']),
      )
      .option('--reason <text>', 'why, for the audit log')
      .option('--full', 'read the entire account again')
      .option('--all', 'print every change, not only the first few of each kind')
      .option('--unpin <object>', 'instead of a run: let the next run repeat the undone changes of an object')
      .option('--field <field>', 'with --unpin: only this value, such as title.en or existence')
      .addOption(duringPause(['daemon'])),
  );
}

/** An option that works only on a local state. */
function duringPause(conflicts: string[]): Option {
  return new Option('--during-pause', 'also while the tenant is paused').conflicts(conflicts);
}

function addCompletion(command: Command): Command {
  const meaning = 'exit codes that count as completed and become 0, such as 3,4';
  return command.option('--complete-on <codes>', meaning, parseCompletedCodes);
}

export function addLinks({ locking }: CommandMaker): void {
  const link = 'talent-sync link users N100 5f0c1a9e2b7d4c3a --reason "hired again"';
  locking('link <entity> <key> <id>', link, async () => (await import('../run-link.js')).runLink)
    .description('link the record with that key to an object of the service')
    .option('--reason <text>', 'why, for the audit log');
  const unlink = 'talent-sync unlink users N100';
  locking('unlink <entity> <key>', unlink, async () => (await import('../run-link.js')).runUnlink)
    .description('remove the link of the record with that key; the record is not matched again automatically')
    .option('--reason <text>', 'why, for the audit log');
}
