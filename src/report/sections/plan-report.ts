import { withBreaths } from '../../clock.js';
import type { DeclineWords } from '../../model/decline.js';
import { showGuard } from '../../model/held-source.js';
import { isJsonObject, type Values } from '../../model/json.js';
import { isTicked, type PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import { saysNo } from './declined.js';
import { listCells, listDifferences, wordsOf } from './differences.js';
import { TELL } from './kinds.js';
import { listUnprovenNotes } from './reads.js';
import type { Report, ReportChange, State } from './report.js';
import { formatMinute } from './words.js';

/** What a report needs of a plan: one that is saved and read back, or one that has just been made. */
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
export async function* listPlanned(
  plan: Pick<ReportedPlan, 'changes' | 'toSources' | 'declined'>,
): AsyncIterable<ReportChange> {
  const words: Declined = new Map(plan.declined.map((one) => [one.id, one]));
  for await (const change of withBreaths(plan.changes())) yield describePlanned(change, words);
  for await (const change of withBreaths(plan.toSources())) yield describeToSource(change, words);
}

/** Somebody who is missing is in no row: the plan says `absent` there. */
export function showPlace(place: string): string {
  return place === 'absent' ? '' : place;
}

/**
 * A change before it is carried out. Each field is named: to spread a change of a plan takes ten times as long, as no two
 * documents have the same hidden class.
 */
function describePlanned(change: PlannedChange, declined: Declined): ReportChange {
  const { id, entity, action, key, target, label, reason, place, needs, approval } = change;
  return {
    id,
    entity,
    action,
    sourceRecord: null,
    alone: isTicked(change),
    key,
    target,
    label,
    hint: action === 'create' ? distinguish(change.after) : '',
    reason,
    place: showPlace(place),
    needs,
    differences: listDifferences(change),
    state: stateOf(change),
    about: describeWait(change, declined),
    approval,
    at: null,
    calls: [],
  };
}

/** What tells new objects apart at a glance. */
function distinguish({ office, customer }: Values): string {
  if (isJsonObject(office)) return wordsOf(office) ?? '';
  return typeof customer === 'string' ? `for ${customer}` : '';
}

/** What is to be written back to one record of a source. */
function describeToSource(change: PlannedSourceChange, declined: Declined): ReportChange {
  const { id, source, record, entity, key, label, place, cells, reason, needs, approval } = change;
  return {
    id,
    entity,
    action: TELL,
    sourceRecord: { source, record },
    alone: false,
    key,
    target: null,
    label,
    hint: '',
    reason: { kind: TELL, text: reason },
    place,
    needs,
    differences: listCells(cells),
    state: stateOf(change),
    about: describeWait(change, declined),
    approval,
    at: null,
    calls: [],
  };
}

type ChangeStatus = Pick<PlannedChange, 'withheld' | 'approval'>;

/** Id of a change → who declined it, why and until when. */
type Declined = ReadonlyMap<string, DeclineWords>;

function stateOf({ withheld, approval }: ChangeStatus): State {
  if (withheld?.by === 'declined') return 'declined';
  if (withheld !== null) return 'waits';
  return approval === null ? 'planned' : 'approved';
}

function describeWait({ id, withheld }: ChangeStatus & Pick<PlannedChange, 'id'>, declined: Declined): string {
  const words = withheld?.by === 'declined' ? declined.get(id) : undefined;
  if (words !== undefined) return saysNo(words);
  return withheld === null ? '' : `for ${showGuard(withheld.name)}`;
}
