import { takeEach } from '../base/clock.js';
import type { Config } from '../config/config.js';
import type { Entity } from '../model/entity.js';
import { type PlannedChange, recordKeyOf } from '../model/plan.js';
import { EXISTENCE } from '../model/undo.js';
import type { PlannedSourceChange } from '../model/write-back.js';
import { eachMoved, hashLeaf } from '../reconcile/fields/leaves.js';
import type { StoredDecline } from '../store/state/decline-store.js';
import { existenceOf } from './holds/hold-declined.js';
import { digestColumn, digestMapping } from './pins.js';
import type { PlanDocument } from './saved/plan-document.js';

/** One value of a change that can be declined: the stored fields, and those that only the decision needs. */
export type DeclinedValue = Omit<StoredDecline, 'id' | 'guards' | 'plan' | 'who' | 'reason' | 'at' | 'until'> & {
  readonly label: string;
  /** The entity whose link must be compared again; null if the value concerns no record of the service. */
  readonly entity: Entity | null;
  /** The field or column (or a blank) under which a guard remembers that it has held this value; null if no guard has held it yet. */
  readonly field: string | null;
  /** True for a leaf of an update and for a column, which are only a part of a change. */
  readonly isPart: boolean;
};

/** Lists every value that the chosen changes of a plan ask for. */
export async function listLeaves(
  config: Config,
  document: Pick<PlanDocument, 'changes' | 'toSources'>,
  chosen: readonly string[],
): Promise<readonly DeclinedValue[]> {
  const ids = new Set(chosen);
  const values: DeclinedValue[] = [];
  await takeEach(document.changes(), (change) => {
    if (ids.has(change.id)) values.push(...valuesOf(config, change));
  });
  await takeEach(document.toSources(), (change) => {
    if (ids.has(change.id)) values.push(...valuesToSource(config, change));
  });
  return values;
}

function valuesToSource(config: Config, change: PlannedSourceChange): readonly DeclinedValue[] {
  const { id, source, record, entity, label, cells } = change;
  return cells.map(({ column, after }) => ({
    ...{ scope: `sources.${source}`, key: record, path: column, value: hashLeaf(after) },
    mapping: digestColumn(config, entity, { source, column }),
    ...{ changeId: id, action: `${source}.overwrite`, label, entity: null, field: column, isPart: true },
  }));
}

function valuesOf(config: Config, change: PlannedChange): readonly DeclinedValue[] {
  const { id, entity, action, label, before, after, reason } = change;
  // Parked values are declined with the changes that they make room for.
  if (reason.kind === 'parked') return [];
  const isFreed = reason.kind === 'freed';
  const key = isFreed ? change.key : recordKeyOf(change.key);
  const of = { scope: entity, key, changeId: id, action: `${entity}.${action}`, label, entity };
  const existence = existenceOf(change);
  if (existence !== null) {
    const mapping = digestMapping(config, entity, EXISTENCE);
    return [{ ...of, path: EXISTENCE, value: hashLeaf(existence), mapping, field: '', isPart: false }];
  }
  return [...eachMoved(entity, after, before)].map(({ path, field, value }) => {
    const mapping = digestMapping(config, entity, path);
    return { ...of, path, value: hashLeaf(value), mapping, field, isPart: true };
  });
}
