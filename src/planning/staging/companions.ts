import type { Enriching } from '../../mapping/map-result.js';
import type { Mapper } from '../../mapping/mapper.js';
import { decodeRecord, encodeRecord } from '../../model/cells-json.js';
import { formatPlace } from '../../model/place.js';
import { listIdentities, reduceText } from '../../model/raw-text.js';
import type { SourceRecord } from '../../model/source.js';
import type { WorkStore } from '../../store/work/work-store.js';
import { createCellNotes, noteFooters } from './cell-notes.js';
import { holdRejected } from './hold-rejected.js';
import { nameKeylessCompanion } from './name-keyless.js';
import type { StreamRead, StreamUse } from './read-streams.js';
import { rejectSecret } from './secret-cells.js';

interface EnrichingStage {
  readonly mapper: Mapper;
  readonly work: WorkStore;
  readonly enriching: StreamRead[];
  readonly today: Date;
}

/**
 * Handles a source whose rows enrich those of another source. It stages the enriching rows first, by their join key.
 *
 * @param staged.enriching gets the read once its rows are staged
 */
export function enrichFrom(source: string, { mapper, work, enriching: done, today }: EnrichingStage): StreamUse {
  const join = mapper.joinKeys(source);
  const notes = createCellNotes(source, work);
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
          notes.take(record, []);
          const key = join?.ofEnriching(record) ?? null;
          if (key === null) continue;
          const rank = mapper.preferenceOf(source, record, today);
          work.stageEnriching(source, key, { body: encodeRecord(record), rank, place: formatPlace(record.place) });
        }
        for (const row of batch.rejected) {
          const { row: named, isNamed } = nameKeylessCompanion(row);
          holdRejected(source, named, work, isNamed);
        }
      }),
    end(read) {
      done.push(read);
      if (read.error !== null) work.dropEnriching(source);
      notes.tell();
      noteFooters(source, [read], work);
      for (const { key, place } of work.ambiguousJoins(source)) {
        work.hold({
          entity: source,
          key,
          place,
          code: 'SYNC_MATCH_AMBIGUOUS',
          reason: `Several rows of ${source} have the join key "${key}" (${place}); the values that they would add stay unchanged.`,
          remedy:
            'Remove the wrong rows, join by something unique, or specify with `prefer` on the source which row counts.',
        });
      }
    },
  };
}

/** Everything needed to complete the rows of an entity. */
interface Completion {
  readonly mapper: Mapper;
  /** Reads of the enriching sources whose rows are staged. */
  readonly enriching: readonly StreamRead[];
  readonly work: Pick<WorkStore, 'enriching' | 'findUnusable' | 'isAnyUnusable' | 'isTooMuchUnusable' | 'openRows'>;
  readonly today: Date;
}

/** The rows that enrich a record; 'unknown' if the read does not show whether there is one. */
export function findCompanions(record: SourceRecord, completion: Completion): Enriching {
  const { mapper, enriching } = completion;
  const companions: Record<string, SourceRecord | null | 'unknown'> = {};
  const doubtful: string[] = [];
  for (const { source, evidence } of enriching) {
    const key = mapper.joinKeys(source)?.ofExistence(record) ?? null;
    companions[source] = findCompanion(source, key, evidence, completion);
    if (companions[source] === null && key !== null && evidence?.keyless === true) doubtful.push(source);
  }
  if (doubtful.length > 0) Object.assign(companions, judgeKeyless(record, doubtful, companions, completion));
  return companions;
}

function findCompanion(
  source: string,
  key: string | null,
  evidence: StreamRead['evidence'],
  { work }: Completion,
): SourceRecord | null | 'unknown' {
  const body = key === null ? null : work.enriching(source, key);
  if (body === 'ambiguous') return 'unknown';
  if (body !== null) return decodeRecord(body);
  const isRead = evidence?.complete === true || evidence?.keyless === true;
  return isRead && (key === null || !mayBeHidden(source, [reduceText(key)], work)) ? null : 'unknown';
}

/**
 * Judges a record whose row in a source may be one of those without a key, by the record's known values
 * (docs/engineering/decisions/0005). Returns 'unknown' for that source, otherwise null.
 */
function judgeKeyless(
  record: SourceRecord,
  sources: readonly string[],
  found: Enriching,
  { mapper, work, today }: Completion,
): Enriching {
  const unknown: Enriching = Object.fromEntries(sources.map((source) => [source, 'unknown']));
  const { values } = mapper.mapInPart(record, [], { ...found, ...unknown }, today);
  const identities = listIdentities(mapper.entity, record.key, [values]);
  const isHidden = (source: string): boolean =>
    work.openRows(source).length > 0 || mayBeHidden(source, identities, work);
  return Object.fromEntries(sources.map((source) => [source, isHidden(source) ? 'unknown' : null]));
}

/** True if an unusable row has one of the texts, and so may be the row in question. */
function mayBeHidden(source: string, texts: readonly string[], work: Completion['work']): boolean {
  if (!work.isAnyUnusable(source)) return false;
  return work.isTooMuchUnusable(source) || work.findUnusable(source, texts) !== null;
}
