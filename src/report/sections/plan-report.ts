import { withBreaths } from '../../base/clock.js';
import type { PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import { listUnprovenNotes } from './reads.js';
import type { Report, ReportChange } from './report.js';
import { changeOfPlan, changeToSource, type Declined } from './report-change.js';
import { formatMinute } from './words.js';

/** The parts of a plan that a report needs, from a stored plan or a new one. */
export interface ReportedPlan
  extends Omit<PlanDocument, 'changes' | 'toSources' | 'holds' | 'counts' | 'sourceCounts'> {
  readonly changes: () => AsyncIterable<PlannedChange> | Iterable<PlannedChange>;
  readonly toSources: () => AsyncIterable<PlannedSourceChange> | Iterable<PlannedSourceChange>;
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
    notes: listUnprovenNotes(evidence),
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
): AsyncIterable<ReportChange> {
  const words: Declined = new Map(plan.declined.map((one) => [one.id, one]));
  for await (const change of withBreaths(plan.changes())) yield changeOfPlan(change, words);
  for await (const change of withBreaths(plan.toSources())) yield changeToSource(change, words);
}
