import type { PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import { formatMinute } from '../texts/run-lines.js';
import { listUnprovenNotes } from '../writers/reads-text.js';
import { listCells, listDifferences } from './differences.js';
import { TELL } from './kinds.js';
import type { Report, ReportChange } from './report.js';

/** A saved plan as a report. */
export function reportPlan(plan: PlanDocument): Report {
  const { meta, file, fingerprint, guards, evidence, cost, adoption, bulkLoad, deliveries, nearMisses } = plan;
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
    due: deliveries,
    delivered: [],
    nearMisses,
    async *changes() {
      for await (const change of plan.changes()) yield describePlanned(change);
      for await (const change of plan.toSources()) yield describeToSource(change);
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
  const { id, entity, action, key, target, label, reason, place, needs, approval } = change;
  return {
    ...{ id, entity, action, key, target, label, reason, needs, approval },
    sourceRecord: null,
    place: showPlace(place),
    differences: listDifferences(change),
    ...tellState(change),
    at: null,
    calls: [],
  };
}

/** What a source is to be told of one record. */
export function describeToSource(change: PlannedSourceChange): ReportChange {
  const { id, source, record, entity, key, label, reason, place, needs, approval, cells } = change;
  return {
    ...{ id, entity, key, label, place, needs, approval },
    action: TELL,
    sourceRecord: { source, record },
    target: null,
    reason: { kind: TELL, text: reason },
    differences: listCells(cells),
    ...tellState(change),
    at: null,
    calls: [],
  };
}

function tellState({ withheld, approval }: Pick<PlannedChange, 'withheld' | 'approval'>) {
  const about = withheld === null ? '' : `for ${withheld.name}`;
  return { state: withheld !== null ? 'waits' : approval !== null ? 'approved' : 'planned', about } as const;
}
