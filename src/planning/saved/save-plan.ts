import { join } from 'node:path';
import { type Clock, isoNow } from '../../clock.js';
import type { Config } from '../../config/config.js';
import type { MirrorEvidence } from '../../mirror/refresh.js';
import type { DueDelivery } from '../../model/delivery.js';
import { sendsMail } from '../../model/mails.js';
import type { BulkLoad, Cost, GuardTrip } from '../../model/plan.js';
import type { NearMisses } from '../../model/write-back.js';
import { type CallsOf, createCostMeter } from '../../reconcile/order/cost.js';
import type { StagedEntity } from '../../staging/stage-sources.js';
import type { Stores } from '../../store/open-stores.js';
import { holdLost } from '../holds/hold-lost.js';
import type { Leavers } from '../leavers.js';
import { noteOverlooked } from '../reads/overlooked.js';
import type { Unread } from '../reads/unread.js';
import { noteHeldSources } from '../suspicions/hold-sources.js';
import { reportAdoption } from './adoption.js';
import { type PlanHead, prunePlans, writePlan } from './plan-file.js';
import { buildEvidence, buildMeta, newPlanId } from './summary.js';

/** What a call is taken to cost in a forecast: a constant, so that the same input gives the same plan. */
const ASSUMED_LATENCY_MS = 50;

export interface PlanToSave {
  readonly config: Config;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly staged: readonly StagedEntity[];
  readonly unread: readonly Unread[];
  readonly leavers: Pick<Leavers, 'proof'>;
  readonly mirrorRead: MirrorEvidence;
  readonly guards: readonly GuardTrip[];
  readonly bulkLoad: BulkLoad | null;
  /** Reports whose time has come. */
  readonly due: readonly DueDelivery[];
  readonly callsOf: CallsOf;
  /** What it costs to tell a source so many records. */
  readonly callsToSource: CallsToSource;
  /** Who asked for it: an operator, or a run for itself. */
  readonly by: 'plan' | 'run';
  /** The run that the plan takes back. */
  readonly undoes: PlanHead['undoes'] | null;
  readonly only: string | null;
}

type CallsToSource = (source: string, records: number) => Readonly<Record<string, number>>;

/** The sources have limits of their own, so their calls are counted by themselves, and not into the time. */
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

/** Where a tenant's plans are. */
export function plansFolder(config: Config): string {
  return join(config.state, 'plans');
}

/** Prices what was planned and writes it down. */
export function savePlan(plan: PlanToSave): PlanHead {
  const {
    config,
    stores,
    clock,
    staged,
    unread,
    leavers,
    mirrorRead,
    bulkLoad,
    due,
    callsOf,
    callsToSource,
    by,
    undoes,
    only,
  } = plan;
  const { work } = stores;
  const guards = holdLost(stores, plan.guards, isoNow(clock));
  if (only === null && undoes === null) {
    noteHeldSources(stores, staged);
    noteOverlooked(stores, staged);
  }
  work.acknowledgeHolds(stores.acknowledgements.inForce(isoNow(clock)));
  const meter = createCostMeter(
    callsOf,
    (endpoint) => endpoint.startsWith('GET '),
    (change) => sendsMail(change, config.notifyPeople),
  );
  for (const change of work.inOrder('applicable')) meter.add(change);
  meter.addCalls(bulkLoad?.calls ?? {});
  for (const { calls } of due) meter.addReads(calls);
  const meta = buildMeta(newPlanId(clock, by), config, clock, mirrorRead, staged, undoes);
  const summary = {
    counts: work.counts(),
    toSources: work.countWriteBack('all'),
    cost: withSources(
      meter.total({ ...config.service.rateLimit, latencyMs: ASSUMED_LATENCY_MS }),
      work.countWriteBack('applicable'),
      callsToSource,
    ),
    held: work.holdCount(),
    guards,
    bulkLoad,
    deliveries: due,
    nearMisses: gatherNearMisses(work),
    adoption: reportAdoption(stores),
    evidence: buildEvidence(staged, unread, stores, leavers.proof()),
  };
  const folder = plansFolder(config);
  const written = writePlan(
    folder,
    meta,
    work.inOrder('all'),
    work.writeBackChanges('all'),
    work.holds(),
    summary,
    stores.planKey(),
  );
  prunePlans(folder);
  return { ...meta, ...written, summary };
}
