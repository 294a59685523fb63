import type { Hold } from '../model/desired.js';
import type { Entity, IdOf } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../model/json.js';
import { leafOf } from '../model/leaf.js';
import type { Observed } from '../model/observed.js';
import { formatPlace } from '../model/place.js';
import type { Change } from '../model/plan.js';
import { sha256 } from '../model/sha256.js';
import { runsInSpreadsheet } from '../model/spreadsheet.js';
import type { CellChange, SentValue, SourceChange, WriteBackColumn } from '../model/write-back.js';
import { isEmpty } from './fields/compare.js';
import { diffValues } from './fields/diff.js';
import { eachMoved, hashLeaf, type Leaf } from './fields/leaves.js';
import { createMerge, isTaken, type MergePorts, type Pair } from './fields/merge-leaves.js';
import { isNearCell, isSameCell } from './fields/same-cell.js';
import type { EntitySettings } from './ports.js';

/** A linked record, or one whose object this run creates. */
export interface WriteBackRecord extends Pair {
  /** null: it is created by this run. */
  readonly observed: Observed | null;
  /** What this run does to the object. */
  readonly planned: Change | null;
  readonly label: string;
}

/** What a column is to hold: by the object as it is, and as it will be after this run. */
export interface WriteBackValue {
  readonly column: WriteBackColumn;
  readonly isGiven: boolean;
  readonly now: Json;
  readonly later: Json;
}

export interface WriteBackPorts extends MergePorts {
  /** Every column with its values. Throws nothing: what cannot be made out is held, and left out. */
  values(record: WriteBackRecord): readonly WriteBackValue[];
  /** How long the source may take to show what was sent; milliseconds. */
  lapseMs(source: string): number;
  /** Whether a source is sent values that a spreadsheet would run; else they are held. */
  writesFormulas(source: string): boolean;
  plan(change: SourceChange, overwrites: boolean): void;
  /** What a word means in the service. */
  readonly idOf: IdOf;
  /**
   * The source shows what was sent, to the letter or nearly.
   *
   * @param keeps what it shows, where that is not what the service holds: it stays known, so that it is not taken for news
   */
  echo(at: WriteBackPlace, isNear: boolean, keeps: Json | null): void;
  hold(hold: Hold): void;
}

/** One column of a record in its source. */
export interface WriteBackPlace {
  readonly source: string;
  readonly record: string;
  readonly column: string;
}

/** So often the same value is sent to a column that comes back with another one. */
const MOST_TIMES = 3;

/**
 * What the sources are told of one record: columns of their own, and the leaves that the three-way merge gives to the source.
 * Says whether nothing is left to be done until one of the sides moves.
 */
export function planWriteBack(
  record: WriteBackRecord,
  settings: Pick<EntitySettings, 'entity' | 'conflicts' | 'drift' | 'rules' | 'writeBack'>,
  ports: WriteBackPorts,
): 'settled' | 'open' {
  const { entity, key, place, writeBack } = record.desired;
  const { observed, planned } = record;
  if (writeBack === undefined) return 'settled';
  const merge = observed === null ? null : createMerge({ ...record, observed }, settings, ports, ports.idOf);
  const differing = observed === null ? new Set<string>() : listDiffering(record, observed, ports.idOf);
  const cells = new Map<string, (CellChange & { readonly isLater: boolean })[]>();
  let open = false;
  for (const { column, isGiven, now, later } of ports.values(record)) {
    const there = writeBack.records[column.source];
    if (there === undefined) continue;
    const { leaf } = column;
    const shown = column.isRead ? (there.cells[column.column] ?? null) : null;
    const at = { source: column.source, record: there.record, column: column.column };
    const sent = ports.sent(at.source, at.record, at.column);
    let service: Json | undefined;
    let union: Json | undefined;
    if (leaf !== null) {
      if (merge === null || observed === null) continue;
      if (!differing.has(leaf)) {
        if (sent !== null) ports.echo(at, false, null);
        continue;
      }
      if (sent !== null && isTaken(shown, sent)) ports.echo(at, !isSameCell(shown, sent.value), shown);
      const [field = '', ...rest] = leaf.split('.');
      const merged = merge({ path: leaf, field, part: rest.length === 0 ? null : rest.join('.') });
      if (merged.verdict !== 'to_source') {
        // The source has spoken since: should it show what it was told again, that is news.
        if (merged.verdict === 'to_service' && sent !== null) ports.echo(at, false, null);
        open ||= merged.verdict !== 'leave';
        continue;
      }
      ({ service, union } = merged);
    }
    const waits = leaf === null && (isGiven ? observed === null : canonicalJson(now) !== canonicalJson(later));
    const isUnknown = leaf === null && isGiven && observed === null;
    const value = leaf === null ? later : union !== undefined && column.value === null ? union : now;
    if (!isUnknown && isEmpty(value) && column.whenEmpty === 'keep') continue;
    const told = isUnknown ? null : value;
    const verdict = isUnknown ? 'send' : decideSend(column, shown, told, sent, ports);
    if (leaf === null && (verdict === 'echo' || verdict === 'near'))
      ports.echo(at, verdict === 'near', verdict === 'near' ? shown : null);
    if (verdict === 'waiting' || verdict === 'frozen' || verdict === 'refused') open = true;
    const isFormula = verdict === 'send' && findFormula(told) !== null && !ports.writesFormulas(column.source);
    if (verdict === 'frozen' || verdict === 'refused' || isFormula) {
      ports.hold({
        entity: column.source,
        key: there.record,
        place: formatPlace(place),
        ...(isFormula ? explainFormula(column, told) : explain(column, shown, told, sent, verdict)),
      });
    }
    open ||= verdict === 'send';
    if (verdict !== 'send' || isFormula) continue;
    const list = cells.get(column.source) ?? [];
    cells.set(column.source, list);
    list.push({
      column: column.column,
      before: shown,
      after: told,
      known: isUnknown ? 'after apply' : 'now',
      field: leaf,
      serviceHash: leaf === null ? null : hashLeaf(service),
      isLater: waits,
    });
  }
  const ref = `${entity}:${key}`;
  for (const [source, found] of cells) {
    const { record: name } = writeBack.records[source] ?? { record: '' };
    const plain = found.map(({ isLater: _later, ...cell }) => cell);
    const needs =
      planned !== null && found.some(({ isLater, known }) => isLater || known === 'after apply') ? [ref] : [];
    const change = {
      source,
      record: name,
      entity,
      key,
      label: record.label,
      place: formatPlace(place),
      cells: plain,
      needs,
    };
    ports.plan(
      { ...change, id: hashChange(change), reason: explainChange(plain) },
      plain.some(({ before }) => !isEmpty(before)),
    );
  }
  return open ? 'open' : 'settled';
}

/**
 * Whether a column is told a value. "As then" is what the source showed when the value was sent; an empty cell means any.
 *
 * | #  | sent before   | status        | shows       | as then | lapsed | times | →        |
 * |----|---------------|---------------|-------------|---------|--------|-------|----------|
 * | 1  | nothing       |               | the value   |         |        |       | settled  |
 * | 2  | nothing       |               | nearly      |         |        |       | send     |
 * | 3  | nothing       |               | another     |         |        |       | send     |
 * | 4  | nothing       |               | unread      |         |        |       | send     |
 * | 5  | another value |               | the value   |         |        |       | echo     |
 * | 6  | another value |               | nearly      |         |        |       | send     |
 * | 7  | another value |               | another     |         |        |       | send     |
 * | 8  | another value |               | unread      |         |        |       | send     |
 * | 9  | this value    |               | the value   |         |        |       | echo     |
 * | 10 | this value    | sending, lost | nearly      |         |        |       | send     |
 * | 11 | this value    | sending, lost | another     |         |        |       | send     |
 * | 12 | this value    | sending, lost | unread      |         |        |       | send     |
 * | 13 | this value    | refused       | nearly      | yes     | no     |       | refused  |
 * | 14 | this value    | refused       | another     | yes     | no     |       | refused  |
 * | 15 | this value    | refused       | unread      |         | no     |       | refused  |
 * | 16 | this value    | refused       | nearly      | yes     | yes    |       | send     |
 * | 17 | this value    | refused       | another     | yes     | yes    |       | send     |
 * | 18 | this value    | refused       | unread      |         | yes    |       | send     |
 * | 19 | this value    | refused       | nearly      | no      |        |       | send     |
 * | 20 | this value    | refused       | another     | no      |        |       | send     |
 * | 21 | this value    | sent          | unread      |         |        |       | settled  |
 * | 22 | this value    | sent          | nearly      |         |        |       | near     |
 * | 23 | this value    | sent          | another     | yes     | no     |       | waiting  |
 * | 24 | this value    | sent          | another     | yes     | yes    |       | send     |
 * | 25 | this value    | sent          | another     | no      |        | few   | send     |
 * | 26 | this value    | sent          | another     | no      |        | three | frozen   |
 */
export function decideSend(
  { source, isRead }: Pick<WriteBackColumn, 'source' | 'isRead'>,
  shown: Json,
  told: Json,
  sent: SentValue | null,
  { lapseMs, now }: Pick<WriteBackPorts, 'lapseMs' | 'now'>,
): 'send' | 'settled' | 'echo' | 'near' | 'waiting' | 'frozen' | 'refused' {
  if (isRead && isSameCell(shown, told)) return sent === null ? 'settled' : 'echo';
  if (sent === null || !isSameCell(sent.value, told)) return 'send';
  if (sent.status === 'sending' || sent.status === 'lost') return 'send';
  const hasLapsed = Date.parse(now) - Date.parse(sent.at) >= lapseMs(source);
  if (sent.status === 'refused') return isSameCell(shown, sent.shown) && !hasLapsed ? 'refused' : 'send';
  if (!isRead) return 'settled';
  if (isNearCell(shown, told)) return 'near';
  if (isSameCell(shown, sent.shown)) return hasLapsed ? 'send' : 'waiting';
  return sent.times < MOST_TIMES ? 'send' : 'frozen';
}

function explain(
  { column }: WriteBackColumn,
  shown: Json,
  told: Json,
  sent: SentValue | null,
  verdict: ReturnType<typeof decideSend>,
): Pick<Hold, 'code' | 'reason' | 'remedy'> {
  if (verdict === 'refused') {
    const reason = `${column} was not taken: ${sent?.message ?? 'no reason given'}`;
    const remedy =
      'It is sent again when one of the sides moves, or after the time of `lapse`. Correct the value in the service.';
    return { code: 'SYNC_WRITE_BACK_REFUSED', reason, remedy };
  }
  const reason = `${column} will not stay: ${canonicalJson(told)} was sent ${MOST_TIMES} times, and the source shows ${canonicalJson(shown)}.`;
  const remedy =
    'It is not sent again until one of the two moves. Correct it in the source, or take `write_back` out of the mapping.';
  return { code: 'SYNC_WRITE_BACK_FROZEN', reason, remedy };
}

/** The text in a value that a spreadsheet would run; null where there is none. */
export function findFormula(value: Json): string | null {
  if (typeof value === 'string') return runsInSpreadsheet(value) ? value : null;
  if (typeof value !== 'object' || value === null) return null;
  return Object.values(value).reduce<string | null>((found, part) => found ?? findFormula(part), null);
}

const MOST_SHOWN = 60;

function explainFormula({ source, column }: WriteBackColumn, told: Json): Pick<Hold, 'code' | 'reason' | 'remedy'> {
  const text = canonicalJson(findFormula(told));
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const [name = '', ...stream] = source.split('.');
  const at = ['sources', name, ...stream.flatMap((part) => ['streams', part]), 'write_back'].join('.');
  return {
    code: 'SYNC_WRITE_BACK_FORMULA',
    reason: `${column} of ${source} is not written: a spreadsheet would run ${shown} as a formula.`,
    remedy: `Correct the value in the service. Where nobody opens what is written in a spreadsheet, \`formulas: write\` under \`${at}\` writes such values as they are.`,
  };
}

/** Every leaf that is written back and that the two sides hold differently, those included of which the source says nothing. */
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
    const value = shown[field];
    if (value === undefined) continue;
    yield { path: field, field, part: null, value };
    if (!isJsonObject(value)) continue;
    for (const [part, item] of Object.entries(value)) yield { path: `${field}.${part}`, field, part, value: item };
  }
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
    ...(own.length === 0 ? [] : [`${own.join(', ')} told by the service`]),
  ].join('; ');
}
