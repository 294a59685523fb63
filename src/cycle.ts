import type { ApplyingApp, DerivingApp, PlanningApp, ResumingApp } from './app/app.js';
import { adoptAndAgree } from './apply/adopt.js';
import { applyPlan } from './apply/apply-plan.js';
import { forecastCalls } from './apply/calls.js';
import { awaitSettled, resumeJournal } from './apply/resume.js';
import { breathe, goInSteps, isoNow } from './base/clock.js';
import { refreshNames } from './mirror/refresh.js';
import { createRefusedReads } from './mirror/refused-reads.js';
import type { Change } from './model/plan.js';
import { describeDerived, describeGuards, describeReads, tellPlanned } from './planning/decisions.js';
import { derivePlan } from './planning/derive-plan.js';
import type { DerivedRun } from './planning/derived-run.js';
import { holdGuarded } from './planning/holds/hold-guarded.js';
import { holdPaused } from './planning/holds/hold-paused.js';
import { previewEarlier } from './planning/holds/preview.js';
import { keepOnly } from './planning/only.js';
import { planBulkLoad } from './planning/plan-bulk-load.js';
import { readBothSides } from './planning/reads/read-both-sides.js';
import { recordReads } from './planning/reads/record-reads.js';
import { settleSources } from './planning/reads/settle-sources.js';
import { rememberRun } from './planning/remember-run.js';
import type { PlanHead } from './planning/saved/plan-file.js';
import { savePlan } from './planning/saved/save-plan.js';
import { deriveUndoRun } from './planning/undo/undo-run.js';
import { planWriteBacks } from './planning/write-back/plan-write-back.js';
import { recordFindings } from './writeback/record-findings.js';
import { forecastDeliveries } from './writeback/reports/deliver-due.js';
import { type AppliedBoth, resumeWriteBack, writeBackToSources } from './writeback/write-back.js';

export interface CycleOptions {
  /** Reads everything again, even if a full read is not due. */
  readonly full: boolean;
  /** `user:jane@example.com`: plans only that object and the objects that it needs. */
  readonly only: string | null;
  /** The run to undo; then no sources are read. */
  readonly undo?: DerivedRun['undoes'];
}

export type PlannedRun = DerivedRun & { readonly head: PlanHead };

/**
 * Derives the changes: read, map, correlate, diff, guard and order. It has no access to a writer for the service, and
 * only updates the mirror.
 */
export async function deriveRun(app: DerivingApp, options: CycleOptions): Promise<DerivedRun> {
  const { config, stores } = app;
  const { only } = options;
  app.enter(options.undo ? 'planning' : 'reading');
  if (options.undo) return deriveUndoRun(app, options, options.undo);
  const both = await readBothSides(app, options.full);
  app.enter('planning', describeReads(both));
  const { mirrorRead, usersFresh, mapped } = both;
  const derivation = await derivePlan(both);
  app.logger.debug(describeDerived(stores, derivation), 'changes are derived');
  // A change that an operator asks for is attempted immediately, even if its next attempt is due later.
  if (only === null) holdPaused(stores, both.now);
  const earlier = app.earlier();
  const trips = await holdGuarded(both, derivation, earlier === null ? null : () => previewEarlier(earlier, both));
  const asked = keepOnly(app, only, derivation, [...trips, ...planWriteBacks(app.writeBackPlanning, derivation)]);
  app.logger.debug(describeGuards(stores, asked.guards), 'guards are asked');
  await breathe(app.refreshContext.signal);
  const bulkLoad = planBulkLoad(config, stores, usersFresh);
  return { ...derivation, ...asked, bulkLoad, mapped, mirrorRead, usersFresh, only, undoes: null };
}

/** The first half of a run, and all of a dry run. It derives a plan, forecasts its cost and saves it. */
export async function planRun(app: PlanningApp, options: CycleOptions, by: 'plan' | 'run'): Promise<PlannedRun> {
  app.requireUnpaused();
  const derived = await deriveRun(app, options);
  const callsOf = (change: Change): readonly string[] => forecastCalls(change, derived.usersFresh);
  const due = derived.only === null && derived.undoes === null ? await forecastDeliveries(app.deliveries) : [];
  await breathe(app.refreshContext.signal);
  const head = await savePlan(app, derived, by, { due, callsOf });
  await goInSteps(tellPlanned(app, head), app.refreshContext.signal);
  await goInSteps(app.stores.settlePending(), app.refreshContext.signal);
  return { ...derived, head };
}

/** Finishes the work of an earlier process before a new plan is derived. */
export async function resumeRun(app: ResumingApp, run: string): Promise<void> {
  app.enter('finishing an earlier run');
  await goInSteps(app.stores.replayAbsorption(), app.refreshContext.signal);
  await resumeWriteBack(app.writeBackContext(run));
  const open = app.stores.journal.open();
  if (open.length === 0) return;
  await awaitSettled(open, app.resumption(run));
  // The mirror may have been deleted since then, and looking up the calls needs its names.
  await refreshNames(app.resumingContext, createRefusedReads());
  const { found, lost } = await resumeJournal(open, app.resumption(run));
  app.logger.warn({ open: open.length, found, lost }, 'finished what an earlier run had left open');
}

/**
 * The second half of a run. Only this half has a writer and moves links, base and counters. With `wanted`, it applies
 * only those changes of a saved plan that this run has derived again.
 */
export async function applyRun(
  app: ApplyingApp,
  run: string,
  planned: PlannedRun,
  wanted: readonly string[] | null,
): Promise<AppliedBoth> {
  const { stores } = app;
  const now = isoNow(app.clock);
  app.enter('applying');
  recordReads(app, run, planned);
  await adoptAndAgree(stores, { run, at: now, ...planned, pause: () => breathe(app.refreshContext.signal) });
  recordFindings(stores, now);
  await rememberRun(app, run, planned, now);
  if (wanted !== null) stores.work.want(wanted);
  const filter = wanted === null ? 'applicable' : 'wanted';
  const served = await applyPlan(filter, app.applyContext(run, planned));
  app.enter('writing back');
  const applied = await writeBackToSources(served, filter, app.writeBackContext(run));
  // Also after a stopped run, because everything is already absorbed.
  await goInSteps(stores.journal.forgetAbsorbed(), undefined);
  await goInSteps(stores.settlePending(), undefined);
  if (planned.only === null) await settleSources(app, planned.staged, applied.failed);
  return applied;
}
