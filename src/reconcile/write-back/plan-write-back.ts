import type { Backing, Hold } from '../../model/desired.js';
import type { Entity, IdOf } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, leafOf, type Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { formatPlace } from '../../model/place.js';
import type { Change } from '../../model/plan.js';
import { sha256 } from '../../model/sha256.js';
import type { CellChange, SentValue, SourceChange, WriteBackColumn } from '../../model/write-back.js';
import { isEmpty } from '../fields/compare.js';
import { diffValues } from '../fields/diff.js';
import { eachMoved, hashLeaf, type Leaf } from '../fields/leaves.js';
import type { Merged } from '../fields/merge.js';
import { isTaken, LeafMerge, type MergedPair, type MergePorts, type Pair } from '../fields/merge-leaves.js';
import { isSameCell } from '../fields/same-cell.js';
import type { EntitySettings } from '../ports.js';
import { decideSend, explain, explainFormula, findFormula, type SendClock, type SentCell } from './decide-send.js';

/** A linked record, or one whose object this run creates. */
export interface WriteBackRecord extends Pair {
  /** null if this run creates the object. */
  readonly observed: Observed | null;
  /** The change that this run makes to the object. */
  readonly planned: Change | null;
  readonly label: string;
}

/** The values of a column: for the current object, and for the object after this run. */
export interface WriteBackValue {
  readonly column: WriteBackColumn;
  readonly isGiven: boolean;
  readonly now: Json;
  readonly later: Json;
}

export interface WriteBackPorts extends MergePorts, SendClock {
  /** Every column with its values. Throws nothing: a value that cannot be determined is held and left out. */
  values(record: WriteBackRecord): readonly WriteBackValue[];
  /** True if values that a spreadsheet would run are sent to the source; otherwise they are held. */
  writesFormulas(source: string): boolean;
  plan(change: SourceChange, overwrites: boolean): void;
  /** Resolves a word to its meaning in the service. */
  readonly idOf: IdOf;
  /**
   * Records that the source shows the sent value, exactly or nearly.
   *
   * @param keeps the shown value, if it differs from the service's; it is remembered, so that it does not count as a
   * change
   */
  echo(at: WriteBackPlace, isNear: boolean, keeps?: Json): void;
  hold(hold: Hold): void;
}

/** One column of a record in its source. */
export interface WriteBackPlace {
  readonly source: string;
  readonly record: string;
  readonly column: string;
}

/** A cell with its column and its place in the source. */
interface SourceCell extends SentCell {
  readonly column: WriteBackColumn;
  readonly at: WriteBackPlace;
}

/** The value for a cell, before the decision whether to send it. */
interface WantedCell {
  readonly value: Json;
  /** True if the value is unknown until the object is created. */
  readonly isUnknown: boolean;
  /** True if the value depends on a change of this run. */
  readonly isLater: boolean;
  readonly serviceHash: string | null;
}

type PlannedCell = CellChange & { readonly isLater: boolean };

/** `settled`: nothing is left to do. `open`: one of the sides has to change or answer first. */
type Rest = 'settled' | 'open';

/**
 * Plans the write-back of one record: columns that only the service fills, and leaves that the three-way merge gives to
 * the source.
 *
 * @returns `settled` if nothing is left to do until one of the sides changes
 */
export function planWriteBack(
  record: WriteBackRecord,
  settings: Pick<EntitySettings, 'entity' | 'conflicts' | 'drift' | 'rules' | 'writeBack'>,
  ports: WriteBackPorts,
): Rest {
  const { writeBack } = record.desired;
  if (writeBack === undefined) return 'settled';
  const leaves = compareLeaves(record, settings, ports);
  const rows = new Map<string, { readonly at: WriteBackPlace; readonly cells: PlannedCell[] }>();
  let isOpen = false;
  for (const value of ports.values(record)) {
    const cell = readCell(value.column, writeBack, ports);
    if (cell === null) continue;
    const { leaf, source } = value.column;
    const wanted = leaf === null ? wantOwn(value, record.observed) : wantLeaf(cell, leaf, value, { leaves, ports });
    const found = typeof wanted === 'string' ? wanted : sendCell(cell, wanted, record, ports);
    if (found !== 'settled') isOpen = true;
    if (typeof found === 'string') continue;
    const row = rows.get(source) ?? { at: cell.at, cells: [] };
    rows.set(source, row);
    row.cells.push(found);
  }
  for (const { at, cells } of rows.values()) planCells(at, cells, record, ports);
  return isOpen ? 'open' : 'settled';
}

/** Both sides of a record, compared leaf by leaf. */
interface ComparedLeaves {
  readonly merge: LeafMerge;
  /** Paths at which the two sides differ. */
  readonly differing: ReadonlySet<string>;
}

/** Null if the object does not exist yet. */
function compareLeaves(
  record: WriteBackRecord,
  settings: MergedPair['settings'],
  ports: WriteBackPorts,
): ComparedLeaves | null {
  const { observed } = record;
  if (observed === null) return null;
  const { idOf } = ports;
  const merge = new LeafMerge({ pair: { ...record, observed }, settings, ports, idOf });
  return { merge, differing: listDiffering(record, observed, idOf) };
}

function readCell(column: WriteBackColumn, { records }: Backing, ports: WriteBackPorts): SourceCell | null {
  const there = records[column.source];
  if (there === undefined) return null;
  const at = { source: column.source, record: there.record, column: column.column };
  const shown = column.isRead ? (there.cells[column.column] ?? null) : null;
  return { column, at, shown, sent: ports.sent(at.source, at.record, at.column) };
}

/**
 * Handles a leaf that both sides know. The leaf is written back with the current value of the service if the merge
 * gives it to the source.
 */
function wantLeaf(
  { at, shown, sent }: SourceCell,
  path: string,
  { column, now }: WriteBackValue,
  { leaves, ports }: { readonly leaves: ComparedLeaves | null; readonly ports: WriteBackPorts },
): WantedCell | Rest {
  if (leaves === null) return 'settled';
  if (!leaves.differing.has(path)) {
    if (sent !== null) ports.echo(at, false);
    return 'settled';
  }
  const { verdict, union, service } = leaves.merge.merge(leafAt(path));
  if (sent !== null) echoLeaf({ at, shown, sent }, verdict, ports);
  if (verdict !== 'to_source') return verdict === 'leave' ? 'settled' : 'open';
  const value = union !== undefined && column.value === null ? union : now;
  if (isEmpty(value) && column.whenEmpty === 'keep') return 'settled';
  return { value, isUnknown: false, isLater: false, serviceHash: hashLeaf(service) };
}

/** Records the value that the source shows for a leaf that differs, after a value was sent to it. */
function echoLeaf(
  { at, shown, sent }: Pick<SourceCell, 'at' | 'shown'> & { readonly sent: SentValue },
  verdict: Merged,
  ports: WriteBackPorts,
): void {
  const takes = isTaken(shown, sent);
  if (takes) ports.echo(at, !isSameCell(shown, sent.value), shown);
  const hasSpoken = verdict === 'leave' && !takes && !isSameCell(shown, sent.shown);
  // The source has changed since. If it shows the sent value again later, that counts as a change.
  if (verdict === 'to_service' || hasSpoken) ports.echo(at, false);
}

function leafAt(path: string): Pick<Leaf, 'path' | 'field' | 'part'> {
  const [field = '', ...rest] = path.split('.');
  return { path, field, part: rest.length === 0 ? null : rest.join('.') };
}

/** A column that only the service fills is written back with its value after this run. */
function wantOwn({ column, isGiven, now, later }: WriteBackValue, observed: Observed | null): WantedCell | Rest {
  const isUnknown = isGiven && observed === null;
  if (!isUnknown && isEmpty(later) && column.whenEmpty === 'keep') return 'settled';
  const isLater = isGiven ? isUnknown : canonicalJson(now) !== canonicalJson(later);
  return { value: isUnknown ? null : later, isUnknown, isLater, serviceHash: null };
}

function sendCell(
  cell: SourceCell,
  { value, isUnknown, isLater, serviceHash }: WantedCell,
  { desired }: WriteBackRecord,
  ports: WriteBackPorts,
): PlannedCell | Rest {
  const { column, at, shown } = cell;
  const verdict = isUnknown ? 'send' : decideSend(cell, value, ports);
  if (verdict === 'echo' || verdict === 'near') {
    const isNear = verdict === 'near';
    if (column.leaf === null) ports.echo(at, isNear, isNear ? shown : undefined);
    return 'settled';
  }
  if (verdict === 'settled') return 'settled';
  if (verdict === 'waiting') return 'open';
  const why = verdict === 'send' ? refuseFormula(column, value, ports) : explain(cell, value, verdict);
  if (why !== null) {
    ports.hold({ entity: column.source, key: at.record, place: formatPlace(desired.place), field: at.column, ...why });
    return 'open';
  }
  const known = isUnknown ? 'after apply' : 'now';
  return { column: column.column, before: shown, after: value, known, field: column.leaf, serviceHash, isLater };
}

function refuseFormula(
  column: WriteBackColumn,
  value: Json,
  ports: WriteBackPorts,
): ReturnType<typeof explainFormula> | null {
  const isRefused = findFormula(value) !== null && !ports.writesFormulas(column.source);
  return isRefused ? explainFormula(column, value) : null;
}

/** The cells of one record in one source form one change. */
function planCells(
  { source, record: row }: WriteBackPlace,
  cells: readonly PlannedCell[],
  record: WriteBackRecord,
  ports: WriteBackPorts,
): void {
  const { entity, key, place } = record.desired;
  const plain = cells.map(({ isLater: _later, ...cell }) => cell);
  const rests = cells.some(({ isLater }) => isLater);
  const change = {
    source,
    record: row,
    entity,
    key,
    label: record.label,
    place: formatPlace(place),
    cells: plain,
    needs: record.planned !== null && rests ? [`${entity}:${key}`] : [],
  };
  ports.plan(
    { ...change, id: hashChange(change), reason: explainChange(plain) },
    plain.some(({ before }) => !isEmpty(before)),
  );
}

/** Every written-back leaf at which the two sides differ, including leaves that the source does not name. */
function listDiffering(
  { desired, written }: WriteBackRecord,
  { values: shown }: Observed,
  idOf: IdOf,
): ReadonlySet<string> {
  const { entity } = desired;
  const { after } = diffValues({ entity, desired: desired.values, observed: shown, written, rules: {}, idOf });
  const paths = new Set([...eachMoved(entity, after, shown)].map(({ path }) => path));
  for (const leaf of eachShown(entity, shown)) {
    if (!isEmpty(leaf.value) && leafOf(desired.values, leaf.path) === undefined) paths.add(leaf.path);
  }
  return paths;
}

function* eachShown(entity: Entity, shown: Values): Iterable<Leaf> {
  for (const field of Object.keys(FIELDS[entity])) {
    const value = shown[field] ?? null;
    yield { path: field, field, part: null, value };
    if (!isJsonObject(value)) continue;
    for (const [part, item] of Object.entries(value)) yield { path: `${field}.${part}`, field, part, value: item };
  }
}

/** The same change with only some of its cells. */
export function withCells(change: SourceChange, cells: readonly CellChange[]): SourceChange {
  const part = { ...change, cells };
  return { ...part, id: hashChange(part), reason: explainChange(cells) };
}

function hashChange(change: Omit<SourceChange, 'id' | 'reason'>): string {
  const { source, record, entity, key, cells } = change;
  return sha256(canonicalJson([source, record, entity, key, cells as unknown as Json]));
}

function explainChange(cells: readonly CellChange[]): string {
  const fields = cells.flatMap(({ field, column }) => (field === null ? [] : [`${column} (${field})`]));
  const own = cells.flatMap(({ field, column }) => (field === null ? [column] : []));
  return [
    ...(fields.length === 0 ? [] : [`${fields.join(', ')} changed in the service`]),
    ...(own.length === 0 ? [] : [`${own.join(', ')} given by the service`]),
  ].join('; ');
}
