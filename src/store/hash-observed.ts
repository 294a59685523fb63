import type { Backing } from '../model/desired.js';
import { canonicalJson, type Values } from '../model/json.js';
import { shortHash } from '../model/sha256.js';

/**
 * Hashes the desired values of a record. A mapping gives the fields of all records in the same order, so plain JSON
 * suffices.
 */
export function hashDesired(leaver: boolean, values: Values): string {
  return shortHash(`${leaver} ${JSON.stringify(values)}`);
}

/** Hashes an object so that the mirror can detect changes. */
export function hashObserved(active: boolean, values: Values): string {
  return shortHash(canonicalJson([active, values]));
}

/** Hashes the source values in columns that are written back, without the record's own time of change. */
export function hashBacking({ records }: Backing): string {
  return shortHash(JSON.stringify(records));
}
