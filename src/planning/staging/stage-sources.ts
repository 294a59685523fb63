import type { Config } from '../../config/config.js';
import type { Connector } from '../../connectors/connector.js';
import type { Mapper } from '../../mapping/mapper.js';
import { dayNumber } from '../../model/day-number.js';
import { ENTITIES, type Entity, isLink } from '../../model/entity.js';
import { describeSharedKey } from '../../model/shared-key.js';
import type { Vocabulary } from '../../model/vocabulary.js';
import type { WorkStore } from '../../store/work/work-store.js';
import { createCellNotes, noteFooters } from './cell-notes.js';
import { enrichFrom } from './companions.js';
import { emptyRead, judgeUnusable } from './judge-read.js';
import { readStreams, type StreamRead, type StreamUse } from './read-streams.js';
import { type OnMapped, stageBatch } from './stage-rows.js';
import { createContentNotes, findStanding } from './standing.js';
import { createWordTaker } from './take-words.js';

export interface StagedEntity {
  readonly entity: Entity;
  /** Streams that decide which objects exist. */
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
   * Everything that a mapping result depends on, other than the row and the day: the program and the configuration,
   * because mapping is pure. The result of a row stays valid as long as both are the same. null: every row is mapped,
   * and nothing is remembered.
   */
  readonly mappedUnder: string | null;
  /** True if every row is mapped again, and compared with the stored result. */
  readonly isChecked?: boolean;
  /** Gets every row that is mapped; if it is given, all rows are mapped. */
  readonly onMapped?: OnMapped | null;
  /** The words that earlier runs have seen in the operands that `leaver.when` and `scope` compare with fixed words. */
  readonly vocabulary: (entity: Entity) => Vocabulary;
}

/** Stages everything that is mapped. Each stream is read once, whatever the number of entities that use it. */
export async function stageEntities(
  mappers: Readonly<Partial<Record<Entity, Mapper>>>,
  stage: StageContext,
): Promise<readonly StagedEntity[]> {
  const { work, mappedUnder } = stage;
  const stagers = ENTITIES.flatMap((entity) => {
    const mapper = mappers[entity];
    return mapper === undefined ? [] : [createStager(entity, mapper, stage)];
  });
  const uses = stagers.flatMap((stager) => stager.uses);
  const reads = await readStreams(uses, stage.connectors, stage.signal);
  const staged = stagers.map(({ finish }) => finish(reads));
  work.keepPlaces();
  if (mappedUnder !== null) for (const { keep } of stagers) keep(reads);
  return staged;
}

interface Stager {
  readonly uses: readonly StreamUse[];
  finish(reads: ReadonlyMap<string, StreamRead>): StagedEntity;
  /** Remembers the reads, so that the same content need not be read again. Called after all entities are staged. */
  keep(reads: ReadonlyMap<string, StreamRead>): void;
}

/**
 * Stages the rows of one entity. Rows of enriching sources come first, by their join key, so that each existence row
 * finds its companions in SQLite, not in memory.
 */
function createStager(entity: Entity, mapper: Mapper, stage: StageContext): Stager {
  const { config, work, mappedUnder } = stage;
  const { origins, enriching: enrichers } = mapper;
  work.rankStreams(entity, origins);
  const context = mappedUnder === null ? null : `${mappedUnder} ${mapper.kept}`;
  const day = mapper.isDated ? dayNumber(stage.today) : null;
  const under = context === null ? null : { context, day, isChecked: stage.isChecked === true };
  if (under !== null) work.mapUnder(entity, under);
  const words = createWordTaker(entity, mapper, stage.vocabulary(entity), work);
  const enriching: StreamRead[] = [];
  const { today } = stage;
  const notes = new Map(origins.map((stream) => [stream, createContentNotes({ entity, stream, work })]));
  const remembers = context !== null;
  const cellNotes = createCellNotes(entity, work);
  const { onMapped = null } = stage;
  const staging = { entity, mapper, words, enriching, work, today, remembers, notes, cellNotes, onMapped };
  const mayStand = enrichers.length === 0 && !isLink(entity) && !words.isNew && onMapped === null;
  const stands = work.isIndexed(entity) && mayStand;
  const deciding = origins.map(
    (stream, index): StreamUse => ({
      stream,
      needs: enrichers,
      follows: origins.slice(0, index),
      take: (batch) => work.together(() => stageBatch(staging, stream, batch)),
      standing() {
        return stands ? findStanding({ entity, stream, isOnly: origins.length === 1, work }) : null;
      },
    }),
  );
  return {
    uses: [...enrichers.map((source) => enrichFrom(source, staging)), ...deciding],
    finish(reads) {
      const readOf = (streams: readonly string[]): readonly StreamRead[] =>
        streams.flatMap((one) => reads.get(one) ?? []);
      const read = readOf(origins);
      const sourcesOf = (reads: readonly StreamRead[]) => reads.map(({ source }) => source);
      const failed = read.filter(({ error }) => error !== null);
      work.forgetUnseen(entity, sourcesOf(read.filter(({ error }) => error === null)), sourcesOf(failed));
      holdDuplicates(entity, work);
      cellNotes.tell();
      noteFooters(entity, read, work);
      const isWhole = read.every(({ evidence }) => evidence?.complete === true);
      if (isWhole && under !== null) work.rememberContext(entity, under);
      const removes = config.mappings[entity]?.leaver != null;
      const mayBeEmpty = ({ source }: StreamRead): boolean => stage.connectors.get(source)?.mayBeEmpty === true;
      const judged = read
        .map((one) => judgeUnusable(entity, one, work))
        .map((one) => (removes && !mayBeEmpty(one) ? emptyRead(entity, one) : one));
      return { entity, deciding: judged, enriching: readOf(enrichers) };
    },
    keep(reads) {
      for (const [stream, one] of notes) {
        const evidence = reads.get(stream)?.evidence ?? null;
        if (evidence !== null && enrichers.length === 0 && !isLink(entity)) one.keep(evidence);
      }
    },
  };
}

function holdDuplicates(entity: Entity, work: WorkStore): void {
  for (const { key, places } of work.duplicates(entity)) work.hold({ entity, key, ...describeSharedKey(key, places) });
}
