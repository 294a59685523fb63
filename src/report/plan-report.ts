import type { PlannedChange } from '../model/plan.js';
import type { PlanDocument } from '../planning/plan-document.js';
import { listDifferences } from './differences.js';
import { listUnprovenNotes } from './reads-text.js';
import type { Report, ReportChange } from './report.js';
import { formatMinute } from './run-lines.js';

/** A saved plan as a report. */
export function reportPlan(plan: PlanDocument): Report {
  const { meta, file, fingerprint, guards, evidence, cost, adoption, bulkLoad } = plan;
  return {
    kind: 'plan',
    id: meta.plan,
    at: meta.created,
    facts: [
      { name: 'Made', value: formatMinute(meta.created) },
      { name: 'Good until', value: formatMinute(meta.expires) },
      { name: 'Configuration', value: meta.config },
      { name: 'Mirror', value: `brought up to date by ${meta.mirror}` },
      { name: 'Plan file', value: file },
      { name: 'Fingerprint', value: fingerprint },
    ],
    notes: listUnprovenNotes(evidence),
    guards,
    adoption,
    bulkLoad,
    evidence,
    readAt: meta.reads ?? {},
    cost,
    spent: null,
    async *changes() {
      for await (const change of plan.changes()) yield describePlanned(change);
    },
    holds: plan.holds,
  };
}

/** Somebody who is missing stands in no row: the plan says `absent` there. */
export function showPlace(place: string): string {
  return place === 'absent' ? '' : place;
}

/** A change before it is carried out. */
export function describePlanned(change: PlannedChange): ReportChange {
  const { id, entity, action, key, target, label, reason, place, needs, withheld, approval } = change;
  return {
    ...{ id, entity, action, key, target, label, reason, needs, approval },
    place: showPlace(place),
    differences: listDifferences(change),
    state: withheld !== null ? 'waits' : approval !== null ? 'approved' : 'planned',
    about: withheld === null ? '' : `for ${withheld.name}`,
    at: null,
    calls: [],
  };
}
