import { SyncError } from '../../base/errors.js';
import { type Entity, TRAITS } from '../../model/entity.js';
import type { ReadEvidence } from '../../model/source.js';
import type { WorkStore } from '../../store/work/work-store.js';
import type { StreamRead } from './read-streams.js';

/** An empty list proves nothing about people, so a source that decides about removals and has no rows is faulty. */
export function emptyRead(entity: Entity, read: StreamRead): StreamRead {
  if (read.evidence === null || read.evidence.rows > 0) return read;
  const error = new SyncError('SYNC_SOURCE_EMPTY', {
    message: `The source ${read.source} delivered no rows, so it says nothing about any ${TRAITS[entity].singular}.`,
    place: read.evidence.at,
    remedy: `Look at the export: ${entity.replaceAll('_', ' ')} are left alone until the source delivers them again.`,
  });
  return { ...read, error };
}

/**
 * Judges the effect of unusable rows on absences (docs/engineering/decisions/0005). If a person is missing, the people
 * named in these rows are checked one by one. A row whose own key cannot be trusted, and that names nobody who lacks a
 * row, may belong to anyone.
 */
export function judgeUnusable(entity: Entity, read: StreamRead, work: WorkStore): StreamRead {
  const { evidence } = read;
  if (evidence === null || (!evidence.complete && evidence.keyless !== true)) return read;
  const open = work.isTooMuchUnusable(entity)
    ? null
    : work.openRows(entity).filter(({ raw }) => !work.standsForLinked(entity, raw)).length;
  if (open === 0) return { ...read, evidence: believe(evidence) };
  if (!evidence.complete) return read;
  return { ...read, evidence: { ...evidence, complete: false, incompleteBecause: describeOpen(open) } };
}

/** It is known which people the rows without a key may be about, so the absence of everyone else is proved. */
function believe({ incompleteBecause: _because, ...evidence }: ReadEvidence): ReadEvidence {
  return { ...evidence, complete: true };
}

/** @param open the number of rows that may be about anyone; null if there are too many */
function describeOpen(open: number | null): string {
  if (open === null) return 'too many rows are unusable, so they were not searched for those who are missing';
  return `${open} damaged ${open === 1 ? 'row' : 'rows'} may be about anyone`;
}
