import { type Batches, mapBatches } from '../../base/clock.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import { listReadNotes } from './reads.js';
import type { Report, ReportChange } from './report.js';
import { changeOfPlan, changeToSource, type Declined } from './report-change.js';
import { formatMinute } from './words.js';

/** The parts of a plan that a report needs, from a stored plan or a new one. */
export interface ReportedPlan extends Omit<PlanDocument, 'holds' | 'counts' | 'sourceCounts'> {
  readonly holds: Report['holds'];
}

export function reportPlan(plan: ReportedPlan, tenant: string | null = null): Report {
  const { meta, file, fingerprint, guards, evidence } = plan;
  return {
    kind: 'plan',
    id: meta.plan,
    tenant,
    at: meta.created,
    facts: [
      ...(tenant === null ? [] : [{ name: 'Tenant', value: tenant }]),
      { name: 'Created', value: formatMinute(meta.created) },
      { name: 'Good until', value: formatMinute(meta.expires) },
      { name: 'Configuration', value: meta.config },
      { name: 'Mirror', value: `brought up to date by ${meta.mirror}` },
      { name: 'Plan file', value: file },
      { name: 'Fingerprint', value: fingerprint },
    ],
    notes: listReadNotes(evidence),
    guards,
    plan,
    spent: null,
    delivered: [],
    changes: () => listPlanned(plan),
    holds: plan.holds,
  };
}

/** Yields the changes of the service, then the write-backs to the sources. */
export async function* listPlanned(
  plan: Pick<ReportedPlan, 'changes' | 'toSources' | 'declined'>,
): Batches<ReportChange> {
  const words: Declined = new Map(plan.declined.map((one) => [one.id, one]));
  yield* mapBatches(plan.changes(), (change) => changeOfPlan(change, words));
  yield* mapBatches(plan.toSources(), (change) => changeToSource(change, words));
}
