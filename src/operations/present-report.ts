import { mapBatches } from '../base/clock.js';
import type { Config } from '../config/config.js';
import type { ReportedHold } from '../model/desired.js';
import { readNewestPlan } from '../planning/saved/newest-plan.js';
import type { PlanDocument } from '../planning/saved/plan-document.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { readPlan, type SavedPlan } from '../planning/saved/read-plan.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import type { Report, ReportChange } from '../report/sections/report.js';
import { formatMinute } from '../report/sections/words.js';
import type { Stores } from '../store/open-stores.js';
import { createFates, type FateOf } from './fates.js';

/** How a plan, or the plan of a run, relates to the plan that decisions apply to. */
export interface Standing {
  /** `edited` means the newest plan, but the configuration has changed since. */
  readonly kind: 'newest' | 'undo' | 'older' | 'edited';
  /** The newest complete plan; null before the first. */
  readonly newest: string | null;
}

export function findStanding(config: Config, stores: Stores, plan: PlanDocument | null): Standing {
  const newest = readNewestPlan(stores);
  const id = newest?.plan ?? null;
  if (plan?.meta.undoes !== undefined) return { kind: 'undo', newest: id };
  if (plan === null || plan.meta.plan !== id) return { kind: 'older', newest: id };
  return { kind: newest?.config === config.digest ? 'newest' : 'edited', newest: id };
}

/** Adds the current state to each change of a report, and looks the states up when the changes are read. */
export function presentReport(
  config: Config,
  stores: Stores,
  { report, plan, standing, now }: { report: Report; plan: PlanDocument | null; standing: Standing; now: string },
): Report {
  const isOlder = standing.kind === 'older';
  if (plan === null || (isOlder && standing.newest === null)) return report;
  let known: Promise<FateOf> | null = null;
  const look = async (): Promise<FateOf> => {
    // If the plan itself is current, its rows already show which changes are held.
    const own = { meta: plan.meta, changes: [], toSources: [], guards: [] };
    const current = isOlder ? await readCurrent(config, stores, standing.newest) : own;
    return createFates(stores, { now, since: plan.meta.created, current });
  };
  return {
    ...report,
    async *changes() {
      known ??= look();
      const fateOf = await known;
      yield* mapBatches(report.changes(), (change) => {
        const shown = presentChange(change, fateOf, isOlder);
        const { state, about: by } = change;
        return state === 'waits' ? { ...shown, heldFirst: { by, fate: fateOf(change.id).kind } } : shown;
      });
    },
    holds: () => mapBatches(report.holds(), (hold) => presentHold(stores, hold)),
  };
}

/** A decided conflict shows the decision, until a run carries it out. */
function presentHold({ outbox }: Stores, hold: ReportedHold): ReportedHold {
  const decision = hold.conflict === undefined ? null : outbox.decisionOn(hold.conflict);
  if (decision === null) return hold;
  const { who, winner, at } = decision;
  const reason = `Decided by ${who} on ${formatMinute(at)}: the ${winner} is right`;
  const remedy = 'The next run carries it out. Until then, you can revoke the decision on the page of the record.';
  return { ...hold, cause: reason, reason, remedy };
}

async function readCurrent(config: Config, stores: Stores, plan: string | null): Promise<SavedPlan> {
  return await readPlan(findPlanFile(plansFolder(config), plan, 'all'), stores.planKey());
}

/** States that were not final when the report was created. */
const OPEN: ReadonlySet<ReportChange['state']> = new Set(['waits', 'left', 'approved', 'planned']);

function presentChange(change: ReportChange, fateOf: FateOf, isOlder: boolean): ReportChange {
  if (!OPEN.has(change.state)) return change;
  const { kind, text } = fateOf(change.id);
  if (kind === 'done') return { ...change, state: 'carried', about: text.replace(/^carried out /, '') };
  if (kind === 'declined') return { ...change, state: 'declined', about: text.replace(/^declined ?/, '') };
  if (kind === 'approved')
    return change.state === 'waits' ? { ...change, state: 'approved', about: text.replace(/^approved /, '') } : change;
  if (!isOlder) return change;
  if (kind === 'replaced') return { ...change, state: 'replaced', about: text };
  const isHeld = change.state === 'waits';
  if (kind === 'held') return isHeld ? change : { ...change, state: 'waits', about: 'for an approval by now' };
  return isHeld ? { ...change, state: 'planned', about: text } : change;
}
