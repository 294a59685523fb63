import type { Desired } from '../../model/desired.js';
import { type Entity, isLink } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { formatPlace, type Place } from '../../model/place.js';
import { identityFields, listIdentities, listTexts, type RawRow } from '../../model/raw-text.js';
import type { GoneRow, MergedRow } from '../../model/source.js';
import { mergeLinks } from '../../model/staffing.js';
import { hashBacking, hashDesired } from '../hash-observed.js';
import { createValuePacker, unpackOrNull, type ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, jsonOrNull } from '../statements.js';
import type { SeenStaging } from './known-rows.js';
import {
  createStagedTable,
  isAlike,
  isSameContent,
  isSameRow,
  NO_CELLS,
  type OtherRow,
  type StagedCells,
  type StagedTable,
} from './staged-table.js';
import type { UnusableRows } from './unusable-store.js';

export interface StagedRow {
  readonly desired: Desired;
  readonly hash: string;
  /** Digest of the source row, if it need not be mapped again until it changes. */
  readonly digest?: string | undefined;
  /** Number of the last day on which the row need not be mapped again; null if there is no such day. */
  readonly until?: number | null;
  /** The content of the source row. */
  readonly raw?: () => RawRow;
  /** True if the values also come from other rows, so they do not show the row's own content. */
  readonly keepsRaw?: boolean;
}

/** A row that was seen but is not desired, because it is out of scope or held. It still counts as the person's row. */
export interface UnusedRow {
  readonly entity: Entity;
  readonly key: string;
  /** The stream. */
  readonly source: string;
  readonly place: Place;
  readonly state: 'out' | 'held';
  readonly digest?: string | undefined;
  readonly until?: number | null;
  /** The content of an out-of-scope row. For a held row, the caller that holds it stores the content. */
  readonly raw?: RawRow | undefined;
  /** The values of an out-of-scope row, so that its account can still be found. */
  readonly values?: Values | null | undefined;
}

interface Staging {
  readonly packer: ValuePacker;
  readonly table: StagedTable;
  readonly known: SeenStaging;
  readonly ranked: Map<Entity, readonly string[]>;
  readonly keepUnusable: UnusableRows['keepUnusable'];
}

/** A row to stage, with its place. `body` is packed only if it is written, which is rare. */
interface PlacedCells {
  readonly cells: StagedCells;
  readonly values: Values | null;
  readonly place: Place;
}

/** Stores the desired rows of this run. It only writes rows that differ from the last run. */
export function createStagedRows(sqlite: Sqlite, known: SeenStaging, keepUnusable: UnusableRows['keepUnusable']) {
  const staging: Staging = {
    packer: createValuePacker(sqlite),
    table: createStagedTable(sqlite),
    known,
    ranked: new Map(),
    keepUnusable,
  };
  const { atOnce, run } = createStatements(sqlite);
  const insertMerged = run('INSERT OR REPLACE INTO merged VALUES ($entity, $from, $into)');
  const forget = ['held', 'strange_words', 'faulty', 'held_in_part'].map((table) =>
    run(`DELETE FROM ${table} WHERE entity = $entity`),
  );
  return {
    /** Ranks the streams of an entity. The first stream with a key wins, even if its row is staged later. */
    rankStreams: (entity: Entity, streams: readonly string[]) => void staging.ranked.set(entity, streams),
    stage(rows: readonly StagedRow[]): void {
      for (const row of rows) stageOne(staging, row);
    },
    stageUnused: (row: UnusedRow) => stageUnused(staging, row),
    /** Call it before rows with these keys are staged. */
    lookAhead: staging.table.lookAhead,
    /** Stages rows that were deleted in the source. Any other row with the same key replaces them, even an earlier one. */
    stageGone: atOnce((entity: Entity, rows: readonly GoneRow[]) => {
      for (const { key, place } of rows) stageGone(staging, entity, key, place);
    }),
    /** Stores records that were merged into others of the same source. */
    stageMerged(entity: Entity, rows: readonly MergedRow[]): void {
      for (const { from, into } of rows) insertMerged({ entity, from, into });
    },
    /** Forgets the rows of an entity and their holds, because its source must not be used. */
    unstage(entity: Entity): void {
      known.hide(entity);
      for (const statement of forget) statement({ entity });
    },
  };
}

function stageOne(staging: Staging, row: StagedRow): void {
  const { desired } = row;
  const placed = { cells: cellsOf(row), values: desired.values, place: desired.place };
  if (putLive(staging, placed)) return;
  const other = staging.table.find(placed.cells);
  if (other === null) return;
  staging.known.noteConflict(desired.entity);
  if (isLink(desired.entity)) mergeWith(staging, other, placed);
  else compareWith(staging, other, placed, row);
}

function stageUnused(staging: Staging, { place, raw, values, digest, until = null, ...row }: UnusedRow): void {
  const cells = { ...NO_CELLS, ...row, digest: digest ?? null, until, raw: jsonOrNull(raw) };
  const placed = { cells, values: values ?? null, place };
  if (putLive(staging, placed)) return;
  const other = staging.table.find(cells);
  if (isLink(row.entity)) {
    // A link has ended only if all of its rows agree.
    if (other?.state === 'leaver') replace(staging, other, placed);
    return;
  }
  staging.known.noteConflict(row.entity);
  if (other?.source !== row.source) return;
  keepOther(staging, other);
  keep(staging, row.entity, place, raw ?? []);
  spoil(staging, other, place);
}

function stageGone(staging: Staging, entity: Entity, key: string, place: Place): void {
  const cells: StagedCells = { ...NO_CELLS, entity, key, source: place.source, state: 'gone' };
  putUnseen(staging, { cells, values: null, place });
}

/**
 * Stores a row if its key has no other row in this run. A row that equals the last run's row is not written. A live row
 * replaces a deleted one, and one from a lower-ranked stream.
 */
function putLive(staging: Staging, placed: PlacedCells): boolean {
  if (putUnseen(staging, placed)) return true;
  const { cells, values } = placed;
  const { entity, source } = cells;
  const other = staging.table.find(cells);
  if (other === null) return true;
  const isLater = !isLink(entity) && isBefore(staging, entity, source, other.source);
  if (other.state !== 'gone' && !isLater) return false;
  if (values && isSomebodyElse(staging, other, values)) keepOther(staging, other);
  staging.known.noteConflict(entity);
  replace(staging, other, placed);
  return true;
}

/** Returns false if this run already has another row with the key. */
function putUnseen({ table, known, packer }: Staging, placed: PlacedCells): boolean {
  const { cells, place } = placed;
  const other = table.look(cells);
  if (other !== null && known.isSeen(other.row)) return false;
  const row = other?.row ?? table.insert(bodied(placed, packer));
  if (other !== null && !isSameRow(other, cells)) {
    if (other.digest !== null && other.digest === cells.digest) known.noteDrift(cells.entity, other.until);
    table.replace(row, bodied(placed, packer));
  } else if (other !== null && !isSameContent(other, cells)) table.redate(row, cells);
  known.see(cells.entity, row, place);
  return true;
}

function bodied({ cells, values }: PlacedCells, { pack }: ValuePacker): StagedCells {
  return values === null ? cells : { ...cells, body: pack(values) };
}

function replace({ table, known, packer }: Staging, { row }: OtherRow, placed: PlacedCells): void {
  table.replace(row, bodied(placed, packer));
  known.see(placed.cells.entity, row, placed.place);
}

/** Merges rows of one link, even if one of them is unusable. The link has ended only if all rows agree. */
function mergeWith(staging: Staging, other: OtherRow, placed: PlacedCells): void {
  const { cells, values } = placed;
  const [isLeaving, wasLeaving] = [cells, other].map(({ state }) => state === 'leaver');
  if (isLeaving !== wasLeaving) {
    if (wasLeaving) replace(staging, other, placed);
    return;
  }
  const there = unpackOrNull(staging.packer, other.body);
  const isFirst = there === null || isBefore(staging, cells.entity, cells.source, other.source);
  const place = isFirst ? placed.place : placeOf(staging, other);
  const { source, preference } = isFirst ? cells : other;
  const [first, second] = isFirst ? [values ?? {}, there] : [there, values];
  const merged = second === null ? first : mergeLinks(first, second);
  const hash = hashDesired(false, merged);
  const both = { ...cells, source, preference, hash, digest: null, raw: null };
  replace(staging, other, { cells: both, values: merged, place });
}

/**
 * For entities other than links, the first stream with a key wins (`from: [a, b]`), then `prefer`. Otherwise, no row
 * with that key is used.
 */
function compareWith(staging: Staging, other: OtherRow, placed: PlacedCells, { desired, raw }: StagedRow): void {
  const { entity, source, preference } = placed.cells;
  // Delivered twice: both rows have the same content for the same record.
  if (isAlike(other, placed.cells)) return;
  const isTie = preference === null || other.preference === null || preference === other.preference;
  // Both rows agree that the person has left.
  if (isTie && haveLeft(staging, other, placed)) return;
  if ((isTie && other.source === source) || isSomebodyElse(staging, other, desired.values)) {
    keepOther(staging, other);
    keep(staging, entity, desired.place, raw?.() ?? listTexts(desired.values));
  }
  if (other.source !== source) return;
  // Ties below the highest preference do not matter. Only a tie at the top counts as a duplicate.
  if (isTie) spoil(staging, other, placed.place);
  else if (isPreferred(preference, other.preference)) replace(staging, other, placed);
}

function spoil(staging: Staging, other: OtherRow, next: Place): void {
  staging.table.spoil(other.row, JSON.stringify(placeOf(staging, other)), JSON.stringify(next));
}

function placeOf({ known }: Staging, { row, source }: OtherRow): Place {
  return known.placeOf(row, source);
}

function isBefore({ ranked }: Staging, entity: Entity, one: string, other: string): boolean {
  const streams = ranked.get(entity) ?? [];
  return streams.indexOf(one) < streams.indexOf(other);
}

function keep({ keepUnusable }: Staging, of: Entity, place: Place, raw: RawRow): void {
  if (raw.length > 0) keepUnusable({ of, place: formatPlace(place), raw, kind: 'keyed' });
}

/**
 * Keeps the content of an unused row. One of the two rows with the same key may be another person's, with a mistyped
 * key.
 */
function keepOther(staging: Staging, other: OtherRow): void {
  const { entity, key, state, raw, body } = other;
  const content: unknown = raw === null ? unpackOrNull(staging.packer, body) : JSON.parse(raw);
  // For an earlier duplicate, the rows' places are known and their texts are already stored.
  if (state === 'duplicate' || content === null) return;
  keep(staging, entity, placeOf(staging, other), [key, ...listTexts(content)]);
}

function cellsOf({ desired, hash, digest, until = null, raw, keepsRaw }: StagedRow): StagedCells {
  const { entity, key, place, preference, left, writeBack: back } = desired;
  const state = stateOf(desired);
  const starts = state === 'leaver' ? jsonOrNull(left) : (desired.starts ?? null);
  return {
    entity,
    key,
    source: place.source,
    state,
    digest: digest ?? null,
    until,
    hash,
    body: null,
    preference,
    raw: keepsRaw === true ? jsonOrNull(raw?.()) : null,
    back: jsonOrNull(back),
    backHash: back === undefined ? null : hashBacking(back),
    starts,
  };
}

function stateOf({ leaver, early }: Desired): StagedCells['state'] {
  if (leaver) return 'leaver';
  return early === true ? 'early' : 'desired';
}

function haveLeft(
  { packer }: Staging,
  { entity, state, body, source }: OtherRow,
  { cells, values }: PlacedCells,
): boolean {
  if (state !== 'leaver' || cells.state !== 'leaver' || source !== cells.source || body === null) return false;
  const one = packer.unpack(body);
  return identityFields(entity).every((name) => {
    const [here, there] = [one[name], values?.[name]].map((value) =>
      listIdentities(entity, '', [{ [name]: value ?? null }]),
    );
    return here?.length === 0 || there?.length === 0 || here?.join('|') === there?.join('|');
  });
}

/** True if two rows with the same key differ in identifying values. */
function isSomebodyElse({ packer }: Staging, { entity, body }: OtherRow, values: Values): boolean {
  if (body === null) return false;
  const [one, other] = [packer.unpack(body), values].map((each) => listIdentities(entity, '', [each]).join('|'));
  return one !== other;
}

function isPreferred(one: Desired['preference'], other: Desired['preference']): boolean {
  return one !== null && other !== null && one > other;
}
