import type { Enriching, Mapper } from '../mapping/mapper.js';
import { decodeRecord, encodeRecord } from '../model/cells-json.js';
import { formatPlace } from '../model/place.js';
import { reduceText } from '../model/raw-text.js';
import type { SourceRecord } from '../model/source.js';
import type { WorkStore } from '../store/work/work-store.js';
import { createCellNotes } from './cell-notes.js';
import { holdRejected } from './hold-rejected.js';
import type { StreamRead, StreamUse } from './read-streams.js';
import { rejectSecret } from './secret-cells.js';

/**
 * What a source does whose rows enrich those of another: they are there first, by their join key.
 *
 * @param done where the read is put when its rows are there
 */
export function enrichFrom(source: string, mapper: Mapper, work: WorkStore, done: StreamRead[]): StreamUse {
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
          if (key !== null) work.stageEnriching(source, key, encodeRecord(record), formatPlace(record.place));
        }
        for (const row of batch.rejected) holdRejected(source, row, work);
      }),
    end(read) {
      done.push(read);
      if (read.error !== null) work.dropEnriching(source);
      notes.tell();
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
