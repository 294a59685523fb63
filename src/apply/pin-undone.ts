import { FIELDS } from '../model/fields.js';
import { isJsonObject, type Json, type Values } from '../model/json.js';
import type { Undoes, UndoneRecord } from '../model/undo.js';
import { eachLeaf, hashLeaf, wordPath } from '../reconcile/fields/leaves.js';
import type { Stores } from '../store/open-stores.js';

/**
 * Prevents runs from repeating an undone change. The pins stop the next run from writing the undone values. The restored
 * values become the base, so that a later change in the source does not look like a conflict.
 */
export function pinUndone(
  { pins, links }: Stores,
  { run: undone, records }: Undoes,
  { run, at }: { readonly run: string; readonly at: string },
): void {
  for (const record of records) {
    const { entity, key, pins: found } = record;
    pins.pin(found.map((pin) => ({ ...pin, entity, key, undone, run, at })));
    const link = links.find(entity, key);
    if (link === null) continue;
    if (link.base === null) links.disagree(entity, key);
    else links.restore(entity, key, withoutTaken(record, mergeLeaves(link.base, withoutMerged(record, link.base))));
  }
}

/**
 * Keeps only values that both sides agreed on. A merged list is not the source's value. With the earlier base, the next
 * run merges the same list again and finds it pinned.
 */
function withoutMerged({ entity, pins, restores }: UndoneRecord, base: Values): Values {
  const agreed = new Map([...eachLeaf(entity, base)].map(({ path, value }) => [path, hashLeaf(value)]));
  const merged = new Set(
    pins.flatMap(({ path, value }) => ((agreed.get(path) ?? hashLeaf(null)) === value ? [] : [path])),
  );
  const kept = Object.entries(restores).flatMap(([name, value]): [string, Json][] => {
    if (merged.has(name)) return [];
    if (!isJsonObject(value)) return [[name, value]];
    return [[name, Object.fromEntries(Object.entries(value).filter(([part]) => !merged.has(`${name}.${part}`)))]];
  });
  return Object.fromEntries(kept);
}

/** Removes the undone items of an additive list from the base, because a lost mirror is rebuilt from the base. */
function withoutTaken({ entity, pins }: UndoneRecord, base: Values): Values {
  const taken = new Set(pins.map(({ path }) => path));
  const kept = Object.entries(base).map(([name, value]): [string, Json] => {
    if (FIELDS[entity][name]?.additive !== true || !Array.isArray(value)) return [name, value];
    return [name, (value as readonly Json[]).filter((word) => !taken.has(wordPath(name, String(word))))];
  });
  return Object.fromEntries(kept);
}

/** Merges the restored values into the base, leaf by leaf; null removes a leaf. */
function mergeLeaves(base: Values, restores: Values): Values {
  const merged: Record<string, Json> = { ...base };
  for (const [name, value] of Object.entries(restores)) {
    const whole = merged[name];
    if (value === null) delete merged[name];
    else if (isJsonObject(value) && isJsonObject(whole) && name !== 'office') merged[name] = mergeLeaves(whole, value);
    else merged[name] = value;
  }
  return merged;
}
