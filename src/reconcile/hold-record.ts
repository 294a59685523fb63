import type { Desired, Hold } from '../model/desired.js';
import { formatPlace } from '../model/place.js';
import type { HoldPorts } from './ports.js';

/** A record, with the name and place that people look it up by. */
export type RecordAt = Pick<Desired, 'entity' | 'key'> & { readonly place: Desired['place'] | string };

/** Sets aside a record, or a part of its change, with the reason. */
export function holdRecord(
  { entity, key, place }: RecordAt,
  code: string,
  found: Pick<Hold, 'reason' | 'remedy' | 'field' | 'conflict' | 'relink'>,
  ports: HoldPorts,
): void {
  ports.plan.hold({ entity, key, place: typeof place === 'string' ? place : formatPlace(place), code, ...found });
}
