import { SyncError } from '../../base/errors.js';
import { nameHeldSource, showGuard } from '../../model/held-source.js';
import { plural } from '../../model/plural.js';
import type { ReadEvidence } from '../../model/source.js';
import type { DeliveryMemory } from '../connector.js';
import { type RowCounts, refuseDamaged } from '../rows/row-sink.js';
import type { FileRules } from './resolve-file-rules.js';

/** The settings that judge a delivery. */
interface RuledFiles {
  readonly rules: Pick<FileRules, 'maxBadShare' | 'shrinkPercent'>;
  readonly mayBeEmpty: boolean;
}

/**
 * Checks the rows of a delivery. If it has far fewer rows than the last good delivery, returns the kind of approval;
 * otherwise an empty object.
 *
 * @throws SyncError SYNC_SOURCE_DAMAGED, SYNC_SOURCE_BAD_ROWS, SYNC_SOURCE_SHRUNK; nothing of the delivery is then used
 */
export function judgeRows(
  { mayBeEmpty, rules: { maxBadShare, shrinkPercent } }: RuledFiles,
  { source, at, digest }: Pick<ReadEvidence, 'source' | 'at' | 'digest'>,
  counts: RowCounts,
  { rowsBefore, rowsAfterCut, isApproved }: DeliveryMemory,
): { readonly cut?: NonNullable<ReadEvidence['cut']> } {
  const { rows, rejected } = counts;
  if (maxBadShare === null) refuseDamaged(counts, at);
  else if (rejected > rows * maxBadShare) {
    const share = Math.round((1000 * rejected) / rows) / 10;
    throw new SyncError('SYNC_SOURCE_BAD_ROWS', {
      message: `${rejected} of ${plural(rows, 'row')} (${share} %) cannot be used; the limit is ${Math.round(1000 * maxBadShare) / 10} %.`,
      place: at,
      remedy:
        'Correct the export; a large number of bad rows usually has one cause. Each row is listed with its reason among the held records.',
    });
  }
  // A file without rows is an error of its own, which no approval ends.
  if (rows === 0 && !mayBeEmpty) return {};
  const before = rowsBefore(source);
  if (shrinkPercent === null || before === null || rows >= before * (1 - shrinkPercent / 100)) return {};
  // The hold is bound to the content, so another short delivery needs its own approval.
  const hold = nameHeldSource(source, 'shrink', digest);
  if (isApproved(hold)) return { cut: 'approved' };
  const approved = rowsAfterCut(source);
  if (approved !== null && rows >= approved * (1 - shrinkPercent / 100)) return { cut: 'later' };
  const detail = `It has ${plural(rows, 'row')}, the last good delivery had ${before}: more than ${shrinkPercent} % fewer`;
  const limit = Math.floor((before * shrinkPercent) / 100);
  throw new SyncError('SYNC_SOURCE_SHRUNK', {
    message: `${detail}. It is pending as ${showGuard(hold)}.`,
    trip: { guard: hold, limit, found: before - rows, cause: 'source shrank', detail, held: rows },
    place: at,
    remedy: `Look at the export: a file truncated at the end of a row looks like this. If these rows are really gone, approve the delivery: \`talent-sync approve --guard ${showGuard(hold)} --reason "…"\``,
  });
}
