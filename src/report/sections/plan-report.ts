import { isJsonObject, type Values } from '../../model/json.js';
import type { PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import { listCells, listDifferences, wordsOf } from './differences.js';
import { TELL } from './kinds.js';
import { listUnprovenNotes } from './reads.js';
import type { Report, ReportChange } from './report.js';
import { formatMinute } from './words.js';

/** What a report needs of a plan: one that is saved and read back, or one that has just been made. */
export interface ReportedPlan
  extends Omit<PlanDocument, 'changes' | 'toSources' | 'holds' | 'counts' | 'sourceCounts'> {
  readonly changes: () => AsyncIterable<PlannedChange> | Iterable<PlannedChange>;
  readonly toSources: () => AsyncIterable<PlannedSourceChange> | Iterable<PlannedSourceChange>;
  readonly holds: Report['holds'];
}

export function reportPlan(plan: ReportedPlan): Report {
  const { meta, file, fingerprint, guards, evidence } = plan;
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
    plan,
    spent: null,
    delivered: [],
    changes: () => listPlanned(plan),
    holds: plan.holds,
  };
}

/** Changes of the service, then what is written back to the sources. */
export async function* listPlanned(plan: Pick<ReportedPlan, 'changes' | 'toSources'>): AsyncIterable<ReportChange> {
  for await (const change of plan.changes()) yield describePlanned(change);
  for await (const change of plan.toSources()) yield describeToSource(change);
}

/** Somebody who is missing is in no row: the plan says `absent` there. */
export function showPlace(place: string): string {
  return place === 'absent' ? '' : place;
}

/** Of a change nothing of this is known until it is carried out, or ever. */
export const UNTRIED = { target: null, sourceRecord: null, hint: '', needs: [], at: null, calls: [] } as const;

/** A change before it is carried out. */
function describePlanned(change: PlannedChange): ReportChange {
  return {
    ...UNTRIED,
    ...change,
    hint: change.action === 'create' ? distinguish(change.after) : '',
    place: showPlace(change.place),
    differences: listDifferences(change),
    ...describePlanState(change),
  };
}

/** What tells new objects apart at a glance. */
function distinguish({ office, customer }: Values): string {
  if (isJsonObject(office)) return wordsOf(office) ?? '';
  return typeof customer === 'string' ? `for ${customer}` : '';
}

/** What is to be written back to one record of a source. */
function describeToSource(change: PlannedSourceChange): ReportChange {
  const { source, record, reason, cells } = change;
  return {
    ...UNTRIED,
    ...change,
    action: TELL,
    sourceRecord: { source, record },
    reason: { kind: TELL, text: reason },
    differences: listCells(cells),
    ...describePlanState(change),
  };
}

function describePlanState({ withheld, approval }: Pick<PlannedChange, 'withheld' | 'approval'>) {
  if (withheld !== null) return { state: 'waits', about: `for ${withheld.name}` } as const;
  return { state: approval === null ? 'planned' : 'approved', about: '' } as const;
}
