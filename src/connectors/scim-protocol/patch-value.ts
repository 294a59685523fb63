import { isJsonObject, itemsOf, type Json, type JsonObject, objectOf } from '../../model/json.js';
import { type Attribute, findNamed } from './attributes.js';
import { coerceOne, coerceSingle, coerceValue, isHollow, isPrimary } from './coerce.js';
import { findPart } from './custom-extension.js';
import { compileElementFilter } from './match-filter.js';
import type { Filter } from './parse-filter.js';
import { ScimError } from './scim-error.js';

export type PatchOp = 'add' | 'replace' | 'remove';

export interface PatchTarget {
  readonly attribute: Attribute;
  /** Selects elements of a list; null selects the entire attribute. */
  readonly filter: Filter | null;
  readonly sub: Attribute | null;
}

/** Returns the value of one attribute after one operation; undefined if no value is left. */
export function patchValue(before: Json | undefined, target: PatchTarget, op: PatchOp, value: Json): Json | undefined {
  const { attribute, filter, sub } = target;
  if (attribute.multiValued) {
    const items = itemsOf(before);
    const after =
      filter === null && sub === null
        ? patchList(items, attribute, op, value)
        : patchElements(items, target, op, value);
    return after.length === 0 ? undefined : keepOnePrimary(items, after);
  }
  if (sub !== null) {
    const changed = withSub(objectOf(before), sub, op === 'remove' ? undefined : coerceSingle(sub, value));
    return isHollow(changed) ? undefined : changed;
  }
  return op === 'remove' ? undefined : replaceValue(before, attribute, value);
}

function replaceValue(before: Json | undefined, attribute: Attribute, value: Json): Json | undefined {
  const coerced = coerceValue(attribute, value);
  // In a name, only the given parts change; a reference to a person is replaced completely.
  const isReference = findNamed(attribute.subAttributes ?? [], 'value') !== null;
  if (!isJsonObject(before) || !isJsonObject(coerced) || isReference) return coerced;
  return isJsonObject(value) ? dropNulls({ ...before, ...coerced }, value) : coerced;
}

/** Removes parts that were sent as null (RFC 7643, 2.5). */
function dropNulls(object: JsonObject, sent: JsonObject): JsonObject | undefined {
  const nulls = Object.keys(sent).filter((key) => sent[key] === null);
  const kept = Object.entries(object).filter(
    ([name]) => !nulls.some((key) => key.toLowerCase() === name.toLowerCase()),
  );
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function patchList(items: readonly Json[], attribute: Attribute, op: PatchOp, value: Json): readonly Json[] {
  if (op === 'remove' && value === null) return [];
  const sent = itemsOf(coerceValue(attribute, value));
  if (op === 'replace') return sent;
  if (op === 'remove') return items.filter((item) => !sent.some((one) => isSame(item, one)));
  const kinds = new Set(sent.map(nameKind));
  return [...items.filter((item) => !kinds.has(nameKind(item)) && !kinds.has(JSON.stringify(item))), ...sent];
}

/** True if a stored item has all parts of a value to remove. The sent value may have fewer parts than the item. */
function isSame(item: Json, sent: Json): boolean {
  if (!isJsonObject(item) || !isJsonObject(sent)) return item === sent;
  return Object.entries(sent).every(([name, value]) => item[name] === value);
}

/**
 * Names the kind of an item. An added item of the same kind replaces the existing item. Without a `value`, all parts
 * must be equal.
 */
function nameKind(item: Json): string {
  if (!isJsonObject(item) || item.value === undefined) return JSON.stringify(item);
  return `kind ${JSON.stringify([item.value, item.type ?? null])}`;
}

function patchElements(
  items: readonly Json[],
  { attribute, filter, sub }: PatchTarget,
  op: PatchOp,
  value: Json,
): readonly Json[] {
  const isOne = filter === null ? () => true : compileElementFilter(filter, attribute);
  const isChosen = (item: Json): item is JsonObject => isJsonObject(item) && isOne(item);
  if (op === 'remove' && sub === null) return items.filter((item) => !isChosen(item));
  const sent = op === 'remove' ? undefined : coerceSingle(sub ?? attribute, value);
  const change = (item: JsonObject): JsonObject => {
    if (sub !== null) return withSub(item, sub, sent);
    return isJsonObject(sent) ? { ...item, ...sent } : {};
  };
  const isThere = items.some(isChosen);
  if (!isThere && op === 'remove') return items;
  const all = isThere
    ? items.map((item) => (isChosen(item) ? change(item) : item))
    : [...items, change(seed(filter, attribute))];
  // A client may send the type of an element before its value. If the value is removed, its type is removed too.
  const isTakenAway = sent === undefined || sent === '';
  const isBare = (item: JsonObject): boolean =>
    Object.keys(item).every((name) => name === 'type' || name === 'primary');
  return all.filter((item) => !isJsonObject(item) || !(isHollow(item) || (isTakenAway && isBare(item))));
}

/** Returns the parts that an element needs to match a filter: `{ type: "work" }` for `type eq "work"`. */
function seed(filter: Filter | null, attribute: Attribute): JsonObject {
  if (filter === null) return {};
  if (filter.op === 'and') return Object.assign({}, ...filter.parts.map((part) => seed(part, attribute))) as JsonObject;
  const part = filter.op === 'eq' ? findPart(attribute, filter.path) : null;
  const value = filter.op === 'eq' && part !== null ? coerceOne(part, filter.value) : undefined;
  if (part !== null && value !== undefined) return { [part.name]: value };
  throw new ScimError(400, 'The filter of the path matches no existing value.', 'noTarget');
}

function withSub(object: JsonObject, { name }: Attribute, value: Json | undefined): JsonObject {
  const { [name]: _before, ...rest } = object;
  return value === undefined || value === '' ? rest : { ...object, [name]: value };
}

/** Makes a new primary value replace the previous one (RFC 7644, 3.5.2). */
function keepOnePrimary(before: readonly Json[], after: readonly Json[]): readonly Json[] {
  const primaries = after.filter(isPrimary);
  if (primaries.length < 2) return after;
  const kept = primaries.findLast((item) => !before.includes(item)) ?? primaries.at(-1);
  return after.map((item) =>
    isPrimary(item) && item !== kept && isJsonObject(item) ? { ...item, primary: false } : item,
  );
}
