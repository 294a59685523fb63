import type { App } from '../app/app.js';
import { SyncError } from '../base/errors.js';
import { planRun } from '../cycle.js';
import { RELEASE_PINS } from '../operations/release-pins.js';
import { runOnce } from '../operations/run.js';
import { tellPlan } from '../operations/tell-plan.js';
import { parseSelector } from '../planning/only.js';
import { plural } from '../report/sections/words.js';
import { renderRun } from '../report/texts/run-text.js';
import { worded } from '../report/writers/style.js';
import { renderPlan } from '../report/writers/terminal.js';
import { type AskingContext, type CommandContext, type CommandResult, isLocal, readReason } from './context.js';
import { notifying } from './notifying.js';
import { checkReason } from './require-reason.js';
import { complete } from './run-apply.js';
import { toOrder } from './run-plan.js';
import { type UndoFlags, undoElsewhere } from './undo-elsewhere.js';
import { withApp } from './with-app.js';

/**
 * `undo RUN`: undoes the changes of a run, through the same guards. `--unpin` lets the next run repeat an undone change. A
 * remote daemon shows the plan first, and carries it out with `--yes`.
 */
export async function runUndo(context: AskingContext, flags: UndoFlags): Promise<CommandResult> {
  const { run, unpin } = flags;
  if ((run === undefined) === (unpin === undefined)) throw wrongUse();
  if (run === undefined) return release(context, unpin ?? '', flags);
  if (!isLocal(context)) return undoElsewhere(context, run, flags);
  const work = (): Promise<CommandResult> => withApp('undo', context, flags, (app) => undo(app, run, context, flags));
  return flags.plan === true ? work() : notifying(context, work);
}

function wrongUse(): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: 'Name either the run to undo or the object to --unpin.',
    place: 'undo',
    remedy:
      'Write `talent-sync undo RUN`, with a run from `talent-sync runs`, or `talent-sync undo --unpin user:jane@example.com`.',
  });
}

async function undo(app: App, run: string, context: CommandContext, flags: UndoFlags): Promise<CommandResult> {
  const how = { full: flags.full === true, only: flags.only ?? null, undo: { run, reason: readReason(flags) } };
  if (flags.plan === true) return tellPlan(app, await planRun(app, how, 'plan'), toOrder(context, flags));
  const { document, exitCode, planned, bySource, doneCounts } = await runOnce(app, {
    command: 'undo',
    saved: null,
    ...how,
  });
  const { work } = app.stores;
  const { head } = planned;
  const { color, width } = context;
  const plan = await renderPlan({
    head,
    others: null,
    changes: () => work.inOrder('all'),
    toSources: () => [],
    holds: () => work.holds(),
    color,
    width,
    all: flags.all === true,
  });
  const { cost, evidence } = head.summary;
  // The plan above already lists the holds and their remedies.
  const ended = await renderRun({
    ...document,
    bySource,
    held: [],
    conflicts: [],
    waiting: 0,
    guards: [],
    doneCounts,
    cost,
    evidence,
    others: null,
    left_out: [],
    color,
    width,
  });
  return {
    json: document,
    text: `${plan}\n${ended}`,
    exitCode: complete(exitCode, flags),
  };
}

/** Lets the next run repeat the undone changes of one object, or of one of its fields. */
async function release(context: AskingContext, selector: string, flags: UndoFlags): Promise<CommandResult> {
  const { entity, asked: key } = parseSelector(selector, '--unpin');
  const { field: path = null } = flags;
  const reason = readReason(flags);
  if (!isLocal(context)) checkReason(reason, 'A reason is required.');
  const json = await context.perform(RELEASE_PINS, { entity, key, path, reason });
  const paths = json.unpinned.map((pin) => pin.path);
  const keys = [...new Set(json.unpinned.map((pin) => pin.key))];
  return {
    json,
    text: worded`Removed ${plural(paths.length, 'pin')} of ${entity}:${keys.join(', ')}: ${paths.join(', ')}.\nThe next run writes again what the sources ask for.`,
  };
}
