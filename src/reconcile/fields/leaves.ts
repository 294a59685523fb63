import type { Entity } from '../../model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { sha256 } from '../../model/sha256.js';
import { isEmpty } from './compare.js';

/** Shapes in which each language, category or name is decided separately. */
const KEYED: ReadonlySet<FieldShape> = new Set(['multilingual', 'tags', 'tag_sets', 'custom_fields']);

export function isKeyed({ shape }: Field): boolean {
  return KEYED.has(shape);
}

/** Hashes a leaf. All empty values have the same hash, and the order of a list does not matter. */
export function hashLeaf(value: Json | undefined): string {
  return sha256(leafText(value), 'base64url');
}

/** True if two leaves have the same hash. */
export function isSameLeaf(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || leafText(one) === leafText(other);
}

function leafText(value: Json | undefined): string {
  const plain = isEmpty(value) ? null : (value ?? null);
  const items = Array.isArray(plain) ? (plain as readonly Json[]) : null;
  return items === null ? canonicalJson(plain) : items.map(canonicalJson).sort().join();
}

/** The path of one word in a list that only grows, because each word is undone separately. */
export function wordPath(field: string, word: string): string {
  return `${field}.${foldKey(word)}`;
}

export interface Leaf {
  readonly path: string;
  readonly field: string;
  /** Language, category, name or word; null if the field is a single leaf. */
  readonly part: string | null;
  readonly value: Json;
}

/** Lists everything that is decided separately: a language, category, custom field, word of a list that only grows, or a field. */
export function* eachLeaf(entity: Entity, values: Values): Iterable<Leaf> {
  for (const [field, value] of Object.entries(values)) {
    const kind = FIELDS[entity][field];
    if (kind === undefined) continue;
    // Lists of roles only grow too, but roles are multilingual texts, not words.
    if (kind.additive === true && kind.shape === 'references' && Array.isArray(value)) {
      for (const word of value as readonly Json[])
        yield { path: wordPath(field, String(word)), field, part: String(word), value: word };
    } else yield* eachPart(field, kind, value);
  }
}

function* eachPart(field: string, kind: Field, value: Json): Iterable<Leaf> {
  if (!isKeyed(kind) || !isJsonObject(value)) yield { path: field, field, part: null, value };
  else for (const [part, item] of Object.entries(value)) yield { path: `${field}.${part}`, field, part, value: item };
}

/** The value of a leaf in an object. */
export function valueAt(values: Values, { field, part }: Pick<Leaf, 'field' | 'part'>): Json | undefined {
  const whole = values[field];
  return part !== null && isJsonObject(whole) ? whole[part] : whole;
}

/**
 * Lists the leaves that a change moves. A language that the change leaves out of a text is removed; a language that it
 * repeats does not move.
 */
export function* eachMoved(entity: Entity, after: Values, shown: Values): Iterable<Leaf> {
  for (const leaf of eachLeaf(entity, after)) if (!isThere(leaf, shown)) yield leaf;
  for (const [field, value] of Object.entries(after)) {
    const whole = shown[field];
    if (FIELDS[entity][field]?.shape !== 'multilingual' || !isJsonObject(value) || !isJsonObject(whole)) continue;
    for (const [part, text] of Object.entries(whole))
      if (!(part in value) && !isEmpty(text)) yield { path: `${field}.${part}`, field, part, value: null };
  }
}

function isThere(leaf: Leaf, shown: Values): boolean {
  const { field, part, value } = leaf;
  const whole = shown[field];
  if (part !== null && Array.isArray(whole))
    return (whole as readonly Json[]).some((word) => foldKey(String(word)) === foldKey(part));
  return isSameLeaf(value, valueAt(shown, leaf));
}

/**
 * Removes leaves from a change. A text is sent complete, so a dropped language gets its value from the service. A text
 * that then moves nothing is dropped. Other shapes simply omit the dropped parts.
 */
export function withoutLeaves(entity: Entity, after: Values, dropped: readonly Leaf[], observed: Values): Values {
  const left: Record<string, Json> = { ...after };
  for (const { field, part, value } of dropped) {
    const whole = left[field];
    if (part === null) delete left[field];
    else if (Array.isArray(whole)) left[field] = (whole as readonly Json[]).filter((word) => word !== value);
    else if (isJsonObject(whole)) left[field] = withoutPart(whole, part, heldText(entity, field, observed));
  }
  for (const field of new Set(dropped.map((leaf) => leaf.field))) {
    const value = left[field];
    if (value !== undefined && movesNothing(FIELDS[entity][field], value, observed[field])) delete left[field];
  }
  return left;
}

function heldText(entity: Entity, field: string, observed: Values): Values {
  return FIELDS[entity][field]?.shape === 'multilingual' ? objectOf(observed[field]) : {};
}

function withoutPart(whole: Values, part: string, held: Values): Values {
  const { [part]: _dropped, ...others } = whole;
  const there = held[part];
  return isEmpty(there) ? others : { ...others, [part]: there ?? null };
}

function movesNothing(field: Field | undefined, value: Json, observed: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return false;
  const held = objectOf(observed);
  // A language that a text lacks is removed, because a text is sent complete. Other shapes keep parts that are not
  // named.
  const parts = field?.shape === 'multilingual' ? { ...held, ...value } : value;
  return Object.keys(parts).every((part) => isSameLeaf(value[part], held[part]));
}

/**
 * Returns the values without some paths of a mapping, such as `telephone`, `title.no`, `custom_fields.value.amount`. A
 * field without separate parts is removed entirely.
 */
export function withoutPaths(entity: Entity, values: Values, paths: ReadonlySet<string>): Values {
  const left: Record<string, Json> = { ...values };
  for (const path of paths) {
    const [field = path, part = ''] = path.split(/[.[]/);
    const [kind, whole] = [FIELDS[entity][field], left[field]];
    if (kind === undefined || !isKeyed(kind) || !isJsonObject(whole) || part === '') delete left[field];
    else left[field] = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== part));
  }
  const isBare = (value: Json): boolean => isJsonObject(value) && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(left).filter(([, value]) => !isBare(value)));
}
