import { hash } from 'node:crypto';
import { canonicalJson, type Values } from '../model/json.js';
import type { Backing } from '../model/write-back.js';

/** The hash of what a record wants: one mapping gives the fields of every record in one order, so plain text will do. */
export function hashDesired(leaver: boolean, values: Values): string {
  return hash('sha256', `${leaver} ${JSON.stringify(values)}`, 'base64url');
}

/** The hash by which the mirror tells whether an object moved. */
export function hashObserved(active: boolean, values: Values): string {
  return hash('sha256', canonicalJson([active, values]), 'base64url');
}

/** The hash of what the sources show of the columns that are written back; when a record changed says nothing by itself. */
export function hashBacking({ records }: Backing): string {
  return hash('sha256', JSON.stringify(records), 'base64url');
}
