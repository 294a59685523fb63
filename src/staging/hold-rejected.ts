import { formatPlace } from '../model/place.js';
import type { RejectedRow } from '../model/source.js';
import type { WorkStore } from '../store/work/work-store.js';

/**
 * A row that its connector could not read, or that may not be used.
 *
 * @param of entity, or enriching source
 */
export function holdRejected(of: string, row: RejectedRow, work: WorkStore): void {
  const { code, reason, remedy, raw } = row;
  const place = formatPlace(row.place);
  work.hold({ entity: of, key: row.key ?? '?', place, code, reason, remedy });
  work.keepUnusable({ of, place, raw, isOpen: row.key === null || row.keyDoubtful === true });
}
