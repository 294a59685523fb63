import type { Backing } from '../model/desired.js';
import { canonicalJson, type Values } from '../model/json.js';
import { shortHash } from '../model/sha256.js';

/** The hash of what a record wants: one mapping gives the fields of every record in one order, so plain text will do. */
export function hashDesired(leaver: boolean, values: Values): string {
  return shortHash(`${leaver} ${JSON.stringify(values)}`);
}

/** The hash by which the mirror tells whether an object moved. */
export function hashObserved(active: boolean, values: Values): string {
  return shortHash(canonicalJson([active, values]));
}

/** The hash of what the sources show of the columns that are written back; when a record changed says nothing by itself. */
export function hashBacking({ records }: Backing): string {
  return shortHash(JSON.stringify(records));
}
