import type { Candidate } from '../model/desired.js';
import { formatPlace } from '../model/place.js';
import type { ReconcilePorts } from './ports.js';

/** Sets a record aside, or a part of its change, with the reason. */
export function holdRecord(
  { desired }: Candidate,
  code: string,
  { reason, remedy }: { readonly reason: string; readonly remedy: string },
  ports: Pick<ReconcilePorts, 'hold'>,
): void {
  const { entity, key, place } = desired;
  ports.hold({ entity, key, place: formatPlace(place), code, reason, remedy });
}
