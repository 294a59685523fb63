import type { Candidate } from '../../model/desired.js';
import type { IdOf } from '../../model/entity.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { holdRecord } from '../hold-record.js';
import type { EntitySettings, HoldPorts } from '../ports.js';
import { eachMoved, type Leaf, withoutLeaves } from './leaves.js';
import { createMerge, type MergedLeaf, type MergePorts } from './merge-leaves.js';

export interface MergedChange {
  /** What the service still gets. */
  readonly after: Values;
  /** Leaves that differ, and may: nothing is to be done about them. */
  readonly left: readonly Leaf[];
}

/** Takes out of a change what the service is not to get by the three-way merge, and says what a person has to decide. */
export function mergeChange(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  settings: EntitySettings,
  ports: HoldPorts & { readonly memory: MergePorts },
  idOf: IdOf,
): MergedChange {
  if (observed === null || isSourceAlone(settings)) return { after, left: [] };
  const { entity } = settings;
  const merge = createMerge(candidate, observed, settings, ports.memory, idOf);
  const shown = observed.values;
  const dropped: Leaf[] = [];
  const left: Leaf[] = [];
  let merged = after;
  for (const leaf of eachMoved(entity, after, shown)) {
    const found = merge(leaf);
    if (found.verdict === 'to_service') {
      if (found.union !== undefined) merged = withLeaf(merged, leaf, found.union);
      continue;
    }
    dropped.push(leaf);
    // What a source-owned field keeps for now is not agreed on: it would look like other hands' next time.
    if (found.verdict === 'leave' && found.authority !== 'source') left.push(leaf);
    if (found.verdict === 'conflict') holdConflict(candidate, leaf, found, ports);
    if (found.verdict === 'drift') holdDrift(candidate, leaf, found, ports);
  }
  return { after: withoutLeaves(entity, merged, dropped, shown), left };
}

/** The usual case, where whatever differs goes to the service. */
function isSourceAlone({ conflicts, drift, rules }: EntitySettings): boolean {
  if (drift === 'report' || conflicts === 'hold' || conflicts === 'service') return false;
  return Object.values(rules).every(({ authority = 'source' }) => authority === 'source');
}

function withLeaf(after: Values, { field, part }: Leaf, value: Json): Values {
  const whole = after[field];
  return { ...after, [field]: part !== null && isJsonObject(whole) ? { ...whole, [part]: value } : value };
}

function holdConflict(
  candidate: Candidate,
  { path }: Leaf,
  { was, source, service, question, authority }: MergedLeaf,
  ports: HoldPorts,
): void {
  const both = `the source says ${format(source)}, the service holds ${format(service)}`;
  const reason =
    was === undefined
      ? `${path} was never agreed on: ${both}.`
      : `${path} was changed on both sides: ${format(was)} was agreed, ${both}.`;
  const how = authority === 'newest' ? 'It cannot be told which change is the newer one. ' : '';
  const remedy = `${how}Decide with \`talent-sync holds resolve ${question} --take source\` (or \`service\`), or give both sides the same value.`;
  holdRecord(candidate, 'SYNC_CONFLICT', { reason, remedy, conflict: question }, ports);
}

/** With `drift: report`, a leaf that only the side moved that it does not belong to is told and left as it is. */
function holdDrift(
  candidate: Candidate,
  { path, value }: Leaf,
  { source, service, question, authority }: MergedLeaf,
  ports: HoldPorts,
): void {
  const reason =
    authority === 'service'
      ? `${path} belongs to the service and was changed in the source: ${format(source)} instead of ${format(service)}.`
      : `${path} was changed in the service: ${format(service)} instead of ${format(value)}.`;
  const remedy = `Correct it on that side, set \`drift: correct\`, or decide with \`talent-sync holds resolve ${question} --take source\` (or \`service\`).`;
  holdRecord(candidate, 'SYNC_DRIFT_REPORTED', { reason, remedy, conflict: question }, ports);
}

function format(value: Json | undefined): string {
  return canonicalJson(value ?? null);
}
