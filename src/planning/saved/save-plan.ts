import { join } from 'node:path';
import { breathe, type Clock, goInSteps, isoNow } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import type { DueDelivery } from '../../model/delivery.js';
import { sendsMail } from '../../model/mails.js';
import type { BulkLoad, Cost } from '../../model/plan.js';
import type { Understood } from '../../model/understood.js';
import type { NearMisses } from '../../model/write-back.js';
import { eachWithPauses } from '../../reconcile/each-with-pauses.js';
import { type CallsOf, createCostMeter } from '../../reconcile/order/cost.js';
import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import { holdLost } from '../holds/hold-lost.js';
import { nameTrips, recordWaiting } from '../holds/record-waiting.js';
import { noteOverlooked } from '../reads/overlooked.js';
import { noteHeldSources } from '../suspicions/hold-sources.js';
import { UNDERSTOOD, understandInSteps } from '../understanding/understand.js';
import { reportAdoption } from './adoption.js';
import { listDeclined, markDeclined } from './list-declined.js';
import { noteNewestPlan } from './newest-plan.js';
import { noteOpenUndo } from './open-undo.js';
import { type PlanHead, prunePlans, writePlan } from './plan-file.js';
import { buildEvidence, buildMeta, newPlanId, sumUpPassed } from './summary.js';

/** The assumed time of a call in a forecast; it is constant, so that the same input gives the same plan. */
const ASSUMED_LATENCY_MS = 50;

/** The parts of a tenant that are needed for saving plans with their cost. */
export interface PlanKeeper {
  readonly config: Config;
  readonly stores: Stores;
  readonly clock: Clock;
  /** The number of calls needed to send this number of records to a source. */
  readonly callsToSource: CallsToSource;
  /** `--as-of`: the day that expressions see as today; null for the current day. */
  readonly asOf: string | null;
  /** Its signal stops the work. */
  readonly refreshContext: { readonly signal: AbortSignal | undefined };
}

/** The expected deliveries of a run, and the calls that each of its changes needs. */
export interface Forecast {
  /** Reports that are due, and documents that changed. */
  readonly due: readonly DueDelivery[];
  readonly callsOf: CallsOf;
}

type CallsToSource = (source: string, records: number) => Readonly<Record<string, number>>;

/** The sources have limits of their own, so their calls are counted separately, and their time is not counted. */
function withSources(cost: Cost, counts: PlanHead['summary']['toSources'], callsToSource: CallsToSource): Cost {
  const calls = Object.entries(counts).map(
    ([source, { records }]) => [source, callsToSource(source, records)] as const,
  );
  return calls.length === 0 ? cost : { ...cost, sources: Object.fromEntries(calls) };
}

const NEAR_SHOWN = 5;

function gatherNearMisses(work: Stores['work']): readonly NearMisses[] {
  const found = new Map<string, { source: string; column: string; records: number; examples: string[] }>();
  for (const { source, record, column, near } of work.echoes()) {
    if (!near) continue;
    const one = found.get(`${source} ${column}`) ?? { source, column, records: 0, examples: [] };
    found.set(`${source} ${column}`, one);
    one.records += 1;
    if (one.examples.length < NEAR_SHOWN) one.examples.push(record);
  }
  return [...found.values()];
}

export function plansFolder(config: Config): string {
  return join(config.state, 'plans');
}

/**
 * Adds up the cost of the planned changes, and saves the plan.
 *
 * @param by who requested the plan: an operator, or a run for itself
 */
export async function savePlan(
  keeper: PlanKeeper,
  derived: DerivedRun,
  by: 'plan' | 'run',
  forecast: Forecast,
): Promise<PlanHead> {
  const { config, stores, clock, asOf } = keeper;
  const { staged, bulkLoad, only, undoes, told } = derived;
  const { work } = stores;
  const now = isoNow(clock);
  const guards = markDeclined(stores, nameTrips(stores, holdLost(stores, derived.guards, now), now), now);
  const isFull = only === null && undoes === null && asOf === null;
  if (isFull) {
    noteHeldSources(stores, staged);
    noteOverlooked(stores, staged);
  }
  work.acknowledgeHolds(stores.acknowledgements.inForce(now));
  const meta = buildMeta(newPlanId(clock, by), keeper, derived);
  const summary = {
    // Paused changes are counted among the held ones.
    counts: work.counts('unpaused'),
    toSources: work.countWriteBack('undeclined'),
    cost: await price(keeper, bulkLoad, forecast),
    held: work.holdCount(),
    heldCounts: work.heldCounts(),
    waiting: work.countWaiting(),
    guards,
    declined: undoes === null ? listDeclined(stores, now) : [],
    bulkLoad,
    deliveries: forecast.due,
    // Findings about everyone at first contact belong to a full plan only.
    nearMisses: only === null ? gatherNearMisses(work) : [],
    adoption: only === null ? reportAdoption(stores) : null,
    understood: only === null ? await understandFirst(keeper, derived) : null,
    evidence: {
      ...buildEvidence(told.staged, told.unread, keeper, derived.leavers.proof()),
      ...sumUpPassed(only === null ? derived.passed : []),
    },
  };
  const found = { guards, now: meta.created, expires: meta.expires, plan: meta.plan, timezone: config.timezone };
  // Findings for another day are not pending.
  if (asOf === null) await goInSteps(recordWaiting(stores, { ...derived, ...found }), keeper.refreshContext.signal);
  const folder = plansFolder(config);
  const [changes, back, holds] = [work.inOrder('all'), work.writeBackChanges('all'), work.holds()];
  const parts = { meta, changes, back, holds, summary };
  const written = await writePlan(folder, parts, stores.planKey(), keeper.refreshContext.signal);
  if (isFull) noteNewestPlan(stores, { plan: meta.plan, config: config.digest, at: meta.created });
  if (undoes !== null) noteOpenUndo(stores, meta, { run: undoes.run, changes: work.count('all'), by });
  prunePlans(folder);
  return { ...meta, ...written, summary };
}

/** Sums up how the sources are understood, for a plan of an account without any linked people; null otherwise. */
async function understandFirst(
  { config, stores, refreshContext }: PlanKeeper,
  { mapped, told: { staged } }: DerivedRun,
): Promise<Understood | null> {
  if (mapped === null) return null;
  const { work } = stores;
  const account = { ...stores, entities: new Set(UNDERSTOOD), isPartial: false };
  return goInSteps(understandInSteps({ config, staged, mapped, work, account }), refreshContext.signal);
}

async function price(
  { config, stores, callsToSource, refreshContext }: PlanKeeper,
  bulkLoad: BulkLoad | null,
  { due, callsOf }: Forecast,
): Promise<Cost> {
  const { work } = stores;
  const meter = createCostMeter(
    callsOf,
    (endpoint) => endpoint.startsWith('GET '),
    (change) => sendsMail(change, config.notifyPeople),
  );
  for (const _step of eachWithPauses(work.inOrder('applicable'), meter.add)) await breathe(refreshContext.signal);
  meter.addCalls(bulkLoad?.calls ?? {});
  for (const { calls } of due) meter.addReads(calls);
  const total = meter.total({ ...config.service.rateLimit, latencyMs: ASSUMED_LATENCY_MS });
  // Downloads have a limit of their own, and come after all other calls.
  const downloading = due.reduce((sum, { documents }) => sum + (documents?.seconds ?? 0), 0);
  const cost = { ...total, seconds: Math.max(total.seconds, downloading) };
  return withSources(cost, work.countWriteBack('applicable'), callsToSource);
}
