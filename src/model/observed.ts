import { type Comparison, evenOut, USUAL, WIDEST } from './comparison.js';
import { ENTITIES, type Entity, isLink, TRAITS } from './entity.js';
import { FIELDS, type Field } from './fields.js';
import { isJsonObject, type Json, type Values } from './json.js';

/** The state of one object in the service, from the mirror, in the model's vocabulary. */
export interface Observed {
  readonly entity: Entity;
  readonly id: string;
  /** Readable fields only. A field that the read did not show is absent; one that the service shows empty is null. */
  readonly values: Values;
  /** False for a deactivated user; true for everything else. */
  readonly active: boolean;
  readonly label: string;
  /** Hash over `values` and `active`. */
  readonly hash: string;
}

/**
 * The form in which keys are stored and looked up, by the usual rule: Unicode NFC, trimmed, runs of white space as one space,
 * without case. An e-mail in capitals or an office typed with a trailing space is the same key.
 */
export function foldKey(value: string): string {
  return evenOut(value, USUAL);
}

/** The forms by which a value can be found: a multilingual name by any of its languages. A blank value has none. */
export function keyValues(value: Json | undefined, rule: Comparison = USUAL): readonly string[] {
  if (value === undefined || value === null) return [];
  if (isJsonObject(value)) return Object.values(value).flatMap((item) => keyValues(item, rule));
  const even = evenOut(String(value), rule);
  return even.trim() === '' ? [] : [even];
}

/** The name under which a key is stored in its widest form, if that differs from the usual one, as for `Ｆｊｏｒｄ`. */
export function wideName(name: string): string {
  return `${name}~wide`;
}

/**
 * The keys by which an object can be found: its matchable and unique fields, within their scope if they have one, and its
 * owner. A reference is found by its id.
 */
export function correlationKeys(observed: Observed): readonly CorrelationKey[] {
  const { entity, values } = observed;
  const { scope, parent } = TRAITS[entity];
  const within = scope === undefined ? undefined : values[`${scope}_id`];
  const at = (value: string): string => (scope === undefined ? value : scopedKey(String(within), value));
  const keyed = scope !== undefined && within === undefined ? [] : (KEYED.get(entity) ?? []);
  const keys: CorrelationKey[] = [];
  for (const [name, { matchable, to }] of keyed) {
    const usual = keyValues(values[to === undefined ? name : `${name}_id`]);
    for (const value of usual) keys.push({ name, value: at(value) });
    if (matchable === true) addWide(keys, wideName(name), usual, at);
  }
  const owner = parent === undefined ? undefined : values[parent];
  if (parent !== undefined && typeof owner === 'string') keys.push({ name: parent, value: owner });
  return keys;
}

interface CorrelationKey {
  readonly name: string;
  readonly value: string;
}

/** Adds the widest form of each value that differs from the usual one. */
function addWide(keys: CorrelationKey[], name: string, usual: readonly string[], at: (value: string) => string): void {
  for (const value of usual) {
    // ASCII letters have no wider form.
    if (!/[^\x20-\x7e]/.test(value)) continue;
    const wide = evenOut(value, WIDEST);
    if (wide !== value) keys.push({ name, value: at(wide) });
  }
}

/** Entity → the fields by which its objects can be found. */
const KEYED: ReadonlyMap<Entity, readonly (readonly [string, Field])[]> = new Map(
  ENTITIES.map((entity) => [
    entity,
    Object.entries(FIELDS[entity]).filter(
      ([, { matchable, unique, to }]) => matchable === true || unique === true || (to !== undefined && isLink(entity)),
    ),
  ]),
);

/** A key that is unique only within its owner, as the mirror stores it. */
export function scopedKey(ownerId: string, value: string): string {
  return foldKey(`${ownerId}/${value}`);
}
