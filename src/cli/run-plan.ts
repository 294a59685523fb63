import { planRun } from '../cycle.js';
import { PLAN_NOW } from '../operations/ask-work.js';
import { openPlanReport } from '../operations/open-report.js';
import { tellPlan } from '../operations/tell-plan.js';
import type { WorkOrder } from '../operations/work-order.js';
import { type AskFlags, type AskingContext, type CommandResult, isLocal, type RunFlags } from './context.js';
import { addReports, checkTargets, writeReports } from './report-files.js';
import { withApp } from './with-app.js';

export interface PlanFlags extends RunFlags, AskFlags {
  readonly detailedExitcode?: boolean;
}

/** `plan`: saves the changes it would make, and sends only reads. */
export async function runPlan(context: AskingContext, flags: PlanFlags): Promise<CommandResult> {
  const order = toOrder(context, flags);
  if (!isLocal(context)) return await context.perform(PLAN_NOW, order);
  return withApp('plan', context, flags, async (app) => {
    checkTargets(flags.report ?? [], app.config.state);
    const planned = await planRun(app, { full: order.full, only: order.only }, 'plan');
    const reports = await writeReports(flags.report, app.config.state, () =>
      openPlanReport(app.config, app.stores, planned.head.plan),
    );
    return addReports(await tellPlan(app, planned, order), reports);
  });
}

/** Converts the options of `plan` and `sync` to an order. */
export function toOrder({ color, width }: AskingContext, flags: Omit<PlanFlags, 'config'>): WorkOrder {
  const { only = null, asOf = null, full, ignoreQuietHours, detailedExitcode, all, json } = flags;
  return {
    only,
    asOf,
    full: full === true,
    ignoreQuietHours: ignoreQuietHours === true,
    isDetailed: detailedExitcode === true,
    look: json === true ? null : { color, width, all: all === true, veil: null },
  };
}
