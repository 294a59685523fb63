import { hash } from 'node:crypto';
import { canonicalJson, type Values } from '../model/json.js';
import type { Backing } from '../model/write-back.js';

/** 132 bits: nobody finds two contents of one hash, and each row of both databases has some of them. */
const HASH_LENGTH = 22;

function hashText(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, HASH_LENGTH);
}

/** The hash of what a record wants: one mapping gives the fields of every record in one order, so plain text will do. */
export function hashDesired(leaver: boolean, values: Values): string {
  return hashText(`${leaver} ${JSON.stringify(values)}`);
}

/** The hash by which the mirror tells whether an object moved. */
export function hashObserved(active: boolean, values: Values): string {
  return hashText(canonicalJson([active, values]));
}

/** The hash of what the sources show of the columns that are written back; when a record changed says nothing by itself. */
export function hashBacking({ records }: Backing): string {
  return hashText(JSON.stringify(records));
}
