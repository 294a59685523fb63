import type { App } from './app.js';
import { adoptAndAgree } from './apply/adopt.js';
import { applyPlan } from './apply/apply-plan.js';
import { forecastCalls } from './apply/calls.js';
import { awaitSettled, resumeJournal } from './apply/resume.js';
import { breathe, isoNow } from './clock.js';
import { refreshMirror, refreshNames } from './mirror/refresh.js';
import { createRefusedReads } from './mirror/refused-reads.js';
import type { Change } from './model/plan.js';
import { derivePlan } from './planning/derive-plan.js';
import type { DerivedRun } from './planning/derived-run.js';
import { forgetResolved } from './planning/holds/forget-resolved.js';
import { holdGuarded } from './planning/holds/hold-guarded.js';
import { holdPaused } from './planning/holds/hold-paused.js';
import { keepOnly } from './planning/only.js';
import { planBulkLoad } from './planning/plan-bulk-load.js';
import { recordReads } from './planning/reads/record-reads.js';
import { settleSources } from './planning/reads/settle-sources.js';
import { settleRemapped } from './planning/remapped.js';
import type { PlanHead } from './planning/saved/plan-file.js';
import { savePlan } from './planning/saved/save-plan.js';
import { deriveUndoRun } from './planning/undo/undo-run.js';
import { planWriteBacks } from './planning/write-back/plan-write-back.js';
import { stageEntities } from './staging/stage-sources.js';
import { recordFindings } from './writeback/record-findings.js';
import { listDueDeliveries } from './writeback/reports/deliver-due.js';
import { type AppliedBoth, resumeWriteBack, writeBackToSources } from './writeback/write-back.js';

export interface CycleOptions {
  /** Reads everything again, whether it is due or not. */
  readonly full: boolean;
  /** `user:jane@example.com`: plans that object and what it needs, and nothing else. */
  readonly only: string | null;
  /** Takes back what a run did, instead of asking the sources. */
  readonly undo?: DerivedRun['undoes'];
}

export interface PlannedRun extends DerivedRun {
  readonly head: PlanHead;
}

/**
 * Sources and mirror side by side → map → correlate → diff → guard → order. It is given nothing that could write to the
 * service, and leaves nothing behind but a fresher mirror.
 */
export async function deriveRun(app: App, options: CycleOptions): Promise<DerivedRun> {
  const { config, stores, clock, protectedBy, refreshContext: refresh } = app;
  if (options.undo) return deriveUndoRun({ ...app, refresh }, options, options.undo);
  const now = isoNow(clock);
  stores.work.reset();
  const refused = createRefusedReads();
  const [mirrorRead, staged] = await Promise.all([
    refreshMirror(refresh, options.full || stores.lostState.lost() !== null, refused),
    stageEntities(app.mappers, app.stageContext),
  ]);
  const usersFresh = mirrorRead.users === 'full read';
  const derivation = await derivePlan({ config, stores, refresh, staged, refused, protectedBy, now, usersFresh });
  if (options.only !== null) keepOnly(stores, options.only);
  else holdPaused(stores, now);
  const earlier = app.earlier();
  const preview = earlier === null ? null : { earlier, refresh, staged, refused, now, usersFresh };
  const trips = await holdGuarded(config, stores, derivation, now, preview);
  const guards = planWriteBacks({ ...app.writeBackPlanning, ...derivation, now }, options.only, trips);
  const bulkLoad = await breathe(refresh.signal).then(() => planBulkLoad(config, stores, usersFresh));
  return { ...derivation, guards, bulkLoad, mirrorRead, usersFresh, only: options.only, undoes: null };
}

/** The first half of a run, and the whole of a dry run: what is derived, priced and saved as a plan. */
export async function planRun(app: App, options: CycleOptions, by: 'plan' | 'run'): Promise<PlannedRun> {
  const { config, stores, clock } = app;
  const derived = await deriveRun(app, options);
  const callsOf = (change: Change): readonly string[] => forecastCalls(change, derived.usersFresh);
  const due = derived.only === null && !options.undo ? listDueDeliveries(config, stores, clock.now()) : [];
  const head = await breathe(app.refreshContext.signal).then(() => savePlan({ ...app, ...derived, due, callsOf, by }));
  app.logger.info({ plan: head.plan, counts: head.summary.counts, held: head.summary.held }, 'planned');
  return { ...derived, head };
}

/** Finishes what an earlier process left, before anything is planned on top of it. */
export async function resumeRun(app: App, run: string): Promise<void> {
  app.stores.replayAbsorption();
  await resumeWriteBack(app.writeBackContext(run));
  const open = app.stores.journal.open();
  if (open.length === 0) return;
  const reader = app.service.resuming;
  const execution = app.execution(run, () => '');
  await awaitSettled(open, execution);
  // The mirror may have been deleted since: names must resolve for the calls to be looked for.
  await refreshNames({ ...app.refreshContext, reader }, createRefusedReads());
  const { calls } = app.execution(run, () => '');
  const { found, lost } = await resumeJournal(open, { ...execution, calls: { ...calls, reader } });
  app.logger.warn({ run, open: open.length, found, lost }, 'finished what an earlier run had left open');
}

/**
 * The second half: the only one that moves links, base and counters, and the only one that is given a writer. With
 * `wanted`, only the changes of a saved plan that this run derives again.
 */
export async function applyRun(
  app: App,
  run: string,
  planned: PlannedRun,
  wanted: readonly string[] | null,
): Promise<AppliedBoth> {
  const { stores, config } = app;
  recordReads(stores, run, planned, { digest: config.digest, deciding: app.deciding });
  adoptAndAgree(stores, run, isoNow(app.clock), planned.contextOf);
  recordFindings(stores, isoNow(app.clock));
  planned.leavers.save(planned);
  settleRemapped(config, stores);
  if (planned.only === null && planned.undoes === null) forgetResolved(stores, planned);
  if (wanted !== null) stores.work.want(wanted);
  const context = { ...planned, ...app.applyContext(run, planned.contextOf) };
  const filter = wanted === null ? 'applicable' : 'wanted';
  const served = await applyPlan(filter, context);
  const applied = await writeBackToSources(served, filter, app.writeBackContext(run));
  stores.journal.forgetAbsorbed();
  if (planned.only === null) await settleSources({ ...app, ...app.stageContext }, planned.staged, applied.failed);
  return applied;
}
