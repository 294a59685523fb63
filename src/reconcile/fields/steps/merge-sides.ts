import { canonicalJson, isJsonObject, type Json, type Values } from '../../../model/json.js';
import { shortenDigest } from '../../../model/sha256.js';
import { holdRecord } from '../../hold-record.js';
import type { EntitySettings } from '../../ports.js';
import { eachMoved, type Leaf, withoutLeaves } from '../leaves.js';
import { LeafMerge, type MergedLeaf } from '../merge-leaves.js';
import { idOfPlanned } from '../planned-places.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * Removes from a change the values that the three-way merge does not give to the service, and holds those that need a
 * person's decision.
 */
export function mergeSides(draft: RecordDraft): void {
  const { entity, candidate, observed, after, settings, ports } = draft;
  if (observed === null || isSourceAlone(settings)) return;
  const leaves = new LeafMerge({
    pair: { ...candidate, observed },
    settings,
    ports: ports.memory,
    idOf: idOfPlanned(ports),
  });
  const shown = observed.values;
  const dropped: Leaf[] = [];
  const left: Leaf[] = [];
  let merged = after;
  for (const leaf of eachMoved(entity, after, shown)) {
    const found = leaves.merge(leaf);
    if (found.verdict === 'to_service') {
      if (found.union !== undefined) merged = withLeaf(merged, leaf, found.union);
      continue;
    }
    dropped.push(leaf);
    // A leaf of the source that is kept for now is not agreed, because it would look like a change by others next time.
    if (found.verdict === 'leave' && found.authority !== 'source') left.push(leaf);
    if (found.verdict === 'conflict') holdConflict(draft, leaf, found);
    if (found.verdict === 'drift') holdDrift(draft, leaf, found);
  }
  draft.after = withoutLeaves(entity, merged, dropped, shown);
  draft.left = left;
}

/** True in the usual case, in which every difference goes to the service. */
function isSourceAlone({ conflicts, drift, rules }: EntitySettings): boolean {
  if (drift === 'report' || conflicts === 'hold' || conflicts === 'service') return false;
  return Object.values(rules).every(({ authority = 'source' }) => authority === 'source');
}

function withLeaf(after: Values, { field, part }: Leaf, value: Json): Values {
  const whole = after[field];
  return { ...after, [field]: part !== null && isJsonObject(whole) ? { ...whole, [part]: value } : value };
}

function holdConflict(
  draft: RecordDraft,
  { path }: Leaf,
  { was, source, service, question, authority }: MergedLeaf,
): void {
  const both = `the source says ${format(source)}, the service has ${format(service)}`;
  const reason =
    was === undefined
      ? `${path} was never agreed on: ${both}.`
      : `${path} was changed on both sides: ${format(was)} was agreed, ${both}.`;
  const how = authority === 'newest' ? 'It is not known which change is newer. ' : '';
  const remedy = `${how}Decide with \`talent-sync holds resolve ${shortenDigest(question)} --take source\` (or \`service\`), or give both sides the same value.`;
  holdRecord(draft, 'SYNC_CONFLICT', { reason, remedy, field: path, conflict: question }, draft.ports);
}

/** With `drift: report`, a leaf that only the side without authority moved is reported and left unchanged. */
function holdDrift(
  draft: RecordDraft,
  { path, value }: Leaf,
  { source, service, question, authority }: MergedLeaf,
): void {
  const reason =
    authority === 'service'
      ? `${path} belongs to the service and was changed in the source: ${format(source)} instead of ${format(service)}.`
      : `${path} was changed in the service: ${format(service)} instead of ${format(value)}.`;
  const remedy = `Correct it on that side, set \`drift: correct\`, or decide with \`talent-sync holds resolve ${shortenDigest(question)} --take source\` (or \`service\`).`;
  holdRecord(draft, 'SYNC_DRIFT_REPORTED', { reason, remedy, field: path, conflict: question }, draft.ports);
}

function format(value: Json | undefined): string {
  return canonicalJson(value ?? null);
}
