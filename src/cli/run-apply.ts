import type { App } from '../app/app.js';
import { SyncError } from '../base/errors.js';
import { RUN_NOW } from '../operations/ask-work.js';
import { openRunReport } from '../operations/open-report.js';
import { openSavedPlan } from '../operations/open-saved-plan.js';
import { runOnce } from '../operations/run.js';
import { tellRun } from '../operations/tell-run.js';
import type { SavedPlan } from '../planning/saved/read-plan.js';
import {
  type AskFlags,
  type AskingContext,
  type CommandContext,
  type CommandResult,
  isLocal,
  type RunFlags,
} from './context.js';
import { notifying } from './notifying.js';
import { addReports, checkTargets, writeReports } from './report-files.js';
import { toOrder } from './run-plan.js';
import { withApp } from './with-app.js';

/** `sync`: one complete cycle. */
export async function runSync(context: AskingContext, flags: RunFlags & AskFlags): Promise<CommandResult> {
  if (!isLocal(context)) {
    return unlessPaused(async () => {
      const told = await context.perform(RUN_NOW, toOrder(context, flags));
      return { ...told, exitCode: complete(told.exitCode, flags) };
    });
  }
  const sync = () => withApp('sync', context, flags, (app) => carryOut(app, null, context, flags));
  return notifying(context, () => unlessPaused(sync));
}

/** A scheduled job that does nothing during a pause has not failed. */
async function unlessPaused(work: () => Promise<CommandResult>): Promise<CommandResult> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof SyncError && thrown.code === 'SYNC_PAUSED')) throw thrown;
    return {
      json: { run: null, paused: thrown.message },
      text: `Nothing was done. ${thrown.message} ${thrown.remedy}`,
    };
  }
}

/** `apply [PLAN]`: makes the changes of a saved plan that this run derives again. */
export function runApply(
  context: CommandContext,
  flags: RunFlags & { readonly plan?: string },
): Promise<CommandResult> {
  const apply = async (app: App): Promise<CommandResult> => {
    const saved = await openSavedPlan(app, flags.plan ?? null);
    return carryOut(app, saved, context, flags);
  };
  return notifying(context, () => withApp('apply', context, flags, apply));
}

/** Converts the exit code of a run to the exit code of the process. */
export function complete(exitCode: number, { completeOn = [] }: RunFlags): number {
  return completeOn.includes(exitCode) ? 0 : exitCode;
}

/** Carries out the saved plan, or if it is null, the plan that is derived now. */
async function carryOut(
  app: App,
  saved: SavedPlan | null,
  context: CommandContext,
  flags: RunFlags,
): Promise<CommandResult> {
  const only = flags.only ?? saved?.meta.only ?? null;
  checkTargets(flags.report ?? [], app.config.state);
  // The plan of an undo is derived again from the audit log. Other plans are derived from the sources.
  const undo = saved?.meta.undoes ?? null;
  const ended = await runOnce(app, {
    command: saved === null ? 'sync' : 'apply',
    saved,
    full: flags.full === true,
    only,
    undo,
  });
  const told = await tellRun(app, ended, { ...toOrder(context, flags), only });
  const reports = await writeReports(flags.report, app.config.state, () =>
    openRunReport(app.config, app.stores, ended.document.run),
  );
  return addReports({ ...told, exitCode: complete(told.exitCode, flags) }, reports);
}
