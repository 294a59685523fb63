import { isJsonObject, type Json, type Values } from '../model/json.js';
import type { Undoes } from '../model/undo.js';
import type { Stores } from '../store/open-stores.js';

/**
 * Keeps what was undone undone. The pins stop the next run from writing the value again; the base becomes what was put
 * back, so that a later change in the source does not look as if both sides had moved.
 */
export function pinUndone(
  { pins, links }: Stores,
  { run: undone, records }: Undoes,
  { run, at }: { readonly run: string; readonly at: string },
): void {
  for (const { entity, key, pins: found, restores } of records) {
    pins.pin(found.map((pin) => ({ ...pin, entity, key, undone, run, at })));
    const link = links.find(entity, key);
    if (link === null) continue;
    if (link.base === null) links.disagree(entity, key);
    else links.restore(entity, key, mergeLeaves(link.base, restores));
  }
}

/** What was put back, leaf by leaf, over what was base; null takes a leaf out. */
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
