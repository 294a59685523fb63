import type { App } from '../app.js';
import type { Applied } from '../apply/apply-plan.js';
import { isoNow } from '../clock.js';
import { applyRun, type PlannedRun, planRun, resumeRun } from '../cycle.js';
import { SyncError } from '../errors.js';
import { findPlanFile, readPlan, type SavedPlan } from '../planning/plan-file.js';
import { plansFolder } from '../planning/save-plan.js';
import { newId } from '../planning/summary.js';
import { renderRun } from '../report/run-text.js';
import {
  type CommandContext,
  type CommonOptions,
  type Console,
  formatError,
  type Report,
  runCommand,
} from './context.js';
import { chooseExitCode, splitHolds } from './exit-code.js';
import { listErrors, listIncomplete, withApp } from './run-plan.js';

export interface ApplyFlags extends CommonOptions {
  readonly only?: string;
  readonly asOf?: string;
  readonly full?: boolean;
}

/** `sync`: the whole cycle once. */
export async function runSync(console: Console, flags: ApplyFlags): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('sync', context, flags, (app) => carryOut(app, 'sync', null, context, flags)),
  );
}

/** `apply [PLAN]`: what a saved plan holds and this run derives again. */
export async function runApply(console: Console, plan: string | undefined, flags: ApplyFlags): Promise<void> {
  await runCommand(console, flags, (context) =>
    withApp('apply', context, flags, async (app) => {
      const saved = await readPlan(findPlanFile(plansFolder(app.config), plan ?? null, 'planned'));
      if (saved.meta.expires <= isoNow(app.clock)) {
        throw new SyncError('SYNC_PLAN_EXPIRED', {
          message: `The plan ${saved.meta.plan} expired at ${saved.meta.expires}.`,
          place: saved.file,
          remedy: 'Make a new one with `talent-sync plan`; approvals keep their meaning.',
        });
      }
      return carryOut(app, 'apply', saved, context, flags);
    }),
  );
}

async function carryOut(
  app: App,
  command: 'sync' | 'apply',
  saved: SavedPlan | null,
  context: CommandContext,
  flags: ApplyFlags,
): Promise<Report> {
  const { clock, stores, config } = app;
  const run = newId('r', clock);
  const startedMs = clock.now();
  stores.history.startRun({ id: run, command, startedAt: isoNow(clock), configDigest: config.digest });
  try {
    await resumeRun(app, run);
    const planned = await planRun(app, { full: flags.full === true, only: flags.only ?? null }, 'run');
    const applied = await applyRun(app, run, planned, saved === null ? null : saved.changes.map(({ id }) => id));
    const report = reportRun(app, run, planned, applied, saved, (clock.now() - startedMs) / 1000, context);
    end(app, run, planned.head.plan, report);
    return report;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    end(app, run, null, { exitCode: 1, json: { error: message } });
    throw error;
  }
}

function end(app: App, run: string, plan: string | null, { exitCode, json }: Pick<Report, 'exitCode' | 'json'>): void {
  app.stores.history.endRun(run, { endedAt: isoNow(app.clock), plan, exitCode, result: JSON.stringify(json) });
}

/** Changes of the saved plan that this run no longer derives, or now holds. */
function leftOut(
  app: App,
  saved: SavedPlan | null,
): readonly { readonly id: string; readonly label: string; readonly because: string }[] {
  if (saved === null) return [];
  const now = new Map<string, string | null>();
  for (const change of app.stores.work.inOrder('all')) now.set(change.id, change.withheld?.name ?? null);
  return saved.changes.flatMap(({ id, label, entity, action }) => {
    const withheld = now.get(id);
    if (withheld === null) return [];
    const because = withheld === undefined ? 'no longer derived' : `waits for ${withheld}`;
    return [{ id, label: `${entity} ${action} ${label}`, because }];
  });
}

function reportRun(
  app: App,
  run: string,
  planned: PlannedRun,
  applied: Applied,
  saved: SavedPlan | null,
  seconds: number,
  context: CommandContext,
): Report {
  const { service, stores } = app;
  const { summary, plan } = planned.head;
  const calls = { reads: service.calls.reads.total, writes: service.calls.writes.total };
  const errors = listErrors(planned);
  const incomplete = listIncomplete(planned);
  // Of a saved plan only its own changes count; what else is derived waits for the next plan.
  const counts = saved === null ? summary.counts : stores.work.counts('wanted');
  const omitted = leftOut(app, saved);
  const { done, failed, left, stopped } = applied;
  const all = [...stores.work.holds()];
  const { held, conflicts } = splitHolds(all);
  const exitCode = chooseExitCode({
    broken: 'errors' in errors || stopped?.code.startsWith('SYNC_') === true,
    failed: failed.length,
    incomplete: 'incomplete' in incomplete,
    held: all,
    guards: summary.guards,
    left,
    detailed: false,
    changes: 0,
  });
  const json = {
    run,
    plan: saved?.meta.plan ?? plan,
    counts,
    calls,
    done,
    failed,
    held,
    guards: summary.guards,
    conflicts,
    left,
    stopped: stopped?.message ?? null,
    ...(saved === null ? {} : { left_out: omitted }),
    seconds: Math.round(seconds * 10) / 10,
    ...errors,
    ...incomplete,
  };
  const text = renderRun({
    ...json,
    cost: summary.cost,
    evidence: summary.evidence,
    leftOut: omitted,
    color: context.color,
  });
  const broken = planned.stopped.map(({ entity, error }) => `${entity} left alone: ${formatError(error)}`).join('');
  return { json, text: `${broken}${text}`, exitCode };
}
