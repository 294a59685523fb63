import type { Entity } from './entity.js';
import { FIELDS } from './fields.js';
import { isJsonObject, type Json, type Values } from './json.js';

/** What the service holds, in the model's vocabulary: the mirror's copy of one object. */
export interface Observed {
  readonly entity: Entity | 'countries';
  readonly id: string;
  /** Readable fields only; a field the read did not show is absent, one the service shows empty is null. */
  readonly values: Values;
  /** False for a deactivated user; true for everything else. */
  readonly active: boolean;
  /** What the object is called, for people. */
  readonly label: string;
  /** Hash over `values` and `active`. */
  readonly hash: string;
}

/**
 * The form in which keys are compared: Unicode NFC, outer white space off, inner runs as one blank, without case.
 * An e-mail in capitals or an office typed with a trailing blank is the same key.
 */
export function foldKey(value: string): string {
  return value.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** The folded forms under which a value can be found: a multilingual name by any of its languages. */
export function keyValues(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (isJsonObject(value)) return Object.values(value).flatMap((item) => keyValues(item));
  return [foldKey(String(value))];
}

/** Under which keys an object can be found: its matchable and unique fields, and a project's customer. */
export function correlationKeys(observed: Observed): readonly { readonly name: string; readonly value: string }[] {
  const { entity, values } = observed;
  if (entity !== 'users' && entity !== 'customers' && entity !== 'projects') return [];
  const keys = Object.entries(FIELDS[entity])
    .filter(([, field]) => field.matchable === true || field.unique === true)
    .flatMap(([name]) => keyValues(values[name]).map((value) => ({ name, value })));
  const customer = values.company_customer_id;
  if (typeof customer === 'string') keys.push({ name: 'company_customer_id', value: customer });
  return keys;
}
