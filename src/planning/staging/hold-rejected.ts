import type { Hold } from '../../model/desired.js';
import { formatPlace } from '../../model/place.js';
import type { RejectedRow } from '../../model/source.js';
import type { WorkStore } from '../../store/work/work-store.js';

/**
 * Holds a row that its connector could not read, or that must not be used.
 *
 * @param of the entity, or the enriching source
 * @param isNamed true if the row has no key but says whose row it is
 */
export function holdRejected(of: string, row: RejectedRow, work: WorkStore, isNamed = false): void {
  const hold = buildRejectedHold(of, row);
  work.hold(hold);
  work.keepUnusable({ of, place: hold.place, raw: row.raw, kind: isNamed ? 'named' : kindOf(row) });
}

function kindOf({ key, keyDoubtful }: RejectedRow): 'open' | 'keyed' {
  return key === null || keyDoubtful === true ? 'open' : 'keyed';
}

export function buildRejectedHold(of: string, { key, place, code, reason, remedy }: RejectedRow): Hold {
  return { entity: of, key: key ?? '?', place: formatPlace(place), code, reason, remedy };
}
