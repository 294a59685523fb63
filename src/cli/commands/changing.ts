import { type Command, Option } from 'commander';
import type { CommandMaker } from '../command-options.js';
import type { Console } from '../context.js';
import { parseCompletedCodes, parseReport, parseTime } from '../parse-options.js';
import type { CheckFlags } from '../run-check-sample.js';

const REPORT = 'write a report too: a file ending in .html, .md or .csv, or a format; may be repeated';

export function addPlanning({ asking, locking, ordering }: CommandMaker, console: Console): void {
  locking('check', 'talent-sync check --config acme.yaml')
    .description('prove configuration, sources, key and rights, and show how the sources are understood')
    .option('--sample <file>', 'check that file alone, as a source would read it; asks nothing of the service')
    .option('--source <name>', 'the source of the sample, as hr or crm.deals; by its pattern without it')
    .option('--quick', 'only connect: read neither the sources nor the people of the account')
    .action(async (flags: CheckFlags) => (await import('../run-check.js')).runCheck(console, flags));
  const plan = 'talent-sync plan --config acme.yaml --only user:jane@example.com';
  ordering('plan', plan, async () => (await import('../run-plan.js')).runPlan)
    .description('derive and save what would be done; sends reads only')
    .option('--only <object>', 'plan one object and what it needs, as user:jane@example.com')
    .option('--as-of <date>', 'the day that expressions see as today, as 2026-11-20')
    .option('--full', 'read the whole account again, whether it is due or not')
    .option('--all', 'print every change, not the first few of each kind')
    .option('--detailed-exitcode', 'exit with 2 when the plan has changes')
    .addOption(duringPause(['daemon']))
    .option('--report <file>', REPORT, parseReport);
  const approve = 'talent-sync approve --guard users.deactivate --reason "site closed, ticket 4711"';
  asking('approve [plan]', approve, async () => (await import('../run-approve.js')).runApprove)
    .description('let what a guard holds pass; without a plan, of the newest one')
    .option('--guard <guard>', 'all that this guard holds, as users.deactivate')
    .option('--action <action>', 'all of this action, as users.deactivate')
    .option('--who <object>', 'one object, as user:jane@example.com')
    .option('--reason <text>', 'why, for the audit')
    .option('--expires <time>', 'how long it holds, as 2h; `approvals.expires` without it', parseTime)
    .option('--list', 'the approvals that are in force')
    .option('--revoke <approval>', 'take one back, by its id');
  const decline = 'talent-sync decline --who user:jane@example.com --until 2027-01-01 --reason "stays, ticket 4711"';
  asking('decline [plan]', decline, async () => (await import('../run-decline.js')).runDecline)
    .description('say no to changes, until the source value changes; without a plan, of the newest one')
    .option('--guard <guard>', 'all that this guard holds, as users.deactivate')
    .option('--action <action>', 'all of this action, as users.deactivate')
    .option('--who <object>', 'one object, as user:jane@example.com')
    .option('--field <field>', 'one field of an update alone, as title or title.en')
    .option('--reason <text>', 'why, for the audit')
    .option(
      '--until <date>',
      'the day or moment when it ends, as 2027-01-01; without it, when the source value changes',
    )
    .option('--list', 'what is declined, with ids')
    .option('--revoke <decline>', 'take one back, by its id');
}

export function addPause({ asking }: CommandMaker): void {
  const pause = 'talent-sync pause --until 2026-12-04 --reason "payroll migration, ticket 4711"';
  asking('pause', pause, async () => (await import('../run-pause.js')).runPause)
    .description('plan and write nothing until a time; pushes are accepted, and decisions keep the time they have left')
    .requiredOption('--until <date>', 'when it ends: 2026-12-04, or 2026-12-04T08:00 in the time zone of the tenant')
    .requiredOption('--reason <text>', 'why, for the audit');
  const resume = 'talent-sync resume --reason "payroll is migrated"';
  asking('resume', resume, async () => (await import('../run-pause.js')).runResume)
    .description('end a pause before its time')
    .requiredOption('--reason <text>', 'why, for the audit');
}

export function addApplying({ locking, ordering }: CommandMaker): void {
  const apply = locking(
    'apply [plan]',
    'talent-sync apply p20261120T131500Z-1f3a9c',
    async () => (await import('../run-apply.js')).runApply,
  ).description('carry out a saved plan, as far as it is still derived; without a plan, the newest one');
  const sync = ordering(
    'sync',
    'talent-sync sync --config acme.yaml --json',
    async () => (await import('../run-apply.js')).runSync,
  ).description('plan and apply in one run');
  for (const command of [apply, sync]) {
    addCompletion(
      command
        .option('--only <object>', 'one object and what it needs')
        .option('--as-of <date>', 'the day that expressions see as today')
        .option('--full', 'read the whole account again')
        .option('--ignore-quiet-hours', 'write also within `quiet_hours`')
        .addOption(duringPause(command === sync ? ['daemon'] : [])),
    ).option('--report <file>', REPORT, parseReport);
  }
  const undo = 'talent-sync undo r20261120T131500123Z-1f3a9c --plan';
  addCompletion(
    ordering('undo [run]', undo, async () => (await import('../run-undo.js')).runUndo)
      .description('undo what a run did, as far as nobody has moved it since')
      .option('--only <object>', 'what the run did to one object, as user:jane@example.com')
      .option('--plan', 'save the plan and send nothing; `apply` carries it out')
      .addOption(
        new Option('--yes', 'with --daemon: carry the plan out, instead of showing it alone').conflicts(['plan']),
      )
      .option('--reason <text>', 'why, for the audit')
      .option('--full', 'read the whole account again')
      .option('--all', 'print every change, not the first few of each kind')
      .option('--unpin <object>', 'let what was undone of an object be done again by the next run')
      .option('--field <field>', 'with --unpin: one value alone, as title.en or existence')
      .addOption(duringPause(['daemon'])),
  );
}

/** Works only next to the state. */
function duringPause(conflicts: string[]): Option {
  return new Option('--during-pause', 'also while the tenant is paused').conflicts(conflicts);
}

function addCompletion(command: Command): Command {
  const meaning = 'exit codes that count as completed and become 0, as 3,4';
  return command.option('--complete-on <codes>', meaning, parseCompletedCodes);
}

export function addLinks({ locking }: CommandMaker): void {
  const link = 'talent-sync link users N100 5f0c1a9e2b7d4c3a --reason "hired again"';
  locking('link <entity> <key> <id>', link, async () => (await import('../run-link.js')).runLink)
    .description('let the record of a key stand for an object of the service')
    .option('--reason <text>', 'why, for the audit');
  const unlink = 'talent-sync unlink users N100';
  locking('unlink <entity> <key>', unlink, async () => (await import('../run-link.js')).runUnlink)
    .description('take the link of a key off; it is not matched again by itself')
    .option('--reason <text>', 'why, for the audit');
}
