import type { EventKind } from '../../model/notification.js';
import type { EventBody } from './settle-events.js';

type PlaceOf = (event: EventBody) => string;

const GUARDS = 'plans/newest#guards';
/** The tenant's page, with all waiting items and the reasons why the tenant is stopped. */
const tenantItself: PlaceOf = () => '';
/** The page of a single waiting item, or the list for several items. */
const waitingItem: PlaceOf = ({ item = null }) => (item === null ? '#waiting' : `waiting/${encodeURIComponent(item)}`);

/** The place with the buttons that end each kind of event, below the tenant's page. */
const PLACES: Readonly<Record<EventKind, PlaceOf>> = {
  paused: tenantItself,
  guard: () => GUARDS,
  // A held delivery is approved in the same way as a guard.
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

/** An ended event needs no decision. For kinds with decisions, the audit shows them. */
function placeAfter({ outcome = null }: EventBody): string {
  return outcome === null ? '' : 'audit';
}

/** `/tenants/acme/plans/newest#guards` */
export function placeMessage(tenant: string, event: EventBody): string {
  const place = event.until === null ? PLACES[event.kind](event) : placeAfter(event);
  const separator = place === '' || place.startsWith('#') ? '' : '/';
  return `/tenants/${encodeURIComponent(tenant)}${separator}${place}`;
}
