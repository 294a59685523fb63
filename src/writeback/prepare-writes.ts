import type { WriteBackMapper } from '../mapping/write-back.js';
import type { Entity } from '../model/entity.js';
import { type Json, leafOf, type Values } from '../model/json.js';
import type { CellChange, PlannedSourceChange, SourceWrite } from '../model/write-back.js';
import { describeObject } from '../planning/write-back/derive-write-back.js';
import { hashLeaf } from '../reconcile/fields/leaves.js';
import { isSameCell } from '../reconcile/fields/same-cell.js';
import { findFormula } from '../reconcile/write-back/decide-send.js';
import type { Stores } from '../store/open-stores.js';
import type { PlannedFilter } from '../store/work/planned-store.js';

/** One change, with the cells that can be written now. */
export interface ReadyChange {
  readonly change: PlannedSourceChange;
  /** The cells to write, including values that are known only after the apply. */
  readonly cells: readonly CellChange[];
}

export interface ReadyRecord {
  readonly write: SourceWrite;
  readonly changes: readonly ReadyChange[];
}

export interface PrepareContext {
  readonly stores: Stores;
  readonly writeBackMappers: Readonly<Partial<Record<Entity, WriteBackMapper>>>;
  readonly writesFormulas: (source: string) => boolean;
  /** Called with a change that cannot be made in this run and the reason. */
  readonly onSkipped: (change: PlannedSourceChange, because: string) => void;
}

/**
 * Yields each record to write back to a source once, including values known only after the apply. A value that changed
 * in the service since the plan is left to the next run.
 */
export function* prepareWrites(source: string, filter: PlannedFilter, context: PrepareContext): Iterable<ReadyRecord> {
  let group: PlannedSourceChange[] = [];
  for (const change of context.stores.work.writeBackChanges(filter, source)) {
    if (group.length > 0 && group[0]?.record !== change.record) {
      yield* prepareRecord(group, context);
      group = [];
    }
    group.push(change);
  }
  if (group.length > 0) yield* prepareRecord(group, context);
}

function* prepareRecord(group: readonly PlannedSourceChange[], context: PrepareContext): Iterable<ReadyRecord> {
  const changes: ReadyChange[] = [];
  for (const change of group) {
    const ready = fill(change, context);
    if (typeof ready === 'string') context.onSkipped(change, ready);
    else changes.push(ready);
  }
  const record = changes[0]?.change.record;
  if (record === undefined) return;
  const cells: Record<string, Json> = {};
  const row: Record<string, Json> = {};
  for (const { change, cells: ready } of changes) {
    const { entity, key, source } = change;
    const back = context.stores.work.stagedByKey(entity, key)?.desired?.writeBack;
    Object.assign(row, readRow(change, back?.records[source]?.cells ?? {}, context));
    for (const { column, after } of ready) cells[column] = after;
  }
  yield { write: { record, cells, row: { ...row, ...cells } }, changes };
}

function fill(
  change: PlannedSourceChange,
  { stores, writeBackMappers, writesFormulas }: PrepareContext,
): ReadyChange | string {
  const { entity, key, source } = change;
  const link = stores.links.find(entity, key);
  const found = link === null ? null : stores.mirror.get(entity, link.serviceId);
  if (found === null) return `${entity}:${key} is not in the service`;
  const observed = stores.withNames(found);
  const mapper = writeBackMappers[entity];
  const values = mapper?.map(describeObject(entity, observed, {}, stores));
  if (mapper === undefined || values === undefined || !Array.isArray(values)) return 'its values are unknown';
  const toldTo = (column: string): Json => {
    const index = mapper.columns.findIndex((one) => one.source === source && one.column === column);
    return (values as readonly Json[])[index] ?? null;
  };
  const cells = change.cells.flatMap((cell): readonly CellChange[] => {
    if (cell.known === 'after apply') {
      const after = toldTo(cell.column);
      // A formula that has only become known now is left out; the next run holds it.
      return findFormula(after) === null || writesFormulas(source) ? [{ ...cell, after }] : [];
    }
    const isSame =
      cell.field === null
        ? isSameCell(toldTo(cell.column), cell.after)
        : hashLeaf(leafOf(observed.values, cell.field)) === cell.serviceHash;
    return isSame ? [cell] : [];
  });
  return cells.length === 0 ? 'the service now has another value; the next run decides again' : { change, cells };
}

/**
 * Returns the other cells of a row as the source shows them. The last value sent takes precedence while the source still
 * shows the old value, or if the column is never read. Otherwise an empty cell would delete the value sent before.
 */
export function readRow(
  { entity, source, record }: Pick<PlannedSourceChange, 'entity' | 'source' | 'record'>,
  cells: Values,
  { stores, writeBackMappers }: Pick<PrepareContext, 'stores' | 'writeBackMappers'>,
): Record<string, Json> {
  const row: Record<string, Json> = { ...cells };
  for (const one of writeBackMappers[entity]?.columns ?? []) {
    if (one.source !== source) continue;
    const shown = cells[one.column] ?? null;
    const sent = stores.outbox.find(source, record, one.column);
    const stands =
      sent !== null &&
      sent.status !== 'refused' &&
      sent.status !== 'again' &&
      (!one.isRead || isSameCell(shown, sent.shown));
    row[one.column] = stands ? sent.value : shown;
  }
  return row;
}
