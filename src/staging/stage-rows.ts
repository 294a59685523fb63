import type { Mapper } from '../mapping/mapper.js';
import { type Entity, isLink } from '../model/entity.js';
import { formatPlace } from '../model/place.js';
import { listTexts, type RawRow } from '../model/raw-text.js';
import type { RecordBatch, RejectedRow, SourceRecord } from '../model/source.js';
import { hashDesired } from '../store/hash-observed.js';
import type { WorkStore } from '../store/work/work-store.js';
import { findCompanions } from './companions.js';
import { holdRejected } from './hold-rejected.js';
import type { StreamRead } from './read-streams.js';
import { rejectSecret } from './secret-cells.js';
import type { WordTaker } from './take-words.js';

/** What the rows of one entity are staged with. */
export interface RowStaging {
  readonly entity: Entity;
  readonly mapper: Mapper;
  readonly words: WordTaker;
  /** Reads of the enriching sources whose rows are here. */
  readonly enriching: readonly StreamRead[];
  readonly work: WorkStore;
  readonly today: Date;
  /** What mapping made of rows is remembered. */
  readonly remembers: boolean;
}

export function stageBatch(staging: RowStaging, stream: string, batch: RecordBatch): void {
  const { entity, work } = staging;
  for (const record of batch.records) stageRecord(staging, stream, record);
  work.stageGone(entity, batch.gone ?? []);
  work.stageMerged(entity, batch.merged ?? []);
  for (const row of batch.rejected) stageRejected(staging, stream, row);
}

function stageRecord(staging: RowStaging, stream: string, record: SourceRecord): void {
  const { entity, words, enriching, work } = staging;
  const { key, place } = record;
  // What other rows are looked up for, and links that several rows make together, are mapped in every run.
  const digest = staging.remembers && enriching.length === 0 && !isLink(entity) ? record.digest : undefined;
  if (digest !== undefined && !words.isNew && work.stageAgain({ entity, key, digest, place })) return;
  const refused = rejectSecret(record);
  if (refused === null) mapRecord(staging, stream, record, digest);
  else stageRejected(staging, stream, refused);
}

function mapRecord(staging: RowStaging, stream: string, record: SourceRecord, known: string | undefined): void {
  const { entity, mapper, words, enriching, work, today } = staging;
  const { key, place } = record;
  const companions = findCompanions(record, mapper, enriching, work);
  // A row with a new word is looked at again in the next run.
  const digest = words.take(record, companions, today) ? undefined : known;
  const result = mapper.map(record, companions, today);
  const unused = { entity, key, source: stream, place };
  if (result.kind === 'desired') {
    const { desired } = result;
    const hash = hashDesired(desired.leaver, desired.values);
    work.stage([{ desired, hash, digest, raw: () => rawOf(record), keepsRaw: enriching.length > 0 }]);
  } else if (result.kind === 'out_of_scope') {
    work.stageUnused({ ...unused, state: 'out', raw: rawOf(record), values: result.values });
  } else {
    work.hold(result.hold);
    work.keepUnusable({ of: entity, place: formatPlace(place), raw: rawOf(record), isOpen: false });
    work.stageUnused({ ...unused, state: 'held' });
  }
}

function stageRejected({ entity, work }: RowStaging, stream: string, row: RejectedRow): void {
  holdRejected(entity, row, work);
  const { key, place } = row;
  if (key !== null) work.stageUnused({ entity, key, source: stream, place, state: 'held' });
}

function rawOf({ key, raw, cells }: SourceRecord): RawRow {
  return raw ?? [key, ...listTexts(cells)];
}
