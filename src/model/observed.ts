import { type Comparison, evenOut, USUAL, WIDEST } from './comparison.js';
import { ENTITIES, type Entity, isLink, TRAITS } from './entity.js';
import { FIELDS, type Field } from './fields.js';
import { isJsonObject, type Json, type Values } from './json.js';

/** The state of one object in the service according to the mirror, in the vocabulary of the model. */
export interface Observed {
  readonly entity: Entity;
  readonly id: string;
  /**
   * Contains readable fields only. A field that the read did not show is absent; a field that is empty in the service is null.
   */
  readonly values: Values;
  /** False for a deactivated user; true for all other objects. */
  readonly active: boolean;
  readonly label: string;
  /** Hash over `values` and `active`. */
  readonly hash: string;
}

/**
 * Returns the form in which keys are stored and looked up: Unicode NFC, trimmed, single spaces and no case. An e-mail in
 * capitals or an office with a trailing space is therefore the same key.
 */
export function foldKey(value: string): string {
  return evenOut(value, USUAL);
}

/**
 * Lists the forms in which a value can be found. A multilingual name can be found in any of its languages. A blank value has no
 * forms.
 */
export function keyValues(value: Json | undefined, rule: Comparison = USUAL): readonly string[] {
  if (value === undefined || value === null) return [];
  if (isJsonObject(value)) return Object.values(value).flatMap((item) => keyValues(item, rule));
  const even = evenOut(String(value), rule);
  return even.trim() === '' ? [] : [even];
}

/**
 * Returns the name under which the widest form of a key is stored. It is stored only if it differs from the usual form, as for
 * `Ｆｊｏｒｄ`.
 */
export function wideName(name: string): string {
  return `${name}~wide`;
}

/**
 * Lists the keys for finding an object: its matchable and unique fields, within their scope and owner if there is one. A
 * reference is found by its id.
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
    // ASCII letters are the same in the widest form.
    if (!/[^\x20-\x7e]/.test(value)) continue;
    const wide = evenOut(value, WIDEST);
    if (wide !== value) keys.push({ name, value: at(wide) });
  }
}

/** Entity → the fields for finding its objects. */
const KEYED: ReadonlyMap<Entity, readonly (readonly [string, Field])[]> = new Map(
  ENTITIES.map((entity) => [
    entity,
    Object.entries(FIELDS[entity]).filter(
      ([, { matchable, unique, to }]) => matchable === true || unique === true || (to !== undefined && isLink(entity)),
    ),
  ]),
);

/** Returns the form in which the mirror stores a key that is unique only within its owner. */
export function scopedKey(ownerId: string, value: string): string {
  return foldKey(`${ownerId}/${value}`);
}
