import type { EventKind } from '../../model/notification.js';
import type { EventBody } from './settle-events.js';

type PlaceOf = (event: EventBody) => string;

const GUARDS = 'plans/newest#guards';
/** Everything that waits of the tenant, and what stops it. */
const tenantItself: PlaceOf = () => '';
/** The page of the one thing that waits; of several, their list. */
const waitingItem: PlaceOf = ({ item = null }) => (item === null ? '#waiting' : `waiting/${encodeURIComponent(item)}`);

/** Where the buttons are that end each kind of event, under the page of the tenant. */
const PLACES: Readonly<Record<EventKind, PlaceOf>> = {
  paused: tenantItself,
  guard: () => GUARDS,
  // A delivery that is held is approved as a guard.
  source: ({ of }) => (of.startsWith('sources.') ? GUARDS : ''),
  key: tenantItself,
  run: tenantItself,
  configuration: () => 'configuration',
  conflict: waitingItem,
  write_back: waitingItem,
  delivery: waitingItem,
  engine_drift: waitingItem,
  audit: tenantItself,
  channel: waitingItem,
};

/** Nothing is left to decide about an event that is over. The audit has the decisions, where people could decide. */
function placeAfter({ outcome = null }: EventBody): string {
  return outcome === null ? '' : 'audit';
}

/** `/tenants/acme/plans/newest#guards` */
export function placeMessage(tenant: string, event: EventBody): string {
  const place = event.until === null ? PLACES[event.kind](event) : placeAfter(event);
  const separator = place === '' || place.startsWith('#') ? '' : '/';
  return `/tenants/${encodeURIComponent(tenant)}${separator}${place}`;
}
