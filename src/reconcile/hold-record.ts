import type { Candidate, Hold } from '../model/desired.js';
import { formatPlace } from '../model/place.js';
import type { HoldPorts } from './ports.js';

/** Sets a record aside, or a part of its change, with the reason. */
export function holdRecord(
  { desired }: Candidate,
  code: string,
  found: Pick<Hold, 'reason' | 'remedy' | 'conflict' | 'relink'>,
  ports: HoldPorts,
): void {
  const { entity, key, place } = desired;
  ports.plan.hold({ entity, key, place: formatPlace(place), code, ...found });
}
