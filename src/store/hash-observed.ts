import { hash } from 'node:crypto';
import { canonicalJson, type Values } from '../model/json.js';

/** The hash by which the mirror tells whether an object moved. */
export function hashObserved(active: boolean, values: Values): string {
  return hash('sha256', canonicalJson([active, values]), 'base64url');
}
