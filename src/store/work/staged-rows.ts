import type { Desired } from '../../model/desired.js';
import { type Entity, isLink } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { formatPlace, type Place } from '../../model/place.js';
import { listIdentities, listTexts, type RawRow } from '../../model/raw-text.js';
import type { GoneRow, MergedRow } from '../../model/source.js';
import { mergeLinks } from '../../model/staffing.js';
import { hashBacking, hashDesired } from '../hash-observed.js';
import type { MappedRows } from '../mirror/mapped-rows.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, jsonOrNull, parseOrNull } from '../statements.js';
import { createStagedTable, NO_CELLS, type OtherRow, type StagedCells, type StagedTable } from './staged-table.js';
import type { UnusableRows } from './unusable-store.js';

export interface StagedRow {
  readonly desired: Desired;
  readonly hash: string;
  /** Of its source's row, where the values are to be remembered until the row changes. */
  readonly digest?: string | undefined;
  /** What is in its row. */
  readonly raw?: () => RawRow;
  /** Its values come from other rows as well, so that they don't tell what is in its own. */
  readonly keepsRaw?: boolean;
}

/** A row that is not desired but was seen: out of scope, or held. It stands for its person all the same. */
export interface UnusedRow {
  readonly entity: Entity;
  readonly key: string;
  /** Stream. */
  readonly source: string;
  readonly place: Place;
  readonly state: 'out' | 'held';
  /** Of a row out of scope: what is in it. A held one's is kept by the caller that holds it. */
  readonly raw?: RawRow | undefined;
  /** Of a row out of scope, so that its account can still be found. */
  readonly values?: Values | null | undefined;
}

/** What the rules of staging work with. */
interface Staging {
  readonly table: StagedTable;
  readonly ranked: Map<Entity, readonly string[]>;
  readonly remember: MappedRows['remember'];
  readonly keepUnusable: UnusableRows['keepUnusable'];
}

/** What the sources want in this run. */
export function createStagedRows(
  sqlite: Sqlite,
  remember: MappedRows['remember'],
  keepUnusable: UnusableRows['keepUnusable'],
) {
  const staging: Staging = { table: createStagedTable(sqlite), ranked: new Map(), remember, keepUnusable };
  const { atOnce, run } = createStatements(sqlite);
  const insertMerged = run('INSERT OR REPLACE INTO merged VALUES ($entity, $from, $into)');
  const unstage = ['staged_rows', 'held', 'strange_words'].map((table) =>
    run(`DELETE FROM ${table} WHERE entity = $entity`),
  );
  return {
    /** Of several streams of an entity, the first that has a key wins, in whatever order their rows are staged. */
    rankStreams: (entity: Entity, streams: readonly string[]) => void staging.ranked.set(entity, streams),
    stage(rows: readonly StagedRow[]): void {
      for (const row of rows) stageOne(staging, row);
    },
    stageUnused: (row: UnusedRow) => stageUnused(staging, row),
    /** Rows that the source says were deleted; any other row of the same key, earlier or later, takes their place. */
    stageGone: atOnce((entity: Entity, rows: readonly GoneRow[]) => {
      for (const { key, place } of rows) {
        const cells = { ...NO_CELLS, entity, key, source: place.source, state: 'gone', place: JSON.stringify(place) };
        staging.table.insert(cells);
      }
    }),
    /** Records that were merged into others of the same source. */
    stageMerged(entity: Entity, rows: readonly MergedRow[]): void {
      for (const { from, into } of rows) insertMerged({ entity, from, into });
    },
    /** Forgets the rows of an entity, and what is held of them: its source is not to be used. */
    unstage(entity: Entity): void {
      for (const statement of unstage) statement({ entity });
    },
  };
}

function stageOne(staging: Staging, row: StagedRow): void {
  const cells = cellsOf(row);
  const { entity, key, state, body } = cells;
  const { desired, hash, digest } = row;
  // Rank and backing are kept nowhere but here: what `prefer` chooses among, and what is written back, is mapped in every run.
  const kept = desired.preference === null && desired.writeBack === undefined ? digest : undefined;
  if (insertLive(staging, kept === undefined ? cells : { ...cells, body: null, remembered: 1 }, desired.values)) {
    if (kept !== undefined) staging.remember({ entity, key, digest: kept, state, hash, body });
    return;
  }
  const other = staging.table.find(cells);
  if (other === null) return;
  if (isLink(entity)) mergeWith(staging, other, cells, desired.values);
  else compareWith(staging, other, cells, row);
}

function stageUnused(staging: Staging, { place: at, raw, values, ...row }: UnusedRow): void {
  const place = JSON.stringify(at);
  const cells = { ...NO_CELLS, ...row, place, body: jsonOrNull(values), raw: jsonOrNull(raw) };
  if (insertLive(staging, cells, values) || isLink(row.entity)) return;
  const other = staging.table.find(cells);
  if (other?.source !== row.source) return;
  keepOther(staging, cells, other);
  keep(staging, row.entity, at, raw ?? []);
  staging.table.spoil(cells);
}

/** A row that is there takes the place of one that was deleted, and of one from a stream that comes after its own. */
function insertLive(staging: Staging, cells: StagedCells, values: Values | null | undefined): boolean {
  const { table } = staging;
  if (table.insert(cells) === 1) return true;
  const { entity, source } = cells;
  const other = table.find(cells);
  if (other === null) return false;
  const isLater = !isLink(entity) && isBefore(staging, entity, source, other.source);
  if (other.state !== 'gone' && !isLater) return false;
  if (values && isSomebodyElse(entity, other.body, values)) keepOther(staging, cells, other);
  table.drop(cells);
  return table.insert(cells) === 1;
}

/** Rows of one link are one, beside one that cannot be used too. */
function mergeWith(staging: Staging, other: OtherRow, cells: StagedCells, values: Values): void {
  const there = parseOrNull<Values>(other.body);
  const isFirst = there === null || isBefore(staging, cells.entity, cells.source, other.source);
  const { source, place, preference } = isFirst ? cells : other;
  const [first, second] = isFirst ? [values, there] : [there, values];
  const merged = second === null ? first : mergeLinks(first, second);
  const body = JSON.stringify(merged);
  staging.table.replace({ ...cells, source, place, preference, hash: hashDesired(false, merged), body, raw: null });
}

/** Of all but links the first stream that has a key wins (`from: [a, b]`), then `prefer`; else no row of it is used. */
function compareWith(staging: Staging, other: OtherRow, cells: StagedCells, { desired, raw }: StagedRow): void {
  const { entity, source, preference } = cells;
  const isTie = preference === null || other.preference === null || preference === other.preference;
  if ((isTie && other.source === source) || isSomebodyElse(entity, other.body, desired.values)) {
    keepOther(staging, cells, other);
    keep(staging, entity, desired.place, raw?.() ?? listTexts(desired.values));
  }
  if (other.source !== source) return;
  // Rows that tie below a greater one are as good as not there: only a tie at the top is a duplicate.
  if (isTie) staging.table.spoil(cells);
  else if (isPreferred(preference, other.preference)) staging.table.replace(cells);
}

function isBefore({ ranked }: Staging, entity: Entity, one: string, other: string): boolean {
  const streams = ranked.get(entity) ?? [];
  return streams.indexOf(one) < streams.indexOf(other);
}

function keep({ keepUnusable }: Staging, of: Entity, place: Place, raw: RawRow): void {
  if (raw.length > 0) keepUnusable({ of, place: formatPlace(place), raw, isOpen: false });
}

/** Of two rows of one key not both are used, and one of the keys may be another person's, mistyped. */
function keepOther(staging: Staging, { entity, key }: StagedCells, { state, raw, body, place }: OtherRow): void {
  const text = raw ?? body;
  // Of a row that was a duplicate before, the places of all are known, and their texts are kept.
  if (state !== 'duplicate' && text !== null)
    keep(staging, entity, JSON.parse(place) as Place, [key, ...listTexts(JSON.parse(text))]);
}

function cellsOf({ desired, hash, raw, keepsRaw }: StagedRow): StagedCells & { readonly body: string } {
  const { entity, key, place, preference, writeBack: back } = desired;
  return {
    entity,
    key,
    source: place.source,
    state: stateOf(desired),
    hash,
    body: JSON.stringify(desired.values),
    place: JSON.stringify(place),
    preference,
    raw: keepsRaw === true ? jsonOrNull(raw?.()) : null,
    back: jsonOrNull(back),
    backHash: back === undefined ? null : hashBacking(back),
    remembered: 0,
  };
}

function stateOf({ leaver, early }: Desired): StagedCells['state'] {
  if (leaver) return 'leaver';
  return early === true ? 'early' : 'desired';
}

/** Rows of one key that differ in what people are known by. */
function isSomebodyElse(entity: Entity, body: string | null, values: Values): boolean {
  if (body === null) return false;
  const [one, other] = [JSON.parse(body) as Values, values].map((each) => listIdentities(entity, '', [each]).join('|'));
  return one !== other;
}

function isPreferred(one: Desired['preference'], other: Desired['preference']): boolean {
  return one !== null && other !== null && one > other;
}
