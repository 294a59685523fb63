import { type Comparison, evenOut, USUAL, WIDEST } from './comparison.js';
import { ENTITIES, type Entity, isLink, TRAITS } from './entity.js';
import { FIELDS, type Field } from './fields.js';
import { isJsonObject, type Json, type Values } from './json.js';

/** What the service holds, in the model's vocabulary: the mirror's copy of one object. */
export interface Observed {
  readonly entity: Entity;
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
 * The form in which keys are kept and looked up, which is the usual rule's: Unicode NFC, outer white space off, inner runs
 * as one blank, without case. An e-mail in capitals or an office typed with a trailing blank is the same key.
 */
export function foldKey(value: string): string {
  return evenOut(value, USUAL);
}

/** The forms under which a value can be found: a multilingual name by any of its languages. A blank value has none. */
export function keyValues(value: Json | undefined, rule: Comparison = USUAL): readonly string[] {
  if (value === undefined || value === null) return [];
  if (isJsonObject(value)) return Object.values(value).flatMap((item) => keyValues(item, rule));
  const even = evenOut(String(value), rule);
  return even.trim() === '' ? [] : [even];
}

/** Under which name a key is kept in its widest form; only where that is not the usual one, as of `Ｆｊｏｒｄ`. */
export function wideName(name: string): string {
  return `${name}~wide`;
}

/**
 * Under which keys an object can be found: its matchable and unique fields, within their scope where they have one, and
 * the object it belongs to. A reference is found by the id it stands for.
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

/** In their widest form, where it is not the usual one. */
function addWide(keys: CorrelationKey[], name: string, usual: readonly string[], at: (value: string) => string): void {
  for (const value of usual) {
    // Of letters of ASCII there is no wider form.
    if (!/[^\x20-\x7e]/.test(value)) continue;
    const wide = evenOut(value, WIDEST);
    if (wide !== value) keys.push({ name, value: at(wide) });
  }
}

/** Entity → the fields by whose values its objects can be found. */
const KEYED: ReadonlyMap<Entity, readonly (readonly [string, Field])[]> = new Map(
  ENTITIES.map((entity) => [
    entity,
    Object.entries(FIELDS[entity]).filter(
      ([, { matchable, unique, to }]) => matchable === true || unique === true || (to !== undefined && isLink(entity)),
    ),
  ]),
);

/** A key that is unique only within its owner, as it is in the mirror. */
export function scopedKey(ownerId: string, value: string): string {
  return foldKey(`${ownerId}/${value}`);
}
