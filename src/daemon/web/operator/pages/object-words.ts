import { tenantPath } from '../deciding.js';
import type { WebRequest } from '../route.js';

/** Path of the page of one person or object, which shows stored data. */
export function objectPath(request: Pick<WebRequest, 'tenant'>, kind: string, key: string): string {
  return `${tenantPath(request)}/people/${encodeURIComponent(kind)}/${encodeURIComponent(key)}`;
}

/** Path of its explanation, which reads the sources. */
export function explainPath(request: Pick<WebRequest, 'tenant'>, kind: string, who: string): string {
  return `${tenantPath(request)}/people/explain?${new URLSearchParams({ kind, q: who }).toString()}`;
}

/** State of a record in the last delivery of its source. */
export const RECORD_STATES: Readonly<Record<string, string>> = {
  desired: 'is wanted',
  leaver: 'has left',
  early: 'waits',
  held: 'is held',
  duplicate: 'is there twice',
  out: 'is out of scope',
  gone: 'is gone',
};

export const ACTIVITY = { yes: 'active', no: 'deactivated' } as const;
