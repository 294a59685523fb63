import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { readPlanId } from '../planning/saved/newest-plan.js';
import { openPlanDocument, type PlanDocument } from '../planning/saved/plan-document.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { reportPlan } from '../report/sections/plan-report.js';
import type { Report } from '../report/sections/report.js';
import { reportRun } from '../report/sections/run-report.js';
import type { PastRun } from '../report/texts/run-lines.js';
import { readRunEntries, readRunWrites } from '../store/audit/read-log.js';
import type { Stores } from '../store/open-stores.js';
import { findUnderWay } from '../store/run-lock.js';
import type { Run } from '../store/state/history-store.js';
import { describeRun } from './describe-run.js';

/** A report with its plan and run. */
export interface OpenedReport {
  readonly report: Report;
  /** The plan with the changes to approve; null if it no longer exists. */
  readonly plan: PlanDocument | null;
  /** Null for a plan without a run. */
  readonly run: PastRun | null;
}

/** Opens a saved plan by id or file, or the newest one. The id `newest` means the newest plan from the sources. */
export async function openPlan(config: Config, stores: Stores, id: string | null): Promise<OpenedReport> {
  const named = id === null ? null : readPlanId(stores, id);
  const plan = await openPlanDocument(findPlanFile(plansFolder(config), named, 'all'), stores.planKey());
  return { report: reportPlan(plan, nameTenant(config)), plan, run: null };
}

export async function openPlanReport(config: Config, stores: Stores, plan: string | null): Promise<Report> {
  return (await openPlan(config, stores, plan)).report;
}

export async function openRunReport(config: Config, stores: Stores, id: string | null): Promise<Report> {
  return (await openRun(config, stores, id)).report;
}

/** Opens a run by id, or the newest run that carried out changes. */
export async function openRun(config: Config, stores: Stores, id: string | null): Promise<OpenedReport> {
  const run = id === null ? findNewest(stores) : stores.history.findRun(id);
  if (run === null || run === undefined) {
    throw new SyncError('SYNC_NOT_FOUND', {
      message: id === null ? 'There is no run yet.' : `There is no run ${id} in the history.`,
      place: 'export report',
      remedy: '`talent-sync runs` lists the stored runs.',
    });
  }
  const past = describeRun(run, findUnderWay(config.state));
  const wanted = past.result?.plan;
  const derived = await openKept(config, stores, past.plan);
  const sources = {
    run: past,
    entries: () => readRunEntries(stores.audit, run.id),
    written: () => readRunWrites(stores.audit, run.id),
    plan: typeof wanted === 'string' && wanted !== past.plan ? await openKept(config, stores, wanted) : derived,
    derived,
  };
  return { report: reportRun(sources, nameTenant(config)), plan: derived, run: past };
}

/** Names the tenant by its configuration file, as the daemon does, and adds the account: `acme (acme.example.com)`. */
function nameTenant({ file, service }: Config): string {
  return `${basename(file).replace(/\.ya?ml$/, '')} (${new URL(service.baseUrl).hostname})`;
}

function findNewest({ history }: Stores): Run | undefined {
  return history.lastRuns(50).find(({ command }) => command !== 'restore');
}

/** Returns null if an old plan no longer exists, or if a plan is damaged or belongs to another state. */
export async function openKept(config: Config, stores: Stores, plan: string | null): Promise<PlanDocument | null> {
  if (plan === null) return null;
  const file = join(plansFolder(config), `${plan}.json`);
  try {
    return existsSync(file) ? await openPlanDocument(file, stores.planKey()) : null;
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_PLAN_DAMAGED') return null;
    throw error;
  }
}
