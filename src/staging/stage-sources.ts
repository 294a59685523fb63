import type { Config } from '../config/config.js';
import type { Connector } from '../connectors/connector.js';
import { SyncError } from '../errors.js';
import type { Enriching, Mapper } from '../mapping/mapper.js';
import { decodeRecord, encodeRecord } from '../model/cells-json.js';
import { ENTITIES, type Entity, isLink, TRAITS } from '../model/entity.js';
import { formatPlace } from '../model/place.js';
import { listTexts, type RawRow, reduceText } from '../model/raw-text.js';
import type { RecordBatch, RejectedRow, SourceRecord } from '../model/source.js';
import type { Vocabulary } from '../model/vocabulary.js';
import { hashDesired } from '../store/hash-observed.js';
import type { WorkStore } from '../store/work/work-store.js';
import { readStreams, type StreamRead, type StreamUse } from './read-streams.js';
import { rejectSecret } from './secret-cells.js';
import { createWordTaker, type WordTaker } from './take-words.js';

export type { StreamRead };

export interface StagedEntity {
  readonly entity: Entity;
  /** Streams that decide which objects exist. Empty of errors only when all could be read. */
  readonly deciding: readonly StreamRead[];
  readonly enriching: readonly StreamRead[];
}

export interface StageContext {
  readonly config: Config;
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly work: WorkStore;
  readonly today: Date;
  readonly signal: AbortSignal | undefined;
  /**
   * All on which the result of mapping a row rests besides the row (program, configuration and day, for mapping is pure):
   * what was made of a row stands as long as both stay. null: every row is mapped, and nothing is remembered.
   */
  readonly mappedUnder: string | null;
  /** What earlier runs have seen where `leaver.when` and `scope` compare with words. */
  readonly vocabulary: (entity: Entity) => Vocabulary;
}

/** Everything that is mapped. Each stream is read once, whatever number of entities use it. */
export async function stageEntities(
  mappers: Readonly<Partial<Record<Entity, Mapper>>>,
  stage: StageContext,
): Promise<readonly StagedEntity[]> {
  if (stage.mappedUnder !== null) stage.work.mapUnder(stage.mappedUnder);
  const stagers = ENTITIES.flatMap((entity) => {
    const mapper = mappers[entity];
    return mapper === undefined ? [] : [createStager(entity, mapper, stage)];
  });
  const uses = stagers.flatMap((stager) => stager.uses);
  const reads = await readStreams(uses, stage.connectors, stage.signal);
  return stagers.map(({ finish }) => finish(reads));
}

interface Stager {
  readonly uses: readonly StreamUse[];
  finish(reads: ReadonlyMap<string, StreamRead>): StagedEntity;
}

/**
 * What one entity does with the rows of its streams: rows of enriching sources lie there first, by their join key, so that
 * each existence row finds its companions in SQLite and nothing is gathered in memory.
 */
function createStager(entity: Entity, mapper: Mapper, stage: StageContext): Stager {
  const { config, work, mappedUnder } = stage;
  const { origins, enriching: enrichers } = mapper;
  work.rankStreams(entity, origins);
  const words = createWordTaker(entity, mapper, stage.vocabulary(entity), work);
  const enriching: StreamRead[] = [];
  const deciding = origins.map(
    (stream, index): StreamUse => ({
      stream,
      needs: enrichers,
      follows: origins.slice(0, index),
      take: (batch) => work.together(() => stageBatch(entity, stream, batch, mapper, words, enriching, stage)),
    }),
  );
  return {
    uses: [...enrichers.map((source) => enrichFrom(source, mapper, work, enriching)), ...deciding],
    finish(reads) {
      const readOf = (streams: readonly string[]): readonly StreamRead[] =>
        streams.flatMap((one) => reads.get(one) ?? []);
      const read = readOf(origins);
      holdDuplicates(entity, work);
      const isWhole = read.every(({ evidence }) => evidence?.complete === true);
      if (isWhole && mappedUnder !== null) work.forgetUnstaged(entity);
      const removes = config.mappings[entity]?.leaver != null;
      const mayBeEmpty = ({ source }: StreamRead): boolean => stage.connectors.get(source)?.mayBeEmpty === true;
      const judged = read
        .map((one) => judgeUnusable(entity, one, work))
        .map((one) => (removes && !mayBeEmpty(one) ? refuseEmpty(entity, one) : one));
      return { entity, deciding: judged, enriching: readOf(enrichers) };
    },
  };
}

/** @param done where the read is put when its rows lie there */
function enrichFrom(source: string, mapper: Mapper, work: WorkStore, done: StreamRead[]): StreamUse {
  const join = mapper.joinKeys(source);
  return {
    stream: source,
    needs: [],
    follows: [],
    take: (batch) =>
      work.together(() => {
        for (const record of batch.records) {
          const refused = rejectSecret(record);
          if (refused !== null) {
            holdRejected(source, refused, work);
            continue;
          }
          const key = join?.ofEnriching(record) ?? null;
          if (key !== null) work.stageEnriching(source, key, encodeRecord(record), formatPlace(record.place));
        }
        for (const row of batch.rejected) holdRejected(source, row, work);
      }),
    end(read) {
      done.push(read);
      if (read.error !== null) work.dropEnriching(source);
      for (const { key, place } of work.ambiguousJoins(source)) {
        work.hold({
          entity: source,
          key,
          place,
          code: 'SYNC_MATCH_AMBIGUOUS',
          reason: `Several rows of ${source} have the join key "${key}" (${place}); what they would add stays as it was.`,
          remedy: 'Remove the rows that are wrong, or join by something that is unique.',
        });
      }
    },
  };
}

function stageBatch(
  entity: Entity,
  origin: string,
  batch: RecordBatch,
  mapper: Mapper,
  words: WordTaker,
  enrichers: readonly StreamRead[],
  { work, today, mappedUnder }: StageContext,
): void {
  // What other rows are looked up for, and links that several rows make together, are mapped in every run.
  const keepsRaw = enrichers.length > 0;
  const takeRejected = (row: RejectedRow): void => {
    holdRejected(entity, row, work);
    if (row.key !== null) work.stageState(entity, row.key, origin, JSON.stringify(row.place), 'held', null);
  };
  const remembers = mappedUnder !== null && !keepsRaw && !isLink(entity);
  for (const record of batch.records) {
    const known = remembers && !words.isNew ? record.digest : undefined;
    if (known !== undefined && work.stageAgain({ entity, key: record.key, digest: known, place: record.place }))
      continue;
    const refused = rejectSecret(record);
    if (refused !== null) {
      takeRejected(refused);
      continue;
    }
    const companions = findCompanions(record, mapper, enrichers, work);
    const isStrange = words.take(record, companions, today);
    // A row with a new word is looked at again in the next run.
    const digest = remembers && !isStrange ? record.digest : undefined;
    const result = mapper.map(record, companions, today);
    if (result.kind === 'desired') {
      const { values, leaver } = result.desired;
      const row = { desired: result.desired, hash: hashDesired(leaver, values), raw: () => rawOf(record), keepsRaw };
      work.stage([digest === undefined ? row : { ...row, digest }]);
      continue;
    }
    const place = JSON.stringify(record.place);
    const raw = rawOf(record);
    if (result.kind === 'held') {
      work.hold(result.hold);
      work.keepUnusable({ of: entity, place: formatPlace(record.place), raw, isOpen: false });
    }
    work.stageState(
      entity,
      record.key,
      origin,
      place,
      result.kind === 'held' ? 'held' : 'out',
      result.kind === 'held' ? null : raw,
      result.kind === 'out_of_scope' ? (result.values ?? null) : null,
    );
  }
  work.stageGone(entity, batch.gone ?? []);
  work.stageMerged(entity, batch.merged ?? []);
  for (const row of batch.rejected) takeRejected(row);
}

function holdRejected(of: string, row: RejectedRow, work: WorkStore): void {
  const { code, reason, remedy, raw } = row;
  const place = formatPlace(row.place);
  work.hold({ entity: of, key: row.key ?? '?', place, code, reason, remedy });
  work.keepUnusable({ of, place, raw, isOpen: row.key === null || row.keyDoubtful === true });
}

function rawOf({ key, raw, cells }: SourceRecord): RawRow {
  return raw ?? [key, ...listTexts(cells)];
}

/** The rows that enrich a record; 'unknown' where a failed or incomplete read leaves open whether there is one. */
export function findCompanions(
  record: SourceRecord,
  mapper: Mapper,
  enrichers: readonly StreamRead[],
  work: Pick<WorkStore, 'enriching' | 'findUnusable' | 'isAnyUnusable' | 'isTooMuchUnusable'>,
): Enriching {
  const companions: Record<string, SourceRecord | null | 'unknown'> = {};
  for (const { source, evidence } of enrichers) {
    const key = mapper.joinKeys(source)?.ofExistence(record) ?? null;
    const body = key === null ? null : work.enriching(source, key);
    if (body === 'ambiguous') companions[source] = 'unknown';
    else if (body !== null) companions[source] = decodeRecord(body);
    else companions[source] = evidence?.complete === true && !mayBeHidden(source, key, work) ? null : 'unknown';
  }
  return companions;
}

/** Whether the row with that join key may be one of those that could not be used. */
function mayBeHidden(
  source: string,
  key: string | null,
  work: Pick<WorkStore, 'findUnusable' | 'isAnyUnusable' | 'isTooMuchUnusable'>,
): boolean {
  if (key === null || !work.isAnyUnusable(source)) return false;
  return work.isTooMuchUnusable(source) || work.findUnusable(source, [reduceText(key)]) !== null;
}

function holdDuplicates(entity: Entity, work: WorkStore): void {
  for (const { key, places } of work.duplicates(entity)) {
    const where = places.map(formatPlace);
    work.hold({
      entity,
      key,
      place: where.join(' and '),
      code: 'SYNC_MAP_DUPLICATE_KEY',
      reason: `The key "${key}" stands in several rows (${where.join(', ')}); none of them is used.`,
      remedy: 'Remove the rows that are wrong, or say which one counts with `prefer` on the source.',
    });
  }
}

/** Nobody at all is no list of people: a source that decides what may be taken away and has no rows is at fault. */
function refuseEmpty(entity: Entity, read: StreamRead): StreamRead {
  if (read.evidence === null || read.evidence.rows > 0) return read;
  const error = new SyncError('SYNC_SOURCE_EMPTY', {
    message: `The source ${read.source} delivered no rows, so it says nothing about any ${TRAITS[entity].singular}.`,
    place: read.evidence.at,
    remedy: `Look at the export: ${entity.replaceAll('_', ' ')} are left alone until it delivers them again.`,
  });
  return { ...read, error };
}

/**
 * What rows that could not be used leave open (docs/decisions/0005). Whom they name is looked at one by one, where somebody
 * is missing. A row whose own key cannot be trusted and that names nobody who lacks a row may stand for anybody.
 */
function judgeUnusable(entity: Entity, read: StreamRead, work: WorkStore): StreamRead {
  const { evidence } = read;
  if (evidence?.complete !== true) return read;
  const open = work.isTooMuchUnusable(entity)
    ? null
    : work.openRows(entity).filter(({ raw }) => !work.standsForLinked(entity, raw)).length;
  if (open === 0) return read;
  const incompleteBecause =
    open === null
      ? 'too many rows could not be used to look for those who are missing in them'
      : `${open} damaged ${open === 1 ? 'row' : 'rows'} may stand for anybody`;
  return { ...read, evidence: { ...evidence, complete: false, incompleteBecause } };
}
