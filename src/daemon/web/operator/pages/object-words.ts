import { findEntity } from '../../../../model/entity.js';
import type { ObjectQuestion } from '../../../../operations/show-object.js';
import { tenantPath } from '../deciding.js';
import { WebRefusal, type WebRequest } from '../route.js';

/** Path of the page of one person or object, which shows stored data. */
export function objectPath(request: Pick<WebRequest, 'tenant'>, kind: string, key: string): string {
  return `${tenantPath(request)}/people/${encodeURIComponent(kind)}/${encodeURIComponent(key)}`;
}

/** Reads from an address which object it is about. @throws WebRefusal 404 for a kind that does not exist */
export function readMeant({ params }: Pick<WebRequest, 'params'>): ObjectQuestion {
  const { kind = '', key = '' } = params;
  const entity = findEntity(kind.toLowerCase().replace(/ /g, '_'));
  if (entity === undefined) throw new WebRefusal(404, 'There is nothing of that kind.');
  return { entity, key };
}

/** Path of the page that reads the sources and explains an object's way through a run. */
export function explainPath(request: Pick<WebRequest, 'tenant'>, kind: string, who: string): string {
  return `${tenantPath(request)}/people/explain?${new URLSearchParams({ kind, q: who }).toString()}`;
}

/** State of a record in the last delivery of its source. */
export const RECORD_STATES: Readonly<Record<string, string>> = {
  desired: 'reported',
  leaver: 'has left',
  early: 'starts later',
  held: 'on hold',
  duplicate: 'listed twice',
  out: 'out of scope',
  gone: 'no longer reported',
};

export const ACTIVITY = { yes: 'active', no: 'deactivated' } as const;
