import { hash } from 'node:crypto';
import { canonicalJson, type Values } from '../model/json.js';

/** The hash of what a record wants: one mapping gives the fields of every record in one order, so plain text will do. */
export function hashDesired(leaver: boolean, values: Values): string {
  return hash('sha256', `${leaver} ${JSON.stringify(values)}`, 'base64url');
}

/** The hash by which the mirror tells whether an object moved. */
export function hashObserved(active: boolean, values: Values): string {
  return hash('sha256', canonicalJson([active, values]), 'base64url');
}
