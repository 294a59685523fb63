import type { Enriching, MapResult, PartOfRow } from '../../mapping/map-result.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { Desired, Hold } from '../../model/desired.js';
import { type Entity, isLink } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { formatPlace } from '../../model/place.js';
import { listTexts, type RawRow } from '../../model/raw-text.js';
import type { RecordBatch, RejectedRow, SourceRecord } from '../../model/source.js';
import { hashDesired } from '../../store/hash-observed.js';
import type { WorkStore } from '../../store/work/work-store.js';
import type { CellNotes } from './cell-notes.js';
import { findCompanions } from './companions.js';
import { buildRejectedHold, holdRejected } from './hold-rejected.js';
import { nameKeyless } from './name-keyless.js';
import type { StreamRead } from './read-streams.js';
import { rejectSecret } from './secret-cells.js';
import type { ContentNotes } from './standing.js';
import type { WordTaker } from './take-words.js';

/** Gets every row together with the result of its mapping. */
export type OnMapped = (entity: Entity, record: SourceRecord, companions: Enriching, result: MapResult) => void;

/** Everything needed to stage the rows of one entity. */
export interface RowStaging {
  readonly entity: Entity;
  readonly mapper: Mapper;
  readonly words: WordTaker;
  /** Reads of the enriching sources whose rows are staged. */
  readonly enriching: readonly StreamRead[];
  readonly work: WorkStore;
  readonly today: Date;
  /** True if the results of mapping are remembered. */
  readonly remembers: boolean;
  /** The notes of each stream. */
  readonly notes: ReadonlyMap<string, ContentNotes>;
  readonly cellNotes: CellNotes;
  /** If it is given, every row is mapped, even an unchanged one. */
  readonly onMapped: OnMapped | null;
}

export function stageBatch(staging: RowStaging, stream: string, batch: RecordBatch): void {
  const { entity, mapper, work, notes } = staging;
  const { records, rejected, standing = [], gone = [], merged = [] } = batch;
  if ('allAt' in standing)
    work.seeStanding(entity, { source: stream, at: standing.allAt }, mapper.origins.length === 1);
  else for (const { row, place } of standing) work.see(entity, row, place);
  if (gone.length + merged.length > 0) notes.get(stream)?.spoil();
  work.lookAhead(entity, records);
  for (const record of records) stageRecord(staging, stream, record);
  work.stageGone(entity, gone);
  work.stageMerged(entity, merged);
  for (const row of rejected) {
    notes.get(stream)?.takeRejected(row);
    stageRejected(staging, stream, row);
  }
}

function stageRecord(staging: RowStaging, stream: string, record: SourceRecord): void {
  const { entity, words, enriching, work, notes } = staging;
  // Rows that need other rows, and links that consist of several rows, are mapped in every run.
  const digest = staging.remembers && enriching.length === 0 && !isLink(entity) ? record.digest : undefined;
  const mayStand = digest !== undefined && !words.isNew && staging.onMapped === null;
  const row = mayStand ? work.findAgain(entity, digest) : null;
  if (row !== null) {
    work.see(entity, row, record.place);
    return;
  }
  const refused = rejectSecret(record);
  if (refused === null && mapRecord(staging, stream, record, digest)) return;
  notes.get(stream)?.takeRecord(record, rawOf(record));
  if (refused !== null) stageRejected(staging, stream, refused);
}

/** Returns true if the result of the row stays valid until its content changes or its day comes. */
function mapRecord(staging: RowStaging, stream: string, record: SourceRecord, known: string | undefined): boolean {
  const { entity, mapper, words, enriching, work, today, cellNotes } = staging;
  const { key, place } = record;
  const companions = findCompanions(record, staging);
  // A row with a new word is mapped again in the next run.
  const isStrange = words.take(record, companions, today);
  const result = mapper.map(record, companions, today);
  staging.onMapped?.(entity, record, companions, result);
  const isFaulty = result.kind === 'desired' && result.faulty !== undefined;
  const isNoted = cellNotes.take(record, result.kind === 'desired' ? (result.heard ?? []) : []);
  const digest = isStrange || isFaulty || isNoted ? undefined : known;
  const unused = { entity, key, source: stream, place };
  if (result.kind === 'desired') {
    const { desired, until, unread, faulty } = result;
    if (unread.length > 0) work.noteUnread(entity, desired.key, unread);
    const hash = hashDesired(desired.leaver, desired.values);
    work.stage([{ desired, hash, digest, until, raw: () => rawOf(record), keepsRaw: enriching.length > 0 }]);
    if (faulty !== undefined) holdFaulty(work, desired, faulty, rawOf(record));
  } else if (result.kind === 'out_of_scope') {
    const { until, values } = result;
    work.stageUnused({ ...unused, state: 'out', digest, until, raw: rawOf(record), values });
  } else {
    holdUnusable(work, record, result);
    work.stageUnused({ ...unused, state: 'held' });
  }
  return digest !== undefined && result.kind !== 'held';
}

function holdUnusable(work: WorkStore, record: SourceRecord, { hold, values }: MapResult & { kind: 'held' }): void {
  const entity = hold.entity as Entity;
  const place = formatPlace(record.place);
  // Before the row is held, the service is searched for the meaning of the value.
  if (hold.means === undefined) work.hold(hold);
  else work.keepFaulty(entity, hold.key, hold);
  work.keepUnusable({ of: entity, place, raw: rawOf(record), kind: 'keyed' });
  work.keepPart(entity, { key: record.key, place, values });
}

function stageRejected(staging: RowStaging, stream: string, row: RejectedRow): void {
  const { entity, work } = staging;
  const { key, place } = row;
  const { leaving = null, values } = mapInPart(staging, row) ?? {};
  if (leaving !== null) {
    const { desired } = leaving;
    work.stage([{ desired, hash: hashDesired(true, desired.values), raw: () => row.raw }]);
    holdFaulty(work, desired, { ...buildRejectedHold(entity, row), key: desired.key }, row.raw);
    return;
  }
  if (key === null && row.code === 'SYNC_ROW_KEY' && !isLink(entity)) {
    const { row: named, isNamed } = nameKeyless(entity, row, mapKeyless(staging, row));
    holdRejected(entity, named, work, isNamed);
    return;
  }
  holdRejected(entity, row, work);
  if (key !== null && values !== undefined) work.keepPart(entity, { key, place: formatPlace(place), values });
  if (key !== null) work.stageUnused({ entity, key, source: stream, place, state: 'held' });
}

/** Maps the readable part of a row; null if no value in the row is certain. */
function mapInPart(staging: RowStaging, row: RejectedRow): PartOfRow | null {
  const { mapper, words, today } = staging;
  const { key, place, readable } = row;
  if (key === null || readable === undefined) return null;
  const record = { key, place, cells: readable.cells };
  const companions = findCompanions(record, staging);
  words.take(record, companions, today);
  return mapper.mapInPart(record, readable.bad, companions, today);
}

/** Maps the cells of a row without a key; null if they cannot be read. */
function mapKeyless(staging: RowStaging, { place, readable }: RejectedRow): Values | null {
  const { mapper, today } = staging;
  if (readable === undefined) return null;
  const record = { key: '', place, cells: readable.cells };
  return mapper.mapInPart(record, readable.bad, findCompanions(record, staging), today).values;
}

/** Keeps the hold for later, because it depends on the account of the leaver. */
function holdFaulty(work: WorkStore, { entity, key, place }: Desired, hold: Hold, raw: RawRow): void {
  work.keepFaulty(entity, key, hold);
  work.keepUnusable({ of: entity, place: formatPlace(place), raw, kind: 'leaving' });
}

function rawOf({ key, raw, cells }: SourceRecord): RawRow {
  return raw ?? [key, ...listTexts(cells)];
}
