import type { Entity } from '../../model/entity.js';
import { FIELDS, type Fields } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type JsonObject, listOf } from '../../model/json.js';
import { looksLike, showSpaces } from '../../model/odd-signs.js';
import type { Change } from '../../model/plan.js';
import type { CellChange } from '../../model/write-back.js';

/** One changed value, before and after as texts; null if empty. */
export interface ValueDifference {
  /** `title.no`, `custom_fields.value.amount`, `project_challenges[2].en` */
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
  /** True if the value is known only after a call; `after` then says so. */
  readonly isLater?: boolean;
  /** True if there was no object before. */
  readonly isNew?: boolean;
}

type OptionalJson = Json | undefined;

/** Lists the columns that are written back to a record of a source. */
export function listCells(cells: readonly CellChange[]): readonly ValueDifference[] {
  return cells.map(({ column, before, after, known }) => {
    const isLater = known === 'after apply';
    return { ...leaf(column, before, isLater ? 'known after apply' : after), isLater };
  });
}

/** The changed fields of an object, and its entity. A name that is not a field counts as not additive. */
export interface Moved extends Pick<Change, 'fields' | 'before' | 'after'> {
  readonly entity?: string;
}

/**
 * Lists the single values that a change affects. For languages, categories, custom fields and entries, it lists only those
 * that differ, because anything that `after` does not name stays unchanged.
 */
export function listDifferences({ entity = '', fields, before, after }: Moved): readonly ValueDifference[] {
  return fields.flatMap((field): readonly ValueDifference[] => {
    const [old, now] = [before[field], afterAdding(entity, field, before[field], after[field])];
    const found = [...walk(field, old, now)];
    return found.length > 0 ? found : [leaf(field, old, now)];
  });
}

/** For an additive list, a change contains only the added items, because existing items stay. */
function afterAdding(entity: string, field: string, before: OptionalJson, added: OptionalJson): OptionalJson {
  const isAdded = fieldsOf(entity)?.[field]?.additive === true && listOf(added).length > 0;
  return isAdded ? [...listOf(before), ...listOf(added)] : added;
}

function fieldsOf(entity: string): Fields | undefined {
  return Object.hasOwn(FIELDS, entity) ? FIELDS[entity as Entity] : undefined;
}

function* walk(field: string, before: OptionalJson, after: OptionalJson): Iterable<ValueDifference> {
  if (isSame(before, after)) return;
  if (hasParts(after) || (isEmpty(after) && hasParts(before))) {
    const [old, now] = [partsOf(before), partsOf(after)];
    for (const key of Object.keys(hasParts(after) ? now : old)) yield* walk(`${field}.${key}`, old[key], now[key]);
  } else if (hasEntries(after) || hasEntries(before)) {
    const [old, now] = [listOf(before), listOf(after)];
    for (let i = 0; i < Math.max(old.length, now.length); i += 1) yield* walk(`${field}[${i + 1}]`, old[i], now[i]);
  } else yield leaf(field, before, after);
}

/** Makes spaces visible if the two texts would look alike. */
export function leaf(field: string, before: OptionalJson, after: OptionalJson): ValueDifference {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  if (old === null || now === null || !looksLike(old, now)) return { field, before: old, after: now };
  return { field, before: showSpaces(old), after: showSpaces(now) };
}

/** True for equal values. A number equals its text. */
function isSame(before: OptionalJson, after: OptionalJson): boolean {
  const [old, now] = [before ?? null, after ?? null];
  if (typeof old !== 'object' && typeof now !== 'object') return String(old) === String(now);
  return canonicalJson(old) === canonicalJson(now);
}

function isEmpty(value: OptionalJson): boolean {
  return value === null || value === undefined || value === '';
}

/** The short name of an office: `no/Oslo`. */
function nameOffice(value: JsonObject): string | null {
  const { country, name, ...others } = value;
  if (typeof country !== 'string' || Object.keys(others).length > 0) return null;
  if (name === undefined) return country;
  return typeof name === 'string' ? `${country}/${name}` : null;
}

function partsOf(value: OptionalJson): JsonObject {
  return hasParts(value) ? value : {};
}

function hasParts(value: OptionalJson): value is JsonObject {
  return isJsonObject(value) && nameOffice(value) === null && Object.keys(value).length > 0;
}

function hasEntries(value: OptionalJson): value is readonly Json[] {
  return Array.isArray(value) && value.some((item: Json) => hasParts(item));
}

/** A value in words; null if it is empty. Items of a list are joined by commas, and parts of an object have their names. */
export function wordsOf(value: OptionalJson): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (Array.isArray(value))
    return value.length === 0 ? null : value.map((item: Json) => wordsOf(item) ?? '').join(', ');
  if (!isJsonObject(value)) return String(value);
  const office = nameOffice(value);
  if (office !== null) return office;
  const parts = Object.entries(value).map(([key, item]) => `${key} ${wordsOf(item) ?? '(empty)'}`);
  return parts.length === 0 ? null : parts.join(', ');
}
