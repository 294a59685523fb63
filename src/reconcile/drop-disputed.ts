import type { Candidate } from '../model/desired.js';
import type { Entity } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import { isSameValue } from './compare.js';
import { diffValues } from './diff.js';
import { holdRecord } from './hold-record.js';
import { eachLeaf, eachMoved, hashLeaf, type Leaf, withoutLeaves } from './leaves.js';
import type { EntitySettings, ReconcilePorts } from './ports.js';

/*
 * What the service's side has moved, leaf by leaf: a language, a category, a custom field, a word of a list that only
 * grows, or a whole field. What becomes of one says nothing of the others.
 */

/**
 * A leaf that both sides changed since they last agreed:
 *
 * | `conflicts` | →                                             |
 * |-------------|-----------------------------------------------|
 * | source      | the source's value is written                 |
 * | service     | the service's value stays                     |
 * | hold        | the service's value stays until a person decides |
 */
export function dropConflicts(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  { conflicts, entity }: EntitySettings,
  ports: Pick<ReconcilePorts, 'hold'>,
): Values {
  const { agreed, desired, written } = candidate;
  if (conflicts === 'source' || observed === null || agreed === null) return after;
  const shown = observed.values;
  const differing = diffValues({ entity, desired: agreed, observed: shown, written, rules: {} });
  const moved = new Set([...eachMoved(entity, differing.after, shown)].map(({ path }) => path));
  const base = leavesOf(entity, agreed);
  const wanted = leavesOf(entity, desired.values);
  const dropped = [...eachMoved(entity, after, shown)].filter(
    (leaf) => moved.has(leaf.path) && !isSameLeaf(entity, leaf, wanted.get(leaf.path), base.get(leaf.path)),
  );
  if (conflicts === 'hold') {
    for (const leaf of dropped) {
      const [was, here, there] = [base.get(leaf.path), wanted.get(leaf.path), shownOf(leaf, shown)].map(format);
      const reason = `${leaf.path} was changed on both sides: ${was} was agreed, the source says ${here}, the service holds ${there}.`;
      const remedy = 'Give both sides the same value, or set `conflicts: source` or `conflicts: service`.';
      holdRecord(candidate, 'SYNC_CONFLICT', { reason, remedy }, ports);
    }
  }
  return withoutLeaves(entity, after, dropped, shown);
}

/** With `drift: report`, a leaf that only the service moved is told and left as it is. */
export function dropDrift(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  { drift, entity }: EntitySettings,
  ports: Pick<ReconcilePorts, 'hold'>,
): Values {
  const { agreed, desired } = candidate;
  if (drift !== 'report' || observed === null || agreed === null) return after;
  const shown = observed.values;
  const base = leavesOf(entity, agreed);
  const wanted = leavesOf(entity, desired.values);
  const dropped = [...eachMoved(entity, after, shown)].filter((leaf) =>
    isSameLeaf(entity, leaf, wanted.get(leaf.path), base.get(leaf.path)),
  );
  for (const leaf of dropped) {
    const reason = `${leaf.path} was changed in the service: ${format(shownOf(leaf, shown))} instead of ${format(leaf.value)}.`;
    const remedy = 'Correct it in the service or in the source, or set `drift: correct`.';
    holdRecord(candidate, 'SYNC_DRIFT_REPORTED', { reason, remedy }, ports);
  }
  return withoutLeaves(entity, after, dropped, shown);
}

function leavesOf(entity: Entity, values: Values): ReadonlyMap<string, Json> {
  return new Map([...eachLeaf(entity, values)].map(({ path, value }) => [path, value]));
}

function isSameLeaf(entity: Entity, { field, part }: Leaf, a: Json | undefined, b: Json | undefined): boolean {
  const kind = FIELDS[entity][field];
  return part === null && kind !== undefined ? isSameValue(kind, a, b) : hashLeaf(a) === hashLeaf(b);
}

function shownOf({ field, part }: Leaf, shown: Values): Json | undefined {
  const whole = shown[field];
  return part !== null && isJsonObject(whole) ? whole[part] : whole;
}

function format(value: Json | undefined): string {
  return canonicalJson(value ?? null);
}
