import type { App } from './app.js';
import { adoptAndAgree } from './apply/adopt.js';
import { type Applied, applyPlan } from './apply/apply-plan.js';
import { forecastCalls } from './apply/calls.js';
import { resumeJournal } from './apply/resume.js';
import { isoNow } from './clock.js';
import { type MirrorEvidence, refreshMirror } from './mirror/refresh.js';
import { type StagedEntity, stageEntity } from './mirror/stage-sources.js';
import { SOURCED_ENTITIES } from './model/entity.js';
import type { GuardTrip } from './model/plan.js';
import { type Derivation, derivePlan } from './planning/derive-plan.js';
import { holdGuarded } from './planning/hold-guarded.js';
import { matchesOnly } from './planning/only.js';
import { type PlanHead, prunePlans, writePlan } from './planning/plan-file.js';
import { recordReads } from './planning/record-reads.js';
import { buildEvidence, buildMeta, newId } from './planning/summary.js';
import { createCostMeter } from './reconcile/cost.js';

export interface CycleOptions {
  /** Reads everything again, whether it is due or not. */
  readonly full: boolean;
  /** `user:jane@example.com`: plans that object and what it needs, and nothing else. */
  readonly only: string | null;
}

/** What a call is taken to cost in a forecast: a constant, so that the same input gives the same plan. */
const ASSUMED_LATENCY_MS = 50;

/** What a run derived, before anything is saved. */
export interface DerivedRun extends Derivation {
  readonly guards: readonly GuardTrip[];
  readonly staged: readonly StagedEntity[];
  readonly mirrorRead: MirrorEvidence;
  /** True when this run has read every user of the account. */
  readonly usersFresh: boolean;
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
  const now = isoNow(clock);
  stores.work.reset();
  const [mirrorRead, staged] = await Promise.all([
    refreshMirror(refresh, options.full),
    Promise.all(
      SOURCED_ENTITIES.flatMap((entity) => {
        const mapper = app.mappers[entity];
        return mapper === undefined ? [] : [stageEntity(entity, mapper, app.stageContext)];
      }),
    ),
  ]);
  const usersFresh = mirrorRead.users === 'full read';
  const derivation = await derivePlan({ config, stores, refresh, staged, protectedBy, now, allProjects: usersFresh });
  if (options.only !== null) stores.work.keepOnly(matchesOnly(options.only));
  const guards = holdGuarded(config, stores, derivation.evidenceOf, now);
  return { ...derivation, guards, staged, mirrorRead, usersFresh };
}

/** The first half of a run, and the whole of a dry run: what is derived, priced and saved as a plan. */
export async function planRun(app: App, options: CycleOptions): Promise<PlannedRun> {
  const { config, stores, clock } = app;
  const derived = await deriveRun(app, options);
  const meter = createCostMeter(
    (change) => forecastCalls(change, derived.usersFresh),
    (endpoint) => endpoint.startsWith('GET '),
  );
  for (const change of stores.work.inOrder('applicable')) meter.add(change);
  const meta = buildMeta(newId('p', clock), config, clock, derived.mirrorRead);
  const summary = {
    counts: stores.work.counts(),
    cost: meter.total({ ...config.service.rateLimit, latencyMs: ASSUMED_LATENCY_MS }),
    held: stores.work.holdCount(),
    guards: derived.guards,
    evidence: buildEvidence(derived.staged, stores),
  };
  const written = writePlan(app.plansFolder, meta, stores.work.inOrder('all'), stores.work.holds(), summary);
  prunePlans(app.plansFolder);
  app.logger.info({ plan: meta.plan, counts: summary.counts, held: summary.held, guards: derived.guards }, 'planned');
  return { ...derived, head: { ...meta, ...written, summary } };
}

/** Finishes what an earlier process left, before anything is planned on top of it. */
export async function resumeRun(app: App, run: string): Promise<void> {
  const { stores } = app;
  const open = stores.journal.open().length;
  const { found, lost } = await resumeJournal(app.execution(run, () => ''));
  if (open > 0) app.logger.warn({ run, open, found, lost }, 'finished what an earlier run had left open');
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
): Promise<Applied> {
  const { stores, config } = app;
  recordReads(stores, run, planned.staged, planned.guards, config.digest);
  adoptAndAgree(stores, run, isoNow(app.clock), planned.contextOf);
  planned.leavers.save();
  if (wanted !== null) stores.work.want(wanted);
  const applied = await applyPlan(wanted === null ? 'applicable' : 'wanted', {
    ...app.applyContext(run, planned.contextOf),
    usersFresh: planned.usersFresh,
  });
  stores.journal.forgetAbsorbed();
  const { done, failed, left, stopped } = applied;
  app.logger.info({ run, plan: planned.head.plan, done, failed: failed.length, left, stopped }, 'applied');
  return applied;
}
