import type { Backing } from '../model/desired.js';
import { canonicalJson, type Values } from '../model/json.js';
import { shortHash } from '../model/sha256.js';

/** Hashes the desired values of a record. One mapping gives the fields of all its records in one order, so plain JSON suffices. */
export function hashDesired(leaver: boolean, values: Values): string {
  return shortHash(`${leaver} ${JSON.stringify(values)}`);
}

/** Hashes an object, so that the mirror can detect changes. */
export function hashObserved(active: boolean, values: Values): string {
  return shortHash(canonicalJson([active, values]));
}

/** Hashes what the sources show in columns that are written back. The record's own time of change is not part of it. */
export function hashBacking({ records }: Backing): string {
  return shortHash(JSON.stringify(records));
}
